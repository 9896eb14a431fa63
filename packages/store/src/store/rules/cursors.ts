/**
 * Cursors: the position of a named reader, with a little data of its own. Only a reset moves a cursor back. A cursor is
 * stored under the id of its log, so that it can exist before the log does; it is deleted with the log.
 */

import type { Cursor, Page } from "@continuo/core/model";
import {
  type Dialect,
  LIMITS,
  query,
  type Scope,
  sql,
  type Transaction,
  textOnce,
  type Work,
} from "../engine/index.ts";
import { jsonOf, textOfJson } from "./json-fields.ts";
import { findLog, hasForks, isExpired, type LogRow, openLog } from "./log-rows.ts";
import { type PageRequest, pageOf } from "./pages.ts";
import {
  assertName,
  assertSequence,
  assertText,
  isoOf,
  logGone,
  logNotFound,
  outOfRange,
  tooLarge,
} from "./refusals.ts";
import { removeLog } from "./removal.ts";

interface CursorRow {
  readonly log_id: string;
  readonly name: string;
  readonly sequence: number;
  readonly data: string | null;
  readonly updated_at: number;
}

export interface CursorRequest {
  readonly name: string;
  readonly sequence?: number;
  readonly data?: unknown;
}

/** The end of a log, also of one that does not exist yet. */
type LogEnd = Pick<LogRow, "log_id" | "head_sequence">;

/** Errors: `not_found` for a sequence of a log that does not exist, `out_of_range`, `gone`, `too_large`. */
export function* commitCursor(tx: Transaction, logId: string, request: CursorRequest): Work<Cursor> {
  assertName("logId", logId);
  const log = yield* findLog(tx, logId, "change");
  if (log === undefined) return yield* moveEarly(tx, logId, request);
  if (log.deleted_at !== null) throw logGone(logId);
  if (!isExpired(log)) return yield* moveCursor(tx, log, request);
  if (yield* hasForks(tx, log.log_key)) throw logGone(logId);
  // The log has expired, and its cursors with it: the readers begin again with the next log of this id.
  yield* removeLog(tx, log, "expired", "whole");
  return yield* moveEarly(tx, logId, request);
}

function* moveEarly(tx: Transaction, logId: string, request: CursorRequest): Work<Cursor> {
  if ((request.sequence ?? 0) > 0) throw logNotFound(logId);
  return yield* moveCursor(tx, { log_id: logId, head_sequence: 0 }, request);
}

/**
 * This is one statement, so that the greater sequence stays if two readers commit at the same time. A lower sequence
 * changes nothing, not even the data. Without a sequence the position stays, and without data the old data stay.
 */
export function* moveCursor(tx: Transaction, log: LogEnd, request: CursorRequest): Work<Cursor> {
  const { name, sequence, data } = request;
  assertName("name of a cursor", name);
  if (sequence !== undefined) assertSequence("sequence of a cursor", sequence);
  if ((sequence ?? 0) > log.head_sequence) throw outOfRange(log.log_id, sequence ?? 0, log.head_sequence);
  const body = data === undefined ? undefined : dataText(data);
  const given = { sequence: sequence !== undefined, data: body !== undefined };
  const text = textOnce(tx.dialect, `move cursor ${given.sequence} ${given.data}`, () =>
    moveText(tx.dialect, given),
  );
  const [row] = yield* sql<CursorRow>(
    tx,
    text,
    tx.workspaceId,
    log.log_id,
    name,
    sequence ?? 0,
    body ?? null,
  );
  if (row === undefined) throw new Error("The database returned no cursor.");
  return toCursor(row);
}

function moveText(
  { nowMs, onConflict, proposed, returning }: Dialect,
  given: { readonly sequence: boolean; readonly data: boolean },
): string {
  const newSequence = proposed("sequence");
  const moves = given.sequence ? `${newSequence} >= cursors.sequence` : "true";
  const changes = given.sequence && !given.data ? `${newSequence} > cursors.sequence` : moves;
  const assignments = `updated_at = case when ${changes} then ${proposed("updated_at")} else cursors.updated_at end,
       data = ${given.data ? `case when ${moves} then ${proposed("data")} else cursors.data end` : "cursors.data"},
       sequence = ${
         given.sequence
           ? `case when ${newSequence} > cursors.sequence then ${newSequence} else cursors.sequence end`
           : "cursors.sequence"
       }`;
  return `insert into cursors (workspace_id, log_id, name, sequence, data, updated_at)
     values (?, ?, ?, ?, ?, ${nowMs})
     ${onConflict("workspace_id, log_id, name", assignments)}
     ${returning("log_id, name, sequence, data, updated_at")}`;
}

/** `null` removes the data. */
function dataText(data: unknown): string | null {
  if (data === null) return null;
  const text = textOfJson("data of a cursor", data);
  const sizeBytes = Buffer.byteLength(text);
  if (sizeBytes > LIMITS.cursorDataBytes)
    throw tooLarge("bytes of a cursor's data", LIMITS.cursorDataBytes, sizeBytes);
  return text;
}

export function* getCursor(scope: Scope, logId: string, name: string): Work<Cursor | null> {
  assertName("name of a cursor", name);
  assertName("logId", logId);
  const log = yield* findLog(scope, logId, "read");
  if (log !== undefined && (log.deleted_at !== null || isExpired(log))) {
    if (log.deleted_at !== null || (yield* hasForks(scope, log.log_key))) throw logGone(logId);
    return null;
  }
  const text = `select log_id, name, sequence, data, updated_at from cursors
    where workspace_id = ? and log_id = ? and name = ?`;
  const [row] = yield* sql<CursorRow>(scope, text, scope.workspaceId, logId, name);
  return row === undefined ? null : toCursor(row);
}

export interface ListCursors extends PageRequest {
  readonly logId?: string;
  readonly name?: string;
}

export function* listCursors(scope: Scope, options: ListCursors): Work<Page<Cursor>> {
  const [clock] = yield* sql<{ readonly now: number }>(scope, `select ${scope.dialect.nowMs} as now`);
  let rows = scope.db
    .selectFrom("cursors")
    .select(["log_id", "name", "sequence", "data", "updated_at"])
    .where("workspace_id", "=", scope.workspaceId)
    .where((e) =>
      e.not(
        e.exists(
          e
            .selectFrom("logs")
            .select("log_key")
            .where("logs.workspace_id", "=", scope.workspaceId)
            .whereRef("logs.log_id", "=", "cursors.log_id")
            .where("expires_at", "<=", clock?.now ?? 0),
        ),
      ),
    );
  for (const filter of ["logId", "name"] as const) {
    if (options[filter] !== undefined) assertText(filter, options[filter]);
  }
  if (options.logId !== undefined) rows = rows.where("log_id", "=", options.logId);
  if (options.name !== undefined) rows = rows.where("name", "=", options.name);
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const from =
        after === undefined
          ? rows
          : rows.where((e) =>
              e.or([
                e("log_id", ">", String(after[0])),
                e.and([e("log_id", "=", String(after[0])), e("name", ">", String(after[1]))]),
              ]),
            );
      return query<CursorRow>(from.orderBy("log_id").orderBy("name").limit(limit));
    },
    keyOf: (row) => [row.log_id, row.name],
    toItem: toCursor,
    rowsAtOnce: scope.dialect.stretch.rows,
  });
}

export function* resetCursor(
  tx: Transaction,
  logId: string,
  name: string,
  sequence: number | undefined,
): Work<void> {
  assertName("name of a cursor", name);
  assertName("logId", logId);
  // A reset without a sequence also deletes the cursor of a log that does not exist yet.
  const log = yield* sequence === undefined ? findLog(tx, logId, "change") : openLog(tx, logId, "change");
  const text = "delete from cursors where workspace_id = ? and log_id = ? and name = ?";
  yield* sql(tx, text, tx.workspaceId, logId, name);
  if (sequence !== undefined && log !== undefined) yield* moveCursor(tx, log, { name, sequence });
}

function toCursor(row: CursorRow): Cursor {
  return {
    logId: row.log_id,
    name: row.name,
    sequence: row.sequence,
    data: jsonOf(row.data),
    updatedAt: isoOf(row.updated_at),
  };
}
