/**
 * A store that is asked again while it does not answer: a database that is away for a few seconds ends no run.
 * Only calls that may be repeated are: those that read, and appends whose events have ids.
 */

import { isContinuoError, type Store } from "../model/index.ts";
import { LIMITS } from "./limits.ts";
import { pause } from "./stops.ts";

export interface Patience {
  /** How long a store may be away, over all calls. */
  readonly storeMs: number;
  /** The caller: who has given up waits for less. */
  readonly signal?: AbortSignal;
}

/** Acquiring a lease again as the same owner gives it again. */
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

/** The same store, which waits. Its own errors are passed on when the time is over. */
export function patientStore(store: Store, patience: Patience): Store {
  const outage = createOutage(patience);
  return new Proxy(store, {
    get: (target, key) => {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== "function") return value;
      const call = value.bind(target) as Call;
      return REPEATABLE.has(key) ? (...args: unknown[]) => outage.over(() => call(...args)) : call;
    },
  });
}

interface Outage {
  over<T>(call: () => Promise<T>): Promise<T>;
}

function createOutage({ storeMs, signal }: Patience): Outage {
  /** Since when it does not answer. */
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

/** Perhaps it answers in a moment: not one that is closed, or whose file is gone. */
function isPassing(error: unknown): boolean {
  if (isContinuoError(error, "busy")) return true;
  return isContinuoError(error, "unavailable") && error.details.permanent !== true;
}
