/** The part of the rules that is specific to Postgres. */

import { sql } from "kysely";
import { type Dialect, type EventRow, type Statement, UPSERT } from "../engine/index.ts";

export const EVENT_COLUMNS: string = `log_key, sequence, event_id, type, parent_id, actor, run_id, occurred_at,
  recorded_at, retention, payload, bytes, payload_hash, chain_hash, extras, media_time_ms`;

const READ_COLUMNS = `sequence, event_id, type, parent_id, actor, run_id, occurred_at, recorded_at, retention, body,
  payload_hash, chain_hash, extras`;

/** The type of each column, for arrays of them. */
export const EVENT_TYPES_SQL = [
  "bigint",
  "bigint",
  "text",
  "text",
  "text",
  "text",
  "text",
  "text",
  "text",
  "bigint",
  "text",
  "bytea",
  "text",
  "text",
  "text",
  "bigint",
] as const;

const INSERT_ONE = `insert into events (${EVENT_COLUMNS})
  values (${EVENT_TYPES_SQL.map((_, index) => `$${index + 1}`).join(", ")})`;

const INSERT_MANY = `insert into events (${EVENT_COLUMNS})
  select * from unnest(${EVENT_TYPES_SQL.map((type, index) => `$${index + 1}::${type}[]`).join(", ")})`;

export const NOW = "(extract(epoch from clock_timestamp()) * 1000)::bigint";

/** The number of the running transaction. */
export const MARK = "pg_current_xact_id()::text::bigint";

export const POSTGRES: Dialect = {
  engine: "postgres",
  ...UPSERT,
  // Only the conversion of rows to events keeps this process busy.
  stretch: { rows: 1_024, bytes: 2_097_152, scanned: Number.MAX_SAFE_INTEGER },
  positionIn: "strpos",
  nowMs: NOW,
  leaseMs: NOW,
  wallTime: (leaseMs) => leaseMs,
  forUpdate: " for update",
  forShare: " for share",
  currentMark: MARK,
  expression: (text) => sql.raw(text),
  activityOrder: "logs.changed_mark",
  // All transactions with smaller numbers have ended.
  visibleMark: `select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as mark, ${NOW} as now`,
  placeholders,
  // A value that is stored out of line is measured without being read. The second row is always returned, because a
  // page of one event must show whether there is another.
  bounded: (select, { body, direction, budgetBytes }) => `select ${READ_COLUMNS.replace("body", body)} from (
      select found.*, coalesce(sum(coalesce(octet_length(${body}), 0)) over (
        order by sequence ${direction} rows between unbounded preceding and 1 preceding), 0) as bytes_before,
        row_number() over (order by sequence ${direction}) as position
      from (${select}) as found) as measured
    where bytes_before <= ${Math.max(0, Math.floor(budgetBytes))} or position <= 2 order by sequence ${direction}`,
  joined: (column, separator) => `string_agg(${column}, '${separator}'::bytea order by sequence)`,
  oneOf: (column) => `${column} = any(?)`,
  listOf: (values) => values,
  insertEvents: (rows: readonly EventRow[]): readonly Statement[] => {
    const [first] = rows;
    if (first === undefined) return [];
    if (rows.length === 1) return [{ sql: INSERT_ONE, parameters: first }];
    return [{ sql: INSERT_MANY, parameters: columnsOf(rows) }];
  },
};

/** Turns rows into one array for each column. */
export function columnsOf(rows: readonly EventRow[]): readonly (readonly unknown[])[] {
  return EVENT_TYPES_SQL.map((_, column) => rows.map((row) => row[column]));
}

const TEXTS_KEPT = 1_000;
const texts = new Map<string, string>();

function placeholders(sql: string): string {
  let text = texts.get(sql);
  if (text === undefined) {
    let count = 0;
    text = sql.replace(/\?/g, () => `$${++count}`);
    if (texts.size >= TEXTS_KEPT) texts.clear();
    texts.set(sql, text);
  }
  return text;
}
