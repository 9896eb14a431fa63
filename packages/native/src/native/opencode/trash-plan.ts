/**
 * The parts of a session of opencode: in a database its rows in `session` and `session_v2`, those of the sessions that
 * it started, and every row of any table that names one of them in `session_id` or `aggregate_id` (the columns of
 * 1.18.33 and of tables to come); else its export file. A fork is a copy, and does not read its source.
 */

import { statFile, textField } from "@continuo/files";
import type { FoundSession, TableRows, TrashPlan } from "../kit/index.ts";
import { type Database, openDatabase } from "./database.ts";
import { splitLocation } from "./places.ts";

const SESSION_TABLES: readonly string[] = ["session", "session_v2"];
/** The columns by which tables of opencode name a session. */
const OWNER_COLUMNS = ["session_id", "aggregate_id"] as const;

export async function trashPlan({ location, sessionId }: FoundSession): Promise<TrashPlan> {
  if (statFile(location) !== null) return { type: "files", paths: [location], indexLines: [], forks: [] };
  const database = await openDatabase(splitLocation(location).path);
  try {
    const ids = withStarted(database, sessionId);
    const names = database
      .few("select name from sqlite_schema where type = 'table' and name not like 'sqlite\\_%' escape '\\'")
      .map((row) => String(row.name));
    const tables = names.flatMap((name) => rowsOf(database, name, ids));
    const strays = strayParts(database, ids);
    if (strays.length > 0) tables.push({ name: "part", column: "id", values: strays });
    const sessions = SESSION_TABLES.filter((name) => names.includes(name)).map((name) => ({
      name,
      column: "id",
      values: ids,
    }));
    return {
      type: "rows",
      database: database.path,
      tables: [...inOrder(database, tables), ...sessions],
      forks: [],
    };
  } finally {
    database.close();
  }
}

/** The session, and all that were started from it. */
function withStarted(database: Database, sessionId: string): readonly string[] {
  const ids = new Set([sessionId]);
  const tables = SESSION_TABLES.filter((table) => database.columnsOf(table).includes("parent_id"));
  for (const id of ids) {
    for (const table of tables) {
      for (const row of database.few(`select id from ${table} where parent_id = ?`, id)) {
        const child = textField(row, "id");
        if (child !== null) ids.add(child);
      }
    }
  }
  return [...ids];
}

function rowsOf(database: Database, table: string, ids: readonly string[]): TableRows[] {
  if (SESSION_TABLES.includes(table)) return [];
  const columns = database.columnsOf(table);
  const column = OWNER_COLUMNS.find((name) => columns.includes(name));
  return column === undefined ? [] : [{ name: table, column, values: ids }];
}

/** Parts of these sessions' messages that claim to be another session's: they go when their message goes. */
function strayParts(database: Database, ids: readonly string[]): string[] {
  if (!database.columnsOf("part").includes("message_id")) return [];
  if (!database.columnsOf("part").includes("session_id")) return partsOfMessages(database, ids);
  const marks = ids.map(() => "?").join(", ");
  const messages = `select id from message where session_id in (${marks})`;
  return idsOf(
    database.few(
      `select id from part where message_id in (${messages}) and session_id not in (${marks})`,
      ...ids,
      ...ids,
    ),
  );
}

function partsOfMessages(database: Database, ids: readonly string[]): string[] {
  const marks = ids.map(() => "?").join(", ");
  const messages = `select id from message where session_id in (${marks})`;
  return idsOf(database.few(`select id from part where message_id in (${messages})`, ...ids));
}

function idsOf(rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  return rows.map((row) => String(row.id));
}

/** A row that refers to another table comes before the rows of that table. */
function inOrder(database: Database, tables: readonly TableRows[]): TableRows[] {
  const parents = new Map(
    tables.map(({ name }) => [
      name,
      database.few('select "table" as parent from pragma_foreign_key_list(?)', name).map((row) => row.parent),
    ]),
  );
  const ordered: TableRows[] = [];
  const add = (table: TableRows, trail: readonly string[]): void => {
    if (ordered.includes(table) || trail.includes(table.name)) return;
    const children = tables.filter((other) => parents.get(other.name)?.includes(table.name));
    for (const child of children) add(child, [...trail, table.name]);
    ordered.push(table);
  };
  for (const table of tables) add(table, []);
  return ordered;
}
