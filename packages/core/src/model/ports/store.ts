/** The store: logs, and what is written together with them. Every engine fulfils every line of this contract. */

import type { NewEvent, StoredEvent } from "../events/index.ts";
import type { AccessStore } from "./access.ts";
import type { AuditStore, Principal } from "./audit.ts";
import type { BlobStore } from "./blobs.ts";
import type { Coordination } from "./coordination.ts";
import type {
  CountOptions,
  CreatedLog,
  DeletedLog,
  ForkOptions,
  Log,
  LogReader,
  MediaOptions,
  MediaPage,
  NewLog,
  PruneOptions,
  RedactOptions,
  VerifyResult,
} from "./logs.ts";
import type { CallOptions, Page, PageOptions } from "./page.ts";
import type { RunStore } from "./runs.ts";
import type { SessionStore } from "./sessions.ts";
import type { Write } from "./writes.ts";

export interface AppendOptions extends CallOptions {
  /** The log's newest sequence as the writer knows it. Errors: `conflict` (`details.latestSequence`). */
  readonly expectedSequence?: number;
  /** Errors: `fenced` if a greater token was ever given for the name, or this token was never given. */
  readonly lease?: { readonly name: string; readonly token: number };
  readonly also?: readonly Write[];
  /** The log's media type as the writer knows it; it is checked first. Errors: `conflict` (`details.mediaType`). */
  readonly mediaType?: string;
  /**
   * True to refuse ids that are stored already, so that the caller knows that this append stored the events. Errors:
   * `conflict` (`details.storedIds`).
   */
  readonly onlyNew?: boolean;
}

export interface StoreInfo {
  /** One of three for Continuo's own engines; another engine chooses its own name. */
  readonly engine: "memory" | "sqlite" | "postgres" | (string & {});
  /** The place of the store, without credentials. */
  readonly location: string;
  readonly schemaVersion: number;
  readonly logs: number;
  readonly events: number;
  readonly sessions: number;
  readonly runs: number;
  readonly blobs: number;
  readonly sizeBytes: number;
}

export interface Store
  extends LogReader,
    SessionStore,
    RunStore,
    Coordination,
    BlobStore,
    AccessStore,
    AuditStore,
    AsyncDisposable {
  readonly workspaceId: string;
  /**
   * Returns a view of the same database for another workspace. A view is cheap, so that a server can make one for each
   * request. Closing a view leaves the store open; closing the store closes its views. Acts are recorded in the name of
   * `by`, or by default in the name of the principal of the store.
   */
  forWorkspace(workspaceId: string, by?: Principal): Store;

  /**
   * If the log exists, a call with the same settings returns it; a call with different settings is a `conflict`. The id
   * of a deleted log that is hidden, because forks still read it, is a `conflict` too. Errors: `not_found` or
   * `out_of_range` for the fork point.
   */
  createLog(options?: NewLog): Promise<CreatedLog>;
  /** Creates an open log that begins with the records of another log, up to a sequence. Nothing is copied. */
  forkLog(logId: string, atSequence: number, options?: ForkOptions): Promise<CreatedLog>;
  /** Restarts the period after which the log expires. Errors: `not_found`, `gone`. */
  touchLog(logId: string, options?: CallOptions): Promise<Log>;
  /** Closes the log: nothing more can be appended to it. Closing again changes nothing. Errors: `not_found`, `gone`. */
  closeLog(logId: string, options?: CallOptions): Promise<Log>;
  /**
   * Deletes the log. If forks still read it, it is only hidden (`gone`), and is removed together with the last fork.
   * Errors: `not_found`, `gone`.
   */
  deleteLog(logId: string, options?: CallOptions & { readonly reason?: string }): Promise<void>;
  /** Removes expired logs and their sessions, which nobody can see any more. Returns the number of removed logs. */
  removeExpired(options?: CallOptions): Promise<number>;
  /** Returns what is still stored about deleted logs, such as the reason and the last hash, newest first. */
  listDeletedLogs(options?: PageOptions & { readonly logId?: string }): Promise<Page<DeletedLog>>;

  /**
   * Stores all events and all side writes, or nothing. When they are durable, it returns the events as they are stored.
   * The store checks in this order:
   *
   * 1. ids: if all are stored with the same type, actor and payload, the stored events are returned,
   *    whatever else was given; if only some are stored, the content differs, or `onlyNew` is true: `conflict`
   * 2. a producer's number that was accepted before: `[]`
   * 3. the lease: `fenced`; the producer's epoch: `fenced`
   * 4. the log is open: `log_closed`; the producer's number follows: `sequence_gap`
   * 5. `expectedSequence`: `conflict`
   * 6. the side writes in their order
   *
   * The list of events may be empty if `also` has a write. Errors: also `not_found`, `gone`, `invalid`, `too_large`.
   */
  append(
    logId: string,
    events: readonly NewEvent[],
    options?: AppendOptions,
  ): Promise<readonly StoredEvent[]>;
  /**
   * Returns the number of events between two sequences, of some types or of one retention. Without `types` and
   * `retention` it reads no events, because sequences have no gaps.
   */
  countEvents(logId: string, options?: CountOptions): Promise<number>;
  /**
   * Reads events by their time in the medium, such as a video. An index is used, so the cost does not depend on the
   * size of the log. The result includes pruned events. Errors: `not_found`, `gone`, `invalid`.
   */
  readMedia(logId: string, options: MediaOptions): Promise<MediaPage>;
  /** Recomputes every hash, and names the first event that differs. Errors: `not_found`, `gone`. */
  verify(logId: string, options?: CallOptions): Promise<VerifyResult>;
  /** Removes the payloads of supplementary events of this log (not those that a fork inherited). */
  prune(logId: string, options: PruneOptions): Promise<{ readonly pruned: number }>;
  /**
   * Removes the payload and the salt of one event, whatever its retention. An inherited event must be redacted in the
   * log to which it was appended; in any other log the error is `conflict`, and `details.logId` names the right log.
   * Errors: `not_found`.
   */
  redact(logId: string, sequence: number, options: RedactOptions): Promise<StoredEvent>;

  info(options?: CallOptions): Promise<StoreInfo>;
  /** Closes the store after the work that has begun is done. Later calls fail with `unavailable`. */
  close(): Promise<void>;
}
