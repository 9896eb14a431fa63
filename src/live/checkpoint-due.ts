/** When a checkpoint is due. Pure; times are milliseconds. */

import { LIMITS } from "./limits.ts";

export interface CheckpointAge {
  /** The time of the newest checkpoint, or of the creation if there is none. */
  readonly atMs: number;
  /** Events since then, without those of a checkpoint. */
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
