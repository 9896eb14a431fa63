/**
 * Writes of an append, in its transaction: all of them are stored, or nothing. They are checked in the order in which
 * they are given; the first one that cannot be written makes the append fail.
 */

import type { ClaimWrite } from "./coordination.ts";
import type { NewRun, RunPatch, RunStatus } from "./runs.ts";
import type { SessionPatch } from "./sessions.ts";

/** The same write as `commitCursor`; `logId` is the append's own log by default. */
export interface CursorWrite {
  readonly type: "cursor";
  readonly name: string;
  readonly sequence?: number;
  readonly data?: unknown;
  readonly logId?: string;
}

/** `sessionId` is the append's own log if none is given. Errors: `not_found`. */
export interface SessionWrite {
  readonly type: "session";
  readonly sessionId?: string;
  readonly patch: SessionPatch;
}

/** A new run, pending, of the append's session. Errors: `conflict`. */
export interface NewRunWrite {
  readonly type: "new_run";
  readonly run: NewRun;
}

/**
 * The next status of a run; or, if it already runs, metadata that its own `owner` sets. Errors: `not_found`,
 * `invalid_transition`.
 */
export interface RunWrite {
  readonly type: "run";
  readonly runId: string;
  readonly to: RunStatus;
  readonly patch?: RunPatch;
}

/**
 * A producer's number for this append. Events that are already stored are not stored again: the append returns `[]` and
 * writes nothing. A new epoch begins with sequence 0. Errors: `fenced` for an older epoch (`details.epoch`),
 * `sequence_gap` (`details.expected`), `invalid`.
 */
export interface ProducerWrite {
  readonly type: "producer";
  readonly producerId: string;
  readonly epoch: number;
  readonly sequence: number;
}

/** A writer's own sequence: it must be greater than the log's last one, by character codes. Errors: `conflict`. */
export interface WriterSequenceWrite {
  readonly type: "writer_sequence";
  readonly value: string;
}

/** `sequence` is the log's newest after the append if none is given. */
export interface SnapshotWrite {
  readonly type: "snapshot";
  readonly name: string;
  readonly data: unknown;
  readonly sequence?: number;
}

/** Gives a lease back with the append; does nothing when it was given to somebody else in the meantime. */
export interface LeaseReleaseWrite {
  readonly type: "lease_release";
  readonly name: string;
  readonly token: number;
}

/** Closes the log after the append. */
export interface CloseWrite {
  readonly type: "close";
}

export type Write =
  | CursorWrite
  | SessionWrite
  | NewRunWrite
  | RunWrite
  | ProducerWrite
  | WriterSequenceWrite
  | SnapshotWrite
  | ClaimWrite
  | LeaseReleaseWrite
  | CloseWrite;
