/** Pruning and redaction: the payload is removed, the hashes stay, and a tombstone has the time and the reason. */

import type { StoredEvent } from "@continuo/core/model";
import { type Extras, sql, type Transaction, type Work } from "../engine/index.ts";
import { type EventTuple, eventColumns, toStoredEvent } from "./events.ts";
import { type LogRow, lineageOf, openLog } from "./log-rows.ts";
import { assertSequence, assertText, assertTime, conflict, isoOf, outOfRange } from "./refusals.ts";

export interface PruneRequest {
  readonly reason: string;
  readonly before?: number;
  readonly olderThan?: string;
  readonly types?: readonly string[];
  /** At most `PRUNE_SEQUENCES` at a time. */
  readonly sequences?: readonly number[];
}

/** The statement always has this many sequences, so that one prepared statement is enough. */
export const PRUNE_SEQUENCES = 500;

/** The number of payloads that one transaction removes, and the number of events that it examines. */
const PAGE = 256;
const LOOKED_AT = 2_048;

export interface PrunedPage {
  readonly count: number;
  /** The sequence after which the next page begins; `null` after the last one. */
  readonly nextAfter: number | null;
}

interface PrunableRow {
  readonly sequence: number;
  readonly extras: string | null;
}

/** Removes the next payloads of the log's own supplementary events after a sequence. */
export function* prunePage(
  tx: Transaction,
  logId: string,
  request: PruneRequest,
  after: number,
): Work<PrunedPage> {
  assertText("reason", request.reason);
  if (request.before !== undefined) assertSequence("before", request.before);
  if (request.olderThan !== undefined) assertTime("olderThan", request.olderThan);
  const log = yield* openLog(tx, logId, "change");
  const types = request.types ?? [];
  const sequences = request.sequences ?? [];
  for (const sequence of sequences) assertSequence("sequence", sequence);
  const end = Math.min(request.before ?? log.head_sequence + 1, log.head_sequence + 1);
  // Events that are named by sequence are few, and can be anywhere.
  const upTo = sequences.length > 0 ? end : Math.min(end, after + 1 + LOOKED_AT);
  const named = Array.from({ length: PRUNE_SEQUENCES }, (_, n) => sequences[n] ?? sequences[0] ?? 0);
  const filter =
    (types.length === 0 ? "" : ` and type in (${types.map(() => "?").join(", ")})`) +
    (sequences.length === 0 ? "" : ` and sequence in (${named.map(() => "?").join(", ")})`);
  const rows = yield* sql<PrunableRow>(
    tx,
    `select sequence, extras from events where log_key = ? and sequence > ? and sequence < ? and retention = 1
       and (payload is not null or bytes is not null) and recorded_at < ?${filter} order by sequence limit ?`,
    log.log_key,
    after,
    upTo,
    request.olderThan ?? "9999",
    ...types,
    ...(sequences.length === 0 ? [] : named),
    PAGE,
  );
  // Most rows have no extras and get the same new ones, so one statement updates all of them.
  const plain = rows.filter((row) => row.extras === null).map((row) => row.sequence);
  if (plain.length > 0) yield* buryPlain(tx, log, plain, request.reason);
  for (const row of rows) if (row.extras !== null) yield* bury(tx, log, row, request.reason);
  const last = rows.length === PAGE ? rows.at(-1)?.sequence : undefined;
  const looked = last ?? upTo - 1;
  return { count: rows.length, nextAfter: looked + 1 < end ? looked : null };
}

export function* redact(tx: Transaction, logId: string, sequence: number, reason: string): Work<StoredEvent> {
  assertText("reason", reason);
  assertSequence("sequence", sequence);
  const log = yield* openLog(tx, logId, "change");
  if (sequence === 0 || sequence > log.head_sequence) throw outOfRange(logId, sequence, log.head_sequence);
  const segment = (yield* lineageOf(tx, log)).find(({ upTo }) => sequence <= upTo);
  if (segment?.logKey !== log.log_key) throw yield* inherited(tx, log, sequence, segment?.logKey ?? 0);
  const [row] = yield* sql<PrunableRow>(
    tx,
    "select sequence, extras from events where log_key = ? and sequence = ?",
    log.log_key,
    sequence,
  );
  if (row === undefined) throw outOfRange(logId, sequence, log.head_sequence);
  const extras = row.extras === null ? {} : (JSON.parse(row.extras) as Extras);
  if (extras.pruned === undefined) yield* bury(tx, log, row, reason);
  // A pruned event has no body, so the column of JSON is right for a log of bytes too.
  const statement = tx.dialect.placeholders(
    `select ${eventColumns("payload")} from events where log_key = ? and sequence = ?`,
  );
  const [tuple] = (yield {
    sql: statement,
    parameters: [log.log_key, sequence],
    shape: "arrays",
  }) as EventTuple[];
  if (tuple === undefined) throw outOfRange(logId, sequence, log.head_sequence);
  return toStoredEvent(logId, tuple);
}

function* inherited(tx: Transaction, log: LogRow, sequence: number, ownerKey: number): Work<Error> {
  const [owner] = yield* sql<{ readonly log_id: string }>(
    tx,
    "select log_id from logs where log_key = ?",
    ownerKey,
  );
  return conflict(
    `event ${sequence} of ${log.log_id} was appended to ${owner?.log_id ?? "another log"}`,
    { logId: owner?.log_id ?? null, sequence },
    "Redact it there; every fork that reads it then sees the tombstone.",
  );
}

function* buryPlain(tx: Transaction, log: LogRow, sequences: readonly number[], reason: string): Work<void> {
  const extras: Extras = { pruned: { at: isoOf(log.now), reason } };
  yield* sql(
    tx,
    `update events set payload = null, bytes = null, extras = ?
     where log_key = ? and sequence in (${sequences.map(() => "?").join(", ")})`,
    JSON.stringify(extras),
    log.log_key,
    ...sequences,
  );
}

/** The salt is removed with the payload, and so is the reason why the payload was invalid. */
function* bury(tx: Transaction, log: LogRow, row: PrunableRow, reason: string): Work<void> {
  const { blobs }: Extras = row.extras === null ? {} : (JSON.parse(row.extras) as Extras);
  const extras: Extras = {
    ...(blobs === undefined ? {} : { blobs }),
    pruned: { at: isoOf(log.now), reason },
  };
  yield* sql(
    tx,
    "update events set payload = null, bytes = null, extras = ? where log_key = ? and sequence = ?",
    JSON.stringify(extras),
    log.log_key,
    row.sequence,
  );
  // The hashes of the blobs stay in the chain; the blobs themselves may be removed.
  yield* sql(tx, "delete from blob_references where log_key = ? and sequence = ?", log.log_key, row.sequence);
}
