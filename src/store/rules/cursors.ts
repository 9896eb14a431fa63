/** Cursors: how far a named reader got. They move forward only. */

import type { Cursor, Page } from "../../model/index.ts";
import { query, type Scope, sql, type Transaction, type Work } from "../engine/index.ts";
import { type LogRow, openLog } from "./log-rows.ts";
import { type PageRequest, pageOf } from "./pages.ts";
import { assertName, assertSequence, isoOf, outOfRange } from "./refusals.ts";

interface CursorRow {
  readonly log_id: string;
  readonly name: string;
  readonly sequence: number;
  readonly updated_at: number;
}

export function* commitCursor(tx: Transaction, logId: string, name: string, sequence: number): Work<Cursor> {
  return yield* moveCursor(tx, yield* openLog(tx, logId, "change"), { name, sequence });
}

export function* moveCursor(
  tx: Transaction,
  log: LogRow,
  { name, sequence }: { readonly name: string; readonly sequence: number },
): Work<Cursor> {
  assertName("name of a cursor", name);
  assertSequence("sequence of a cursor", sequence);
  if (sequence > log.head_sequence) throw outOfRange(log.log_id, sequence, log.head_sequence);
  const [row] = yield* sql<CursorRow>(
    tx,
    `insert into cursors (log_key, name, sequence, updated_at) values (?, ?, ?, ?)
     on conflict (log_key, name) do update set
       updated_at = case when excluded.sequence > cursors.sequence then excluded.updated_at
                         else cursors.updated_at end,
       sequence = case when excluded.sequence > cursors.sequence then excluded.sequence
                       else cursors.sequence end
     returning name, sequence, updated_at`,
    log.log_key,
    name,
    sequence,
    log.now,
  );
  return toCursor({ name, sequence, updated_at: log.now, ...row, log_id: log.log_id });
}

export function* getCursor(scope: Scope, logId: string, name: string): Work<Cursor | null> {
  assertName("name of a cursor", name);
  const log = yield* openLog(scope, logId, "read");
  const text = "select name, sequence, updated_at from cursors where log_key = ? and name = ?";
  const [row] = yield* sql<CursorRow>(scope, text, log.log_key, name);
  return row === undefined ? null : toCursor({ ...row, log_id: logId });
}

export interface ListCursors extends PageRequest {
  readonly logId?: string;
  readonly name?: string;
}

export function* listCursors(scope: Scope, options: ListCursors): Work<Page<Cursor>> {
  let rows = scope.db
    .selectFrom("cursors")
    .innerJoin("logs", "logs.log_key", "cursors.log_key")
    .select([
      "log_id",
      "cursors.name as name",
      "cursors.sequence as sequence",
      "cursors.updated_at as updated_at",
    ])
    .where("workspace_id", "=", scope.workspaceId)
    .where("deleted_at", "is", null);
  if (options.logId !== undefined) rows = rows.where("log_id", "=", options.logId);
  if (options.name !== undefined) rows = rows.where("cursors.name", "=", options.name);
  return yield* pageOf(options, {
    fetch: (after, limit) => {
      const from =
        after === undefined
          ? rows
          : rows.where((e) =>
              e.or([
                e("log_id", ">", String(after[0])),
                e.and([e("log_id", "=", String(after[0])), e("cursors.name", ">", String(after[1]))]),
              ]),
            );
      return query<CursorRow>(from.orderBy("log_id").orderBy("cursors.name").limit(limit));
    },
    keyOf: (row) => [row.log_id, row.name],
    toItem: toCursor,
  });
}

export function* resetCursor(
  tx: Transaction,
  logId: string,
  name: string,
  sequence: number | undefined,
): Work<void> {
  const log = yield* openLog(tx, logId, "change");
  yield* sql(tx, "delete from cursors where log_key = ? and name = ?", log.log_key, name);
  if (sequence !== undefined) yield* moveCursor(tx, log, { name, sequence });
}

function toCursor(row: CursorRow): Cursor {
  return { logId: row.log_id, name: row.name, sequence: row.sequence, updatedAt: isoOf(row.updated_at) };
}
