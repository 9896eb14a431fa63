/**
 * The source of a session: the agent's database, or one of its export files. Both give the same records in the same
 * order.
 *
 * A method throws `unreadable` if the database is damaged at the place that the method reads; other calls may still
 * succeed.
 */

import { isContinuoError } from "@continuo/core/model";
import { isDamagedDatabase } from "./database.ts";
import type { NativeRecord } from "./records.ts";

export interface SessionSource {
  /** True if the records are already in memory, so that keeping them costs nothing. */
  readonly inMemory: boolean;
  /** `null` if the session's own record is lost. */
  session(): NativeRecord | null;
  /** Yields the messages by time, then id: the order in which opencode reads them. */
  messages(order: "oldest" | "newest"): Iterable<NativeRecord>;
  /** Returns a message that `messages` yielded; `null` if it was removed since. */
  message(id: string): NativeRecord | null;
  /** Returns the parts, sorted by id. */
  parts(message: NativeRecord): readonly NativeRecord[];
  /** UTF-8 bytes of `data` of a message and of its parts. */
  sizeOf(message: NativeRecord): number;
  /** Records of the session that belong to no message. */
  strays(): Iterable<NativeRecord>;
  /** Sessions that this one started. */
  children(): readonly ChildSession[];
  /** Returns true if the session that started this one exists. */
  hasSession(id: string): boolean;
  /** Returns the branch of the workspace to which the session belongs. */
  gitBranch(): string | null;
  /** The size in UTF-8 bytes of the `data` of all messages and parts; for an export, the size of the file. */
  sizeBytes(): number;
  /** Returns the problems of the source as a whole. */
  problems(): readonly SourceProblem[];
  /** Until the returned function is called, all reads see the state of one moment, even while opencode writes. */
  begin(): () => void;
  close(): void;
}

export interface SourceProblem {
  readonly code:
    | "byte_order_mark"
    | "bad_utf8"
    | "bad_json"
    | "bad_order"
    | "bad_record"
    | "diverged_copy"
    | "duplicate_id"
    | "newer_format"
    | "unreadable";
  readonly message: string;
}

export interface ChildSession {
  readonly id: string;
  readonly title: string | null;
  readonly agent: string | null;
  readonly model: string | null;
  readonly location: string;
  readonly sizeBytes: number;
}

/** Returns the parts of a message; if the source is damaged there, calls `onDamage` and returns none. */
export function readParts(
  source: SessionSource,
  message: NativeRecord,
  onDamage: OnDamage,
): readonly NativeRecord[] {
  return readOr(() => source.parts(message), [], onDamage);
}

type OnDamage = (sentence: string, code: "unreadable" | "damaged_database") => void;

/** Returns the result of `read`; if the source is damaged, returns `instead` and calls `onDamage`. */
export function readOr<T>(read: () => T, instead: T, onDamage: OnDamage): T {
  try {
    return read();
  } catch (error) {
    if (!isContinuoError(error, "unreadable")) throw error;
    onDamage(error.message, isDamagedDatabase(error) ? "damaged_database" : "unreadable");
    return instead;
  }
}

/** Yields records one after another; at damage in the source it calls `onDamage` and ends. */
export function* readAll(
  records: () => Iterable<NativeRecord>,
  onDamage: OnDamage,
): Generator<NativeRecord, void, void> {
  const iterator = readOr(() => records()[Symbol.iterator](), null, onDamage);
  while (iterator !== null) {
    const next = readOr(() => iterator.next(), null, onDamage);
    if (next === null || next.done) return;
    yield next.value;
  }
}
