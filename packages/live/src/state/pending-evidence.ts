/**
 * Evidence that is not processed yet, as the fold keeps it: the oldest pieces are in memory, and the rest is only
 * counted, so that a session stays small when it has no note writer for days. The owner reads more of the rest when it
 * has room.
 */

import type { Store, StoredEvent } from "@continuo/core/model";
import { LIMITS } from "../kit/index.ts";

/** A pending piece of evidence; its payload is in the log. */
export interface PendingEvidence {
  readonly sequence: number;
  readonly type: string;
  readonly retention: "critical" | "supplementary";
  readonly atMs: number;
  readonly activity?: string;
  /** A frame that a person captured. */
  readonly isAsked?: true;
}

/** The pending evidence that is not in memory: all of it is at `fromSequence` or later. */
export interface PendingRest {
  readonly fromSequence: number;
  count: number;
}

export interface EvidenceQueue {
  /** Evidence by sequence, the oldest first. */
  readonly pending: Map<number, PendingEvidence>;
  pendingRest: PendingRest | null;
}

export function addPending(fold: EvidenceQueue, one: PendingEvidence): void {
  if (fold.pendingRest === null && fold.pending.size < LIMITS.pendingInMemory) {
    fold.pending.set(one.sequence, one);
    return;
  }
  fold.pendingRest ??= { fromSequence: one.sequence, count: 0 };
  fold.pendingRest.count++;
}

/** Removes the events that a decision or a drop names. */
export function removePending(fold: EvidenceQueue, sequences: unknown): void {
  if (!Array.isArray(sequences)) return;
  for (const sequence of sequences as readonly number[]) {
    if (fold.pending.delete(sequence) || fold.pendingRest === null) continue;
    // The server that processed the event had it in memory; this server only counted it.
    if (sequence >= fold.pendingRest.fromSequence) fold.pendingRest.count--;
  }
  if (fold.pendingRest?.count === 0) fold.pendingRest = null;
}

/** True if the owner should read more evidence into memory. */
export function hasRoom({ pending, pendingRest }: EvidenceQueue): boolean {
  return pendingRest !== null && pending.size < LIMITS.pendingInMemory / 2;
}

/**
 * Reads the counted evidence into memory until the room is used up. `add` is the rule of the fold. Errors: those of the
 * store.
 */
export async function refill(
  store: Store,
  sessionId: string,
  fold: EvidenceQueue & { readonly sequence: number },
  add: (part: EvidenceQueue, event: StoredEvent) => void,
): Promise<void> {
  if (fold.pendingRest === null) return;
  const part: EvidenceQueue = { pending: new Map(), pendingRest: null };
  // The fold grows during the reads. Its end is compared after the last `await`, so that nothing is missed.
  for (let after = fold.pendingRest.fromSequence - 1; after < fold.sequence; ) {
    const { events } = await store.read(sessionId, { after, limit: LIMITS.restorePage });
    for (const event of events) {
      if (event.sequence > fold.sequence) break;
      add(part, event);
      after = event.sequence;
    }
    if (events.length === 0) return;
  }
  for (const [sequence, one] of part.pending) fold.pending.set(sequence, one);
  fold.pendingRest = part.pendingRest;
}
