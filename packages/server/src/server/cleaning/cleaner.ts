/** Decides which server cleans: one server of a store, once an hour. */

import { randomUUID } from "node:crypto";
import { isContinuoError, type Store } from "@continuo/core/model";
import { SERVER_LOGS } from "@continuo/core/wire";
import { serverMeter } from "../operation/index.ts";
import { type CleaningCounts, cleanAll } from "./clean.ts";

const EVERY_MS = 3_600_000;

export interface Cleaner {
  /** Cleans if it is time and no other server has done it; otherwise returns `null`. */
  look(): Promise<CleaningCounts | null>;
}

export function createCleaner(store: Store, report: (line: string) => void): Cleaner {
  const owner = randomUUID();
  let next = Number.NEGATIVE_INFINITY;
  return {
    look: async () => {
      if (performance.now() < next) return null;
      try {
        // The lease is not released: the next hour begins when it expires.
        await store.acquireLease(`${SERVER_LOGS}cleaning`, { owner, ttlMs: EVERY_MS });
      } catch (error) {
        // Another server cleans, or the store is unavailable and the next check tries again.
        if (isContinuoError(error)) return null;
        throw error;
      }
      next = performance.now() + EVERY_MS;
      const cleaned = await cleanAll(store, { now: Date.now() });
      const { logs, tokens } = cleaned;
      serverMeter.count("continuo.cleaning.removed", logs, { kind: "logs" });
      serverMeter.count("continuo.cleaning.removed", tokens, { kind: "tokens" });
      if (logs + tokens > 0) report(`cleaned: ${logs} expired logs, ${tokens} tokens that had ended`);
      return cleaned;
    },
  };
}
