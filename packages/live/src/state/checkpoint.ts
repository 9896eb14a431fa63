/**
 * Checkpoints: when one is due, and the append that stores the fold as a snapshot and an event with its hash. Times are
 * milliseconds.
 */

import type { NewEvent, StoredEvent, Write } from "@continuo/core/model";
import { LIMITS } from "../kit/index.ts";

import type { LiveFold } from "./fold.ts";
import { contextHash, SNAPSHOT_NAME, seal } from "./snapshot.ts";

export function isDueCheckpoint(fold: LiveFold, nowMs: number): boolean {
  const { checkpoint, createdAtMs, eventsSinceCheckpoint: events, notesSinceCheckpoint: notes } = fold;
  return isCheckpointDue({ atMs: checkpoint?.atMs ?? createdAtMs, events, notes }, nowMs);
}

type Append = (
  events: readonly NewEvent[],
  options: { readonly also: readonly Write[] },
) => Promise<readonly StoredEvent[]>;

/** Errors: those of the append. */
export async function writeCheckpoint(fold: LiveFold, append: Append): Promise<"written" | "nothing new"> {
  if (fold.eventsSinceCheckpoint === 0) return "nothing new";
  const { sequence: cursor, chainHash } = fold;
  // Events may follow while the snapshot is made, so everything in it is copied now.
  const context = contextHash(fold);
  const snapshot = await seal(fold);
  const data = { cursor, snapshotHash: snapshot.hash, chainHash, contextHash: context };
  await append([{ type: "checkpoint_written", data }], {
    also: [{ type: "snapshot", name: SNAPSHOT_NAME, data: snapshot, sequence: cursor }],
  });
  return "written";
}

export interface CheckpointAge {
  /** The time of the newest checkpoint, or of the creation if there is none. */
  readonly atMs: number;
  /** Events since then, except those of checkpoints. */
  readonly events: number;
  /** `note_written` since then. */
  readonly notes: number;
}

export function isCheckpointDue({ atMs, events, notes }: CheckpointAge, nowMs: number): boolean {
  if (events === 0) return false;
  return notes >= LIMITS.checkpointNotes || nowMs - atMs >= LIMITS.checkpointMs;
}

/** The pause after this many failures in a row. */
export function checkpointRetryMs(failures: number): number {
  return Math.min(LIMITS.checkpointMaxRetryMs, LIMITS.checkpointRetryMs * 2 ** Math.max(0, failures - 1));
}
