/** A store in memory that holds one of each thing, and the texts of its refusals. */

import type { NewEvent, Store, Write } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect } from "vitest";

const NOW = "2026-01-01T00:00:00.000Z";

export const PAST = "2025-01-01T00:00:00.000Z";
export const NO_TIME = "must be an ISO 8601 time in UTC (2026-01-31T12:00:00.000Z)";
export const NO_NAME = "must be a text that is not empty";
export const TOO_LARGE = "Store large data as a blob and refer to it.";
export const NO_LOG =
  "Create it with createLog or createSession first; a log with a time to live may have expired.";
export const FENCED =
  "Stop writing: another process took over. Acquire the lease again if this process must continue.";
export const HASH: string = "0".repeat(64);
export const KEY = { keyId: "k", algorithm: "Ed25519", publicKey: "public", privateKey: "private" };

/** The code is `invalid` by default; all keys other than the code and the hint are details. */
export type Refusal = readonly [
  call: (store: Store) => Promise<unknown>,
  message: string,
  rest: { readonly code?: string; readonly hint?: string } & Readonly<Record<string, unknown>>,
];

export function event(fields: object): NewEvent {
  return { type: "mine", data: 1, ...fields };
}

export function also(store: Store, write: object): Promise<unknown> {
  return store.append("log", [], { also: [write as Write] });
}

/** The log `hidden` is deleted, and its fork still reads it. */
export function refusedAsGone(call: Refusal[0]): Refusal {
  const message = "the log hidden was deleted, and remains only for its forks";
  const hint = "Read one of its forks, or delete them to free the id.";
  return [call, message, { code: "gone", hint, logId: "hidden" }];
}

/** Expects whole refusals. All tests of a file share one store, because a refused call changes nothing. */
export function refusing(): (refusals: readonly Refusal[]) => Promise<void> {
  let store: Store;
  beforeAll(async () => {
    store = await openWorld();
  });
  afterAll(async () => {
    await store.close();
  });
  return async (refusals) => {
    for (const [call, message, { code = "invalid", hint, ...details }] of refusals) {
      const error = await Promise.resolve(store)
        .then(call)
        .catch((cause: unknown) => cause);
      expect((error as Error | undefined)?.message ?? "not refused").toBe(message);
      const { code: given, details: said, hint: advice } = error as never;
      expect({ message, code: given, hint: advice, details: said }).toEqual({ message, code, hint, details });
    }
  };
}

async function openWorld(): Promise<Store> {
  const store = await openStore("memory:", { now: () => Date.parse(NOW) });
  await store.createLog({ logId: "log", events: [event({ id: "e1" }), event({ id: "e2" })] });
  await store.createLog({ logId: "closed", events: [event({})], state: "closed" });
  await store.createLog({ logId: "bytes", mediaType: "text/plain" });
  await store.createLog({ logId: "hidden", events: [event({})] });
  await store.forkLog("hidden", 1, { newLogId: "fork" });
  await store.deleteLog("hidden");
  await store.createSession({ sessionId: "session" });
  await store.createRun({ sessionId: "session", runId: "run" });
  await store.createRun({ sessionId: "session", runId: "ended" });
  await store.transitionRun("ended", { to: "cancelled" });
  await store.acquireLease("lease", { owner: "ada", ttlMs: 60_000 });
  await store.putClaim({ name: "claim", owner: "ada", generation: 1 });
  await store.putWebhookKey({ ...KEY, version: 1 });
  return store;
}
