/**
 * A fork is a log whose beginning is in another log. Nothing is copied, except for the first bytes of a record that the
 * fork cuts.
 */

import { CHAIN_START, type NewLog } from "@continuo/core/model";
import { type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { appendTo } from "./append.ts";
import { prepareEvents } from "./events.ts";
import { findLog, hasForks, holdsBytes, isExpired, type LogRow, lineageOf } from "./log-rows.ts";
import { assertSequence, conflict, invalid, logNotFound, outOfRange } from "./refusals.ts";

export interface ForkSource {
  readonly row: LogRow;
  readonly sequence: number;
  /** The chain hash of the source at `sequence`. */
  readonly hash: string;
  readonly bytes: number;
}

/** Errors: `not_found`, `conflict` for a source that is hidden, `out_of_range`, `invalid`. */
export function* openSource(tx: Transaction, from: NonNullable<NewLog["forkedFrom"]>): Work<ForkSource> {
  // The row is locked, so that the source is not removed between this check and the insert.
  const row = yield* findLog(tx, from.logId, "change");
  if (row === undefined) throw logNotFound(from.logId);
  const expired = isExpired(row);
  if (row.deleted_at !== null || (expired && (yield* hasForks(tx, row.log_key)))) {
    throw conflict(`cannot fork log ${from.logId}: it was deleted`, {
      logId: from.logId,
    });
  }
  if (expired) throw logNotFound(from.logId);
  const sequence = from.sequence ?? row.head_sequence;
  assertSequence("sequence of a fork", sequence);
  if (sequence > row.head_sequence) throw outOfRange(from.logId, sequence, row.head_sequence);
  const bytes = from.bytes ?? 0;
  assertSequence("bytes of a fork", bytes);
  if (bytes > 0 && !holdsBytes(row)) throw invalid("only a log of bytes can be forked inside a record");
  if (bytes > 0 && sequence === row.head_sequence)
    throw outOfRange(from.logId, sequence + 1, row.head_sequence);
  return { row, sequence, hash: yield* hashAt(tx, row, sequence), bytes };
}

function* hashAt(scope: Scope, row: LogRow, sequence: number): Work<string> {
  if (sequence === 0) return CHAIN_START;
  if (sequence === row.head_sequence) return row.head_hash;
  const found = yield* recordAt<{ readonly chain_hash: string }>(scope, row, sequence, "chain_hash");
  return found.chain_hash;
}

function* recordAt<R>(scope: Scope, row: LogRow, sequence: number, column: string): Work<R> {
  const segment = (yield* lineageOf(scope, row)).find(({ upTo }) => sequence <= upTo);
  const text = `select ${column} from events where log_key = ? and sequence = ?`;
  const [found] = yield* sql<R>(scope, text, segment?.logKey ?? 0, sequence);
  if (found === undefined) throw outOfRange(row.log_id, sequence, row.head_sequence);
  return found;
}

/** The first bytes of the record after the fork point become the fork's own first record. */
export function* materialisePart(tx: Transaction, fork: LogRow, source: ForkSource): Work<void> {
  if (source.bytes === 0) return;
  const record = yield* recordAt<{ readonly bytes: Uint8Array | null }>(
    tx,
    source.row,
    source.sequence + 1,
    "bytes",
  );
  const length = record.bytes?.length ?? 0;
  if (source.bytes > length) {
    throw invalid(`the record has ${length} bytes, not ${source.bytes}`, { bytes: source.bytes, length });
  }
  const data = Uint8Array.from(record.bytes?.subarray(0, source.bytes) ?? []);
  yield* appendTo(tx, fork, prepareEvents(tx, [{ type: "bytes", data }]), {});
}
