/** Checkpoints: stores the fold as a snapshot and an event with its hash, in one append. */

import type { NewEvent, StoredEvent, Write } from "../model/index.ts";
import { isCheckpointDue } from "./checkpoint-due.ts";
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
  const snapshot = seal(fold);
  const data = { cursor, snapshotHash: snapshot.hash, chainHash, contextHash: contextHash(fold) };
  await append([{ type: "checkpoint_written", data }], {
    also: [{ type: "snapshot", name: SNAPSHOT_NAME, data: snapshot, sequence: cursor }],
  });
  return "written";
}
