/** Logs: what they are, and how they are read. */

import type { NewEvent, Retention, StoredEvent } from "../events/index.ts";
import type { CallOptions, Page, PageOptions } from "./page.ts";

/** The media type of a log of events. A log of any other media type has byte records. */
export const EVENTS_MEDIA_TYPE = "application/x-continuo-events";

/** The point where a fork leaves its source: after `sequence`, or after `bytes` bytes of the next record. */
export interface ForkPoint {
  readonly logId: string;
  readonly sequence: number;
  readonly bytes?: number;
}

/** All times are ISO 8601 UTC. */
export interface Log {
  readonly logId: string;
  readonly mediaType: string;
  /** 0 for an empty log. A fork begins with its source's sequences. */
  readonly latestSequence: number;
  /** The hash of the newest event and all before it; 64 zeros for an empty log. */
  readonly chainHash: string;
  readonly createdAt: string;
  /** The time of the last append or closing. */
  readonly changedAt: string;
  /** The time in seconds for which the log exists after its last append or `touchLog`. */
  readonly ttl?: number;
  /** After this time, the log behaves like a deleted one. */
  readonly expiresAt?: string;
  readonly closedAt?: string;
  readonly forkedFrom?: ForkPoint;
  /** The greatest `writer_sequence` of an append. */
  readonly writerSequence?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

export interface NewLog extends CallOptions {
  /** Up to 512 characters, no control characters. A UUIDv7 if none is given. */
  readonly logId?: string;
  /** The case of letters does not matter. By default, a fork has the media type of its source. */
  readonly mediaType?: string;
  /** Seconds, more than 0; not together with `expiresAt`. A fork without either has that of its source. */
  readonly ttl?: number;
  readonly expiresAt?: string;
  readonly forkedFrom?: { readonly logId: string; readonly sequence?: number; readonly bytes?: number };
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The first records, stored in the same transaction. */
  readonly events?: readonly NewEvent[];
  /** `closed`: the log is closed when it is created. */
  readonly state?: "open" | "closed";
}

/** `created` is false when the log existed already with the same settings. */
export type CreatedLog = Log & { readonly created: boolean };

export interface ForkOptions extends Omit<NewLog, "forkedFrom" | "logId"> {
  readonly newLogId?: string;
  /** Also takes that many bytes of the record after `atSequence`. */
  readonly bytes?: number;
}

export interface ListLogsOptions extends PageOptions {
  readonly prefix?: string;
  /**
   * A `mark` of an earlier page, or an ISO time. After a mark, the list has every log that changed since then, and may
   * have some that did not change; none is left out, however many servers write.
   */
  readonly changedAfter?: string;
}

export interface LogPage extends Page<Log> {
  /** Give it as `changedAfter` the next time. Take it from the first page. */
  readonly mark: string;
}

export interface ReadOptions extends CallOptions {
  /** Sequences greater than this one; 0 is the beginning. */
  readonly after?: number;
  /** Sequences less than this one. */
  readonly before?: number;
  /** 1 to 10,000; 1,000 if none is given. With `order: "newest"` the newest are kept. */
  readonly limit?: number;
  /** Ends the page before the payloads exceed it; at least one event is always returned. */
  readonly maxBytes?: number;
  readonly types?: readonly string[];
  /** Only the event of this id, through an index. */
  readonly id?: string;
  readonly runId?: string;
  /**
   * Only events whose payload, as JSON text, contains one of these: at most 16 texts of 4,096 UTF-16 units. Events that
   * are left out cost little.
   */
  readonly texts?: readonly string[];
  /** The events that the limit keeps, `oldest` by default. The events are always in order of sequence. */
  readonly order?: "oldest" | "newest";
}

export interface ReadJoinedOptions extends CallOptions {
  /** Sequences greater than this one; 0 is the beginning. */
  readonly after?: number;
  /** 1 to 10,000; 1,000 if none is given. */
  readonly limit?: number;
  /** Ends the page before the records exceed it; at least one record is always returned. */
  readonly maxBytes?: number;
  /** The text between two records. */
  readonly separator: "" | ",";
}

/** Records joined to one value, one after the other. */
export interface JoinedPage {
  readonly bytes: Uint8Array;
  readonly records: number;
  /** Records of the page whose bytes were pruned: they are left out. */
  readonly pruned: number;
  /** The sequence of the last record; `after` if there is none. */
  readonly lastSequence: number;
  /** The hash of the last record; `null` if there is none. */
  readonly lastHash: string | null;
  /** Give it as `after` to continue; `null` when nothing was left out. */
  readonly nextAfter: number | null;
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** Give it as `after` (with `order: "newest"` as `before`) to continue; `null` when nothing was left out. */
  readonly nextAfter: number | null;
}

export interface CountOptions extends CallOptions {
  /** Sequences greater than this one; 0 is the beginning. */
  readonly after?: number;
  /** Sequences less than this one. */
  readonly before?: number;
  readonly types?: readonly string[];
  readonly retention?: Retention;
}

/** Times in milliseconds of the medium: `mediaTimeMs` of the payloads, a whole number from 0. */
export interface MediaOptions extends CallOptions {
  readonly fromMs: number;
  /** Included. */
  readonly toMs: number;
  /** Events are returned by their distance from it; in order of media time if none is given. */
  readonly nearMs?: number;
  readonly retention?: Retention;
  readonly types?: readonly string[];
  /** 1 to 1,000; 100 if none is given. */
  readonly limit?: number;
  /** Ends before the payloads exceed it; at least one event is always returned. */
  readonly maxBytes?: number;
}

export interface MediaPage {
  readonly events: readonly StoredEvent[];
  /** True if the limit or `maxBytes` left some out. */
  readonly more: boolean;
}

export interface TailOptions extends CallOptions {
  /** Everything after this sequence; 0 if none is given. `latest`: only events that are stored from now on. */
  readonly after?: number | "latest";
  readonly types?: readonly string[];
}

export interface VerifyResult {
  readonly ok: boolean;
  readonly checkedCount: number;
  readonly prunedCount: number;
  readonly firstBadSequence?: number;
  /** One sentence that says what differs at that sequence. */
  readonly reason?: string;
}

/** The remains of a deleted log. */
export interface DeletedLog {
  readonly logId: string;
  readonly deletedAt: string;
  readonly reason: string;
  readonly latestSequence: number;
  readonly chainHash: string;
}

export interface PruneOptions extends CallOptions {
  /** The reason that the tombstones record. */
  readonly reason: string;
  /** Sequences less than this one. */
  readonly before?: number;
  /** Only events that were recorded before this time. */
  readonly olderThan?: string;
  readonly types?: readonly string[];
  /** Only these sequences, at most 10,000; the other conditions apply as well. */
  readonly sequences?: readonly number[];
}

export interface RedactOptions extends CallOptions {
  readonly reason: string;
}

/** The reading half of a store: enough for transcripts and for all code outside the store. */
export interface LogReader {
  /** `null` when there is none, or it expired. Errors: `gone`. */
  getLog(logId: string, options?: CallOptions): Promise<Log | null>;
  /** Lists logs in order of id, or in order of change with `changedAfter`. Hidden and expired logs are left out. */
  listLogs(options?: ListLogsOptions): Promise<LogPage>;
  /** Errors: `not_found`, `gone`, `corrupt` (with `details.sequence`). */
  read(logId: string, options?: ReadOptions): Promise<EventPage>;
  /** Records of a log of bytes. Errors: as `read`; `invalid` for a log of events. */
  readJoined(logId: string, options: ReadJoinedOptions): Promise<JoinedPage>;
  /**
   * Yields the backlog and then new events, each once and in order. It ends after the last event of a closed log, and
   * when the signal aborts. A slow reader does not lose events: at most one page is in memory. Errors: as `read`;
   * `not_found` or `gone` when the log is deleted in the meantime; `unavailable` when the store is closed.
   */
  tail(logId: string, options?: TailOptions): AsyncIterable<StoredEvent>;
  /** Errors: `not_found`, `gone`. */
  latestSequence(logId: string, options?: CallOptions): Promise<number>;
}
