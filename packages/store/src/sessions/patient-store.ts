/**
 * A store whose calls are repeated while it does not answer, so that a database that is away for a few seconds ends no
 * run. Only calls that are safe to repeat are repeated: reads, the acquiring of a lease, appends (if their events have
 * ids), and new sessions with an id.
 */

import { isContinuoError, isPassing, type NewSession, type Session, type Store } from "@continuo/core/model";
import { LIMITS } from "./limits.ts";
import { pause } from "./stops.ts";

export interface RetryPolicy {
  /** The longest time without an answer from the store, over all calls. */
  readonly storeMs: number;
  /** The signal of the caller. After it aborts, the wait is shorter. */
  readonly signal?: AbortSignal;
}

/** Acquiring a lease again as the same owner returns the same lease. */
const REPEATABLE: ReadonlySet<PropertyKey> = new Set<keyof Store>([
  "append",
  "read",
  "latestSequence",
  "getSession",
  "getRun",
  "listRuns",
  "getLease",
  "acquireLease",
  "getCursor",
  "getClaim",
  "statBlob",
] satisfies (keyof Store)[]);

type Call = (...args: unknown[]) => Promise<unknown>;

/** Returns a store that waits while `store` does not answer. After that time, it passes on the error of `store`. */
export function patientStore(store: Store, patience: RetryPolicy): Store {
  const outage = createOutage(patience);
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const call = value.bind(target) as Call;
      if (key === "createSession") {
        const create = (session: NewSession): Promise<Session> => createOnce(target, { outage, session });
        return create;
      }
      return REPEATABLE.has(key) ? (...args: unknown[]) => outage.over(() => call(...args)) : call;
    },
  });
}

interface SessionMaking {
  readonly outage: Outage;
  readonly session: NewSession;
}

/** An earlier try whose answer was lost may have made the session: it has the same id and the requested values. */
async function createOnce(store: Store, { outage, session }: SessionMaking): Promise<Session> {
  const { sessionId } = session;
  if (sessionId === undefined) return await store.createSession(session);
  let tries = 0;
  return await outage.over(async () => {
    try {
      return await store.createSession(session);
    } catch (error) {
      if (!isContinuoError(error, "conflict") || tries === 0) throw error;
      const made = await store.getSession(sessionId);
      if (made === null || !isAsked(made, session)) throw error;
      return made;
    } finally {
      tries++;
    }
  });
}

function isAsked(made: Session, asked: NewSession): boolean {
  const keys = ["title", "agent", "cwd", "parentId", "metadata"] as const;
  return keys.every(
    (key) => asked[key] === undefined || JSON.stringify(made[key]) === JSON.stringify(asked[key]),
  );
}

interface Outage {
  over<T>(call: () => Promise<T>): Promise<T>;
}

function createOutage({ storeMs, signal }: RetryPolicy): Outage {
  /** The time at which the store stopped answering. */
  let since: number | null = null;
  const left = (): number => {
    const allowed = signal?.aborted === true ? Math.min(storeMs, LIMITS.impatientStoreMs) : storeMs;
    return since === null ? allowed : allowed - (performance.now() - since);
  };
  return {
    over: async (call) => {
      for (let ms: number = LIMITS.retryMs; ; ms = Math.min(ms * 2, LIMITS.maxRetryMs)) {
        try {
          const result = await call();
          since = null;
          return result;
        } catch (error) {
          if (!isPassing(error)) throw error;
          since ??= performance.now();
          if (left() <= 0) throw error;
        }
        await pause(Math.min(ms, Math.max(1, left())));
      }
    },
  };
}
