/**
 * Writes rows into opencode's database, all rows of an addition in one transaction with `synchronous=FULL`, and reads
 * them back from another connection. opencode may have the database open in the meantime.
 */

import { existsSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { ContinuoError } from "@continuo/core/model";
import {
  canonicalFolder,
  isFolder,
  isJson,
  isWriteFailure,
  type Json,
  type Places,
  textField,
  writeFailure,
} from "@continuo/files";

import type { RecordSink, SinkOptions } from "../writing/index.ts";
import { readDefaultModel } from "./default-model.ts";
import type { OpencodeProject } from "./project.ts";
import { secondGeneration } from "./refusals.ts";

const BUSY_TIMEOUT_MS = 10_000;

type Table = "session" | "message" | "part";

/** `data` is JSON and is stored as text; a text is stored as it is. */
export function insertRow(table: Table, values: Json): Json {
  return { insert: table, values };
}

export function updateRow(table: Table, id: string, values: Json): Json {
  return { update: table, id, values };
}

export async function openRowSink(path: string, sessionId: string, places: Places): Promise<RecordSink> {
  const { DatabaseSync: Sqlite } = await import("node:sqlite");
  let connection: DatabaseSync | null = null;
  const database = (): DatabaseSync => {
    connection ??= connect(Sqlite, path);
    return connection;
  };
  const write = (records: readonly Json[], { after = null, before }: SinkOptions = {}): void => {
    guarded(path, () => {
      const db = database();
      let written: readonly FinalRow[] = [];
      db.exec("begin immediate");
      try {
        if (after !== null && markOf(db, sessionId) !== after) throw changed(sessionId);
        written = finalRows(inBothGenerations(db, records));
        if (before !== undefined || records.some((record) => record.update !== "session")) {
          refuseSecond(db, sessionId);
        }
        before?.(db);
        const statement = statementsOf(db);
        for (const row of written) writeRow(statement, row);
        db.exec("commit");
      } finally {
        if (db.isTransaction) db.exec("rollback");
      }
      const reader = new Sqlite(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
      try {
        const statement = statementsOf(reader);
        for (const row of written) assertRow(statement, row, path);
      } finally {
        reader.close();
      }
    });
  };
  return {
    mark: () => (existsSync(path) ? guarded(path, () => markOf(database(), sessionId)) : null),
    append(records, options) {
      write(
        guarded(path, () => withModels(database(), records, { sessionId, places })),
        options,
      );
    },
    create(records) {
      if (!existsSync(path)) {
        throw new ContinuoError("unsupported", `there is no database ${path}`, {
          hint: "Start opencode once to create the database.",
        });
      }
      guarded(path, () => refuseNewerDatabase(database(), path));
      write(
        guarded(path, () =>
          withModels(database(), completed(database(), [...records]), { sessionId, places }),
        ),
      );
    },
    close() {
      connection?.close();
      connection = null;
    },
  };
}

function changed(sessionId: string): ContinuoError {
  return new ContinuoError(
    "conflict",
    `cannot append to ${sessionId}: opencode wrote to it in the meantime`,
    {
      hint: "Try again.",
      details: { isWritten: false },
    },
  );
}

function connect(Sqlite: typeof DatabaseSync, path: string): DatabaseSync {
  if (!existsSync(path)) throw new ContinuoError("not_found", `there is no database ${path}`);
  const database = new Sqlite(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec("pragma synchronous = full; pragma trusted_schema = off");
  return database;
}

function markOf(database: DatabaseSync, sessionId: string): string | null {
  const sessions = ["session", "session_v2"];
  if (!sessions.some((table) => hasSessionRow(database, table, sessionId))) return null;
  const counts = ["message", "part", "session_message"].map((table) => {
    if (!hasTable(database, table)) return "";
    const count = "count(*) || ' ' || coalesce(max(time_updated), 0)";
    return database.prepare(`select ${count} as rows from ${table} where session_id = ?`).get(sessionId)
      ?.rows;
  });
  return counts.join(" ");
}

function hasTable(database: DatabaseSync, table: string): boolean {
  return (
    database.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(table) !== undefined
  );
}

function hasSessionRow(database: DatabaseSync, table: string, id: string): boolean {
  return (
    hasTable(database, table) && database.prepare(`select 1 from ${table} where id = ?`).get(id) !== undefined
  );
}

/** Makes a change of a session's own row, such as its title, in the tables of both generations. */
function inBothGenerations(database: DatabaseSync, records: readonly Json[]): readonly Json[] {
  const known = new Map<string, readonly string[]>();
  const tablesOf = (id: string): readonly string[] => {
    const tables =
      known.get(id) ?? ["session", "session_v2"].filter((table) => hasSessionRow(database, table, id));
    known.set(id, tables);
    return tables;
  };
  return records.flatMap((record): readonly Json[] => {
    if (record.update !== "session") return [record];
    const tables = tablesOf(String(record.id));
    return tables.length === 0 ? [record] : tables.map((update) => ({ ...record, update }));
  });
}

/**
 * Errors: `unsupported` for a session in the tables of opencode's second generation, even if those of the first have it
 * too.
 */
function refuseSecond(database: DatabaseSync, sessionId: string): void {
  const hasMessages =
    hasTable(database, "session_message") &&
    database.prepare("select 1 from session_message where session_id = ?").get(sessionId) !== undefined;
  if (hasMessages || hasSessionRow(database, "session_v2", sessionId)) {
    throw secondGeneration(`change session ${sessionId}`);
  }
}

/** Errors: `unsupported` if opencode 2 used the database last: it would not show a session in the old tables. */
function refuseNewerDatabase(database: DatabaseSync, path: string): void {
  if (!hasTable(database, "session_v2")) return;
  const lastIn = (table: string): number =>
    hasTable(database, table)
      ? Number(database.prepare(`select coalesce(max(time_updated), 0) as at from ${table}`).get()?.at)
      : 0;
  if (hasTable(database, "session") && lastIn("session") > lastIn("session_v2")) return;
  throw new ContinuoError("unsupported", `cannot write a session into ${path}: opencode 2 used it last`, {
    hint: "Choose another agent, or send one message in opencode 1 first.",
  });
}

type Statements = (sql: string) => StatementSync;

/** Each statement is prepared once for all rows with the same columns. */
function statementsOf(database: DatabaseSync): Statements {
  const known = new Map<string, StatementSync>();
  return (sql) => {
    const statement = known.get(sql) ?? database.prepare(sql);
    known.set(sql, statement);
    return statement;
  };
}

function writeRow(statement: Statements, { how, table, id, values }: FinalRow): void {
  const columns = Object.keys(values);
  if (how === "insert") {
    const places = columns.map(() => "?").join(", ");
    const insert = `insert into "${table}" (${columns.join(", ")}) values (${places})`;
    statement(insert).run(...Object.values(values));
    return;
  }
  const set = columns.map((column) => `${column} = ?`).join(", ");
  const { changes } = statement(`update "${table}" set ${set} where id = ?`).run(
    ...Object.values(values),
    id,
  );
  if (changes !== 1) throw new ContinuoError("conflict", `the row ${id} no longer exists`);
}

/**
 * Adds the project of a new session, and its path in the project: opencode's terminal leaves out a session with another
 * path.
 */
function completed(database: DatabaseSync, records: readonly Json[]): readonly Json[] {
  return records.map((record) => {
    if (record.insert !== "session") return record;
    const values = isJson(record.values) ? record.values : {};
    const directory = String(values.directory);
    const { id, worktree } = projectFor(database, directory);
    return {
      ...record,
      values: { ...values, project_id: id, path: relative(worktree, canonicalFolder(directory)) },
    };
  });
}

/**
 * A message that names no model gets the model that the session used last, else the last one that the new messages
 * name, else the one that any session used last, else opencode's own choice. Errors: `unsupported` if nothing names
 * one.
 */
function withModels(
  database: DatabaseSync,
  records: readonly Json[],
  { sessionId, places }: { readonly sessionId: string; readonly places: Places },
): readonly Json[] {
  const infos = records.map((record) => (record.insert === "message" ? dataOf(record) : null));
  if (infos.every((info) => info === null || namesModel(info))) return records;
  const model =
    modelUsedLast(database, sessionId) ??
    infos.map((info) => info?.model).findLast(isJson) ??
    modelUsedLast(database, null) ??
    readDefaultModel(places, directoryIn(database, records, sessionId));
  if (model === null) throw modelError();
  return records.map((record, at) => {
    const info = infos[at] ?? null;
    if (info === null || namesModel(info)) return record;
    return { ...record, values: { ...(record.values as Json), data: withModel(info, model) } };
  });
}

function namesModel({ role, model, providerID, modelID }: Json): boolean {
  return role === "user" ? isJson(model) : typeof providerID === "string" && typeof modelID === "string";
}

function dataOf({ values }: Json): Json | null {
  return isJson(values) && isJson(values.data) ? values.data : null;
}

function directoryIn(database: DatabaseSync, records: readonly Json[], sessionId: string): string {
  const own = records.find(({ insert }) => insert === "session")?.values;
  const row = database.prepare("select directory from session where id = ?").get(sessionId);
  return String((isJson(own) ? own.directory : row?.directory) ?? "/");
}

/** opencode hides a session with a prompt that names no model, and cannot continue one with an unknown model. */
function modelError(): ContinuoError {
  return new ContinuoError("unsupported", "cannot tell which model opencode would use", {
    hint: 'Send one message in opencode, or set "model" in its opencode.json.',
  });
}

export function withModel(info: Json, model: Json): Json {
  if (info.role === "user") return isJson(info.model) ? info : { ...info, model };
  return { ...model, ...info };
}

/** For sessions that are only read. */
export const UNKNOWN_MODEL: Json = { providerID: "continuo", modelID: "unknown" };

/**
 * Returns the known project of the folder, else the shared project. Only opencode makes the project of a new
 * repository: it then takes over the shared project's sessions of the repository's own folder (1.18.33), and no others.
 * Errors: `unsupported` for the other folders of such a repository, or if there is no shared project.
 */
function projectFor(database: DatabaseSync, directory: string): Pick<OpencodeProject, "id" | "worktree"> {
  const folder = canonicalFolder(directory);
  const projects = database.prepare("select id, worktree from project").all();
  const holds = (worktree: string): boolean =>
    folder === worktree || (worktree !== "/" && folder.startsWith(worktree + sep));
  const known = projects
    .filter((row) => holds(String(row.worktree)))
    .sort((a, b) => String(b.worktree).length - String(a.worktree).length)[0];
  const shared = projects.find((row) => row.id === "global");
  const project = known ?? (isInRepository(folder) && !isRepository(folder) ? undefined : shared);
  if (project !== undefined) {
    // The shared project has the sessions of this repository until opencode makes a project for it.
    const worktree = known === undefined ? (isRepository(folder) ? folder : "/") : String(known.worktree);
    return { id: String(project.id), worktree };
  }
  throw new ContinuoError("unsupported", `opencode does not know the folder ${folder} yet`, {
    hint: "Start opencode once in that folder.",
  });
}

/** In a linked worktree, `.git` is a file, and the worktree belongs to another folder's project. */
function isRepository(folder: string): boolean {
  return isFolder(join(folder, ".git"));
}

function isInRepository(folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return true;
    if (at === dirname(at)) return false;
  }
}

/** @param sessionId `null` for all sessions. */
function modelUsedLast(database: DatabaseSync, sessionId: string | null): Json | null {
  const row = database
    .prepare(
      "select json_extract(data, '$.model') as model from message where iif(json_valid(data), " +
        "json_extract(data, '$.role') = 'user' and json_extract(data, '$.model.modelID') is not null, 0) " +
        "and ($id is null or session_id = $id) order by time_created desc limit 1",
    )
    .get({ id: sessionId });
  const model: unknown = typeof row?.model === "string" ? JSON.parse(row.model) : null;
  if (!isJson(model) || textField(model, "providerID") === null) return null;
  return { providerID: model.providerID, modelID: model.modelID };
}

interface FinalRow {
  readonly how: "insert" | "update";
  readonly table: string;
  readonly id: string;
  readonly values: Readonly<Record<string, SQLInputValue>>;
}

/**
 * Returns one entry for each row, in the order in which the rows begin: an addition may insert a row and change it
 * several times.
 */
function finalRows(records: readonly Json[]): FinalRow[] {
  const rows = new Map<string, Omit<FinalRow, "values"> & { readonly values: Json }>();
  for (const { insert, update, id: changed, values } of records) {
    const of = isJson(values) ? values : {};
    const [table, id] = [String(insert ?? update), String(changed ?? of.id)];
    const key = `${table} ${id}`;
    const before = rows.get(key);
    const how = before?.how ?? (typeof insert === "string" ? "insert" : "update");
    rows.set(key, { how, table, id, values: { ...before?.values, ...of } });
  }
  return [...rows.values()].map((row) => ({ ...row, values: toValues(row.values) }));
}

function assertRow(statement: Statements, { table, id, values }: FinalRow, path: string): void {
  const row = statement(`select * from "${table}" where id = ?`).get(id);
  const isThere = Object.entries(values).every(([column, value]) => row?.[column] === value);
  if (!isThere)
    throw new ContinuoError(
      "unwritable",
      `verification failed: ${path} does not contain the row ${id} as it was written`,
    );
}

function toValues(values: Json): Record<string, SQLInputValue> {
  return Object.fromEntries(
    Object.entries(values).map(([column, value]) => [
      column,
      isJson(value) ? JSON.stringify(value) : (value as SQLInputValue),
    ]),
  );
}

function guarded<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (!isWriteFailure(cause)) throw cause;
    throw writeFailure(`cannot write ${path}`, cause, "Try again; nothing was added to the session.");
  }
}
