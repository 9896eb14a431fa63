/**
 * Evidence that was appended and not processed, as the fold keeps it: the oldest pieces in memory, and the number of
 * the others, so that a session without a note writer for days stays small. The owner reads more when it has room.
 */

import type { Store, StoredEvent } from "../model/index.ts";
import { LIMITS } from "./limits.ts";

/** Its payload is in the log. */
export interface PendingEvidence {
  readonly sequence: number;
  readonly type: string;
  readonly retention: "critical" | "supplementary";
  readonly atMs: number;
  readonly activity?: string;
}

/** What is pending and not in memory: all of it lies at `fromSequence` or after it. */
export interface PendingRest {
  readonly fromSequence: number;
  count: number;
}

export interface Pending {
  /** By sequence, oldest first. */
  readonly pending: Map<number, PendingEvidence>;
  pendingRest: PendingRest | null;
}

export function addPending(fold: Pending, one: PendingEvidence): void {
  if (fold.pendingRest === null && fold.pending.size < LIMITS.pendingInMemory) {
    fold.pending.set(one.sequence, one);
    return;
  }
  fold.pendingRest ??= { fromSequence: one.sequence, count: 0 };
  fold.pendingRest.count++;
}

/** What a decision or a drop names. */
export function removePending(fold: Pending, sequences: unknown): void {
  if (!Array.isArray(sequences)) return;
  for (const sequence of sequences as readonly number[]) {
    if (fold.pending.delete(sequence) || fold.pendingRest === null) continue;
    // Another server had it in memory.
    if (sequence >= fold.pendingRest.fromSequence) fold.pendingRest.count--;
  }
  if (fold.pendingRest?.count === 0) fold.pendingRest = null;
}

/** Whether the owner should read more. */
export function hasRoom({ pending, pendingRest }: Pending): boolean {
  return pendingRest !== null && pending.size < LIMITS.pendingInMemory / 2;
}

/** Reads what the fold only counted, as far as it has room. `add` is the fold's own rule. Errors: the store's. */
export async function refill(
  store: Store,
  sessionId: string,
  fold: Pending & { readonly sequence: number },
  add: (part: Pending, event: StoredEvent) => void,
): Promise<void> {
  if (fold.pendingRest === null) return;
  const part: Pending = { pending: new Map(), pendingRest: null };
  // The fold goes on meanwhile: it is reached when no wait lies between the look at it and the end.
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
