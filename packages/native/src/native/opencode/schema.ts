/**
 * The tables of opencode's two generations of sessions, and the choice of the generation that counts for a session.
 *
 * The first keeps a session in `session`, `message` and `part`. The second keeps it in `session_message`, one row for
 * each message, with a row of `session_v2` (2.0, which copies each session of the first once and keeps the original) or
 * of `session` (1.18). Only existing columns and tables are queried.
 */

import { ContinuoError } from "@continuo/core/model";
import { type Json, textField } from "@continuo/files";
import type { Database } from "./database.ts";
import { numberField } from "./records.ts";

export interface Schema {
  readonly session: readonly string[];
  readonly message: readonly string[];
  readonly part: readonly string[];
  readonly sessionV2: readonly string[];
  readonly sessionMessage: readonly string[];
  readonly workspace: readonly string[];
  /** The generations whose tables can be read; at least one. */
  readonly generations: ReadonlySet<Generation>;
}

export type Generation = "first" | "second";

/** The columns without which the rows of each table cannot be distinguished. */
const NEEDED = {
  session: ["id"],
  message: ["id", "session_id", "data"],
  part: ["id", "message_id", "data"],
  sessionV2: ["id"],
  sessionMessage: ["id", "session_id", "type", "seq", "data"],
} as const;

/** Errors: `unreadable` if the database is not opencode's, or is of a version that is not known here. */
export function readSchema(database: Database): Schema {
  const columns = {
    session: database.columnsOf("session"),
    message: database.columnsOf("message"),
    part: database.columnsOf("part"),
    sessionV2: database.columnsOf("session_v2"),
    sessionMessage: database.columnsOf("session_message"),
    workspace: database.columnsOf("workspace"),
  };
  const has = (table: keyof typeof NEEDED): boolean =>
    NEEDED[table].every((column) => columns[table].includes(column));
  const isFirstWhole = has("session") && has("message") && has("part");
  const isSecondWhole = has("sessionMessage") && (has("sessionV2") || isFirstWhole);
  if (!isFirstWhole && !isSecondWhole) throw unknownSchema(database, columns);
  const generations = new Set<Generation>();
  if (isFirstWhole) generations.add("first");
  if (isSecondWhole) generations.add("second");
  return { ...columns, generations };
}

function unknownSchema(
  { path }: Database,
  columns: Readonly<Record<keyof typeof NEEDED, readonly string[]>>,
): ContinuoError {
  const tables = ["session", "message", "part"] as const;
  const [broken = "session"] = tables.filter((table) =>
    NEEDED[table].some((column) => !columns[table].includes(column)),
  );
  const missing = NEEDED[broken].filter((column) => !columns[broken].includes(column));
  const what =
    columns[broken].length === 0 ? "there is no such table" : `it has no column ${missing.join(", ")}`;
  return new ContinuoError("unreadable", `${path}: cannot find sessions in table ${broken}: ${what}`, {
    hint: "Update Continuo: a newer opencode may store its sessions elsewhere.",
  });
}

/** The tables in which sessions have their own row. */
export function sessionTables({ generations, sessionV2 }: Schema): ("session" | "session_v2")[] {
  return [
    ...(generations.has("first") ? (["session"] as const) : []),
    ...(generations.has("second") && sessionV2.includes("id") ? (["session_v2"] as const) : []),
  ];
}

/** The columns that finding and sorting need; others can hold the changes of a whole session. */
const LISTED = [
  ...["id", "parent_id", "project_id", "directory", "path", "title"],
  ...["time_created", "time_updated", "time_archived"],
];

/**
 * Returns each session of a database once: of two rows, the row of the generation that last continued the session. A row
 * has only the columns that are needed of all sessions.
 */
export function readSessions(database: Database, schema: Schema): Json[] {
  const [table = "session", ...others] = sessionTables(schema);
  const rowsOf = (from: "session" | "session_v2"): Json[] => {
    const columns = from === "session" ? schema.session : schema.sessionV2;
    return database.few(`select ${LISTED.filter((one) => columns.includes(one)).join(", ")} from ${from}`);
  };
  const rows = rowsOf(table);
  if (others.length === 0) return rows;
  const continuedInFirst = new Set(
    database
      .few(
        "select session.id from session join session_v2 on session_v2.id = session.id " +
          `where ${lastIn("message", schema, "session.id")} > ${lastIn("session_message", schema, "session.id")}`,
      )
      .map(({ id }) => id),
  );
  const copies = rowsOf("session_v2");
  const copied = new Map(copies.map((row) => [row.id, row]));
  const merged = rows.map((row) => (continuedInFirst.has(row.id) ? row : (copied.get(row.id) ?? row)));
  const known = new Set(rows.map(({ id }) => id));
  return [...merged, ...copies.filter(({ id }) => !known.has(id))];
}

/** The row of a session in the generation that counts; `undefined` if it has none. */
export function sessionRow(database: Database, schema: Schema, id: string): Json | undefined {
  const tables = sessionTables(schema);
  const isFirst = tables.length > 1 && generationOf(database, schema, id) === "first";
  for (const table of isFirst ? tables : tables.toReversed()) {
    const [row] = database.few(`select * from ${table} where id = ?`, id);
    if (row !== undefined) return row;
  }
  return undefined;
}

/**
 * Returns the generation that counts for a session. opencode 2 lists a session that it copied, and 1.18 may continue
 * the original. The one that has the newest message counts; the copy counts if they are equal. Without a copy, 1.18
 * itself shows the first generation; its second has the sessions that were only used in its newer interface.
 */
export function generationOf(database: Database, schema: Schema, id: string): Generation {
  if (!schema.generations.has("second")) return "first";
  if (!schema.generations.has("first")) return "second";
  const [last] = database.few(
    `select ${lastIn("message", schema, "?1")} as first, ${lastIn("session_message", schema, "?1")} as second`,
    id,
  );
  const first = numberField(last ?? {}, "first");
  const second = numberField(last ?? {}, "second");
  const isCopied = schema.sessionV2.includes("id") && hasRow(database, "session_v2", id);
  if (isCopied) return first > second ? "first" : "second";
  return first >= 0 || second < 0 ? "first" : "second";
}

/** The time of the last message, -1 where there is none. */
function lastIn(table: "message" | "session_message", schema: Schema, session: string): string {
  const columns = table === "message" ? schema.message : schema.sessionMessage;
  const time = columns.includes("time_created") ? "time_created" : "0";
  return `coalesce((select max(${time}) from ${table} where ${table}.session_id = ${session}), -1)`;
}

function hasRow(database: Database, table: "session" | "session_v2", id: string): boolean {
  return database.few(`select 1 from ${table} where id = ?`, id).length > 0;
}

/**
 * Returns, as sentences, how the generation that does not count differs from the other. An import leaves out messages
 * that said nothing, so only messages after the last common message count.
 */
export function differencesOf(database: Database, schema: Schema, id: string, counts: Generation): string[] {
  if (schema.generations.size < 2) return [];
  const isFirst = counts === "first";
  const [own, other] = isFirst ? ["message", "session_message"] : ["session_message", "message"];
  const time = (isFirst ? schema.sessionMessage : schema.message).includes("time_created")
    ? "time_created"
    : "0";
  const said = isFirst ? "and type in ('user', 'assistant')" : "";
  const [row] = database.few(
    `select count(*) as rows from ${other} where session_id = ?1 ${said} and ${time} > coalesce((select max(${time}) ` +
      `from ${other} as both where session_id = ?1 and exists (select 1 from ${own} where ${own}.id = both.id)), -1)`,
    id,
  );
  const rows = numberField(row ?? {}, "rows");
  const differences = rows > 0 ? [`${rows} later messages are only in table ${other}`] : [];
  const titles = sessionTables(schema).map((table) =>
    textField(database.few(`select title from ${table} where id = ?`, id)[0] ?? {}, "title"),
  );
  const [title, copy] = titles;
  if (titles.length === 2 && title && copy && title !== copy) {
    differences.push("tables session and session_v2 have different titles");
  }
  return differences;
}
