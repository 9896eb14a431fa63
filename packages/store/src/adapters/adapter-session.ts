/**
 * One session, or one log, as an adapter uses it: reading one that does not exist returns nothing, and the first append
 * creates it.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import {
  type AppendOptions,
  type EventPage,
  isContinuoError,
  isPassing,
  type NewEvent,
  type NewLog,
  type NewSession,
  type ReadOptions,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { openSession } from "../sessions/index.ts";
import { LIMITS } from "./limits.ts";

export interface AdapterSession {
  readonly sessionId: string;
  /** Events without an id get one, so that a repeated call stores them once. */
  append(events: readonly NewEvent[], options?: AppendOptions): Promise<readonly StoredEvent[]>;
  /** Returns an empty page if there is no session. */
  read(options?: ReadOptions): Promise<EventPage>;
}

/** `made` describes the session, if it must be created. */
export function adapterSession(
  store: Store,
  sessionId: string,
  made: Omit<NewSession, "sessionId"> = {},
): AdapterSession {
  return madeWhenNeeded(store, sessionId, () => openSession(store, sessionId, made));
}

/** Like `adapterSession`, for a log without a session. */
export function adapterLog(
  store: Store,
  logId: string,
  made: Omit<NewLog, "logId" | "events"> = {},
): AdapterSession {
  return madeWhenNeeded(store, logId, () => patiently(() => store.createLog({ ...made, logId })));
}

function madeWhenNeeded(store: Store, sessionId: string, make: () => Promise<unknown>): AdapterSession {
  return {
    sessionId,
    append: async (events, options = {}) => {
      const named = events.map((event) => (event.id === undefined ? { ...event, id: randomUUID() } : event));
      try {
        return await patiently(() => store.append(sessionId, named, options));
      } catch (error) {
        if (!isContinuoError(error, "not_found")) throw error;
      }
      await make();
      return await patiently(() => store.append(sessionId, named, options));
    },
    read: async (options = {}) => {
      try {
        return await patiently(() => store.read(sessionId, options));
      } catch (error) {
        if (isContinuoError(error, "not_found") || isContinuoError(error, "gone")) return EMPTY;
        throw error;
      }
    },
  };
}

const EMPTY: EventPage = { events: [], nextAfter: null };

/**
 * Repeats a call while the store does not answer: only a call that may be repeated, because a try without an answer may
 * have been executed.
 */
async function patiently<Result>(call: () => Promise<Result>): Promise<Result> {
  const end = performance.now() + LIMITS.storeMs;
  for (let waitMs: number = LIMITS.retryMs; ; waitMs = Math.min(2 * waitMs, LIMITS.maxRetryMs)) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || performance.now() + waitMs > end) throw error;
    }
    await pause(waitMs);
  }
}
