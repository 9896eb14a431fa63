/** Restores a session from its newest snapshot and the events after it, or from the log alone, and verifies both. */

import { setImmediate as otherWork } from "node:timers/promises";
import {
  type CallOptions,
  CHAIN_START,
  canonicalJson,
  chainHash,
  isContinuoError,
  payloadHash,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { LIMITS, sha256 } from "../kit/index.ts";
import { addEvent, emptyFold, type LiveFold } from "./fold.ts";
import { SNAPSHOT_NAME, unseal } from "./snapshot.ts";

export interface RestoreResult {
  readonly fold: LiveFold;
  /** Why the session cannot be trusted; the fold then ends before the fault. `null` if everything was verified. */
  readonly fault: string | null;
  /** The sequence of the snapshot that it began with; 0 without one. */
  readonly fromSequence: number;
}

export interface RestoreOptions extends CallOptions {
  /** `none` restores from the log without a snapshot. */
  readonly snapshots?: "newest" | "none";
}

/** Errors: the store's, where the log cannot be read at all. */
export async function restore(
  store: Store,
  sessionId: string,
  { snapshots = "newest", ...call }: RestoreOptions = {},
): Promise<RestoreResult> {
  const start = snapshots === "none" ? { fold: fresh() } : await snapshotFold(store, sessionId, call);
  const { fold } = start;
  const fromSequence = fold.sequence;
  if (start.fault !== undefined) return { fold, fault: start.fault, fromSequence };
  for (let after: number | null = fold.sequence; after !== null; ) {
    const page: Page | string = await pageOf(store, sessionId, { after, ...call });
    if (typeof page === "string") return { fold, fault: page, fromSequence };
    for (const event of page.events) {
      const fault = faultOf(fold, event);
      if (fault !== null) return { fold, fault, fromSequence };
      addEvent(fold, event);
    }
    after = page.nextAfter;
    // The store gives way by what it reads; the hashes of these events are more work.
    if (after !== null) await otherWork();
  }
  return { fold, fault: null, fromSequence };
}

type Page = Awaited<ReturnType<Store["read"]>>;

/** An unreadable payload is a fault of the session, not of this server. */
async function pageOf(
  store: Store,
  sessionId: string,
  options: CallOptions & { readonly after: number },
): Promise<Page | string> {
  try {
    return await store.read(sessionId, { limit: LIMITS.restorePage, ...options });
  } catch (error) {
    if (isContinuoError(error, "corrupt")) return error.message;
    throw error;
  }
}

function fresh(): LiveFold {
  return emptyFold(CHAIN_START);
}

async function snapshotFold(
  store: Store,
  sessionId: string,
  call: CallOptions,
): Promise<{ readonly fold: LiveFold; readonly fault?: string }> {
  const snapshot = await store.getLatestSnapshot({ logId: sessionId, name: SNAPSHOT_NAME, ...call });
  if (snapshot === null) return { fold: fresh() };
  const fold = await unseal(snapshot.data);
  if (fold === "other version") return { fold: fresh() };
  if (fold === null || fold.sequence !== snapshot.sequence) {
    return { fold: fresh(), fault: `the snapshot at ${snapshot.sequence} does not have its hash` };
  }
  const { events } = await store.read(sessionId, { after: snapshot.sequence - 1, limit: 1, ...call });
  if (events[0]?.sequence === snapshot.sequence && events[0].chainHash === fold.chainHash) return { fold };
  return { fold: fresh(), fault: `the log at ${snapshot.sequence} does not have the hash of its snapshot` };
}

/** Why an event cannot follow the folded ones; `null` if it can. */
export function faultOf(fold: Pick<LiveFold, "sequence" | "chainHash">, event: StoredEvent): string | null {
  if (event.sequence !== fold.sequence + 1) return `the log has a gap after ${fold.sequence}`;
  const { sequence } = event;
  // A payload that was pruned is gone; its hash is still part of the chain.
  if (event.pruned === undefined && hashOf(event) !== event.payloadHash) {
    return `the payload of the event ${sequence} does not have its hash`;
  }
  if (chainHash(sha256, fold.chainHash, event) === event.chainHash) return null;
  return `the event ${sequence} does not have its hash`;
}

function hashOf({ data, salt }: StoredEvent): string {
  return payloadHash(sha256, canonicalJson(data), salt);
}
