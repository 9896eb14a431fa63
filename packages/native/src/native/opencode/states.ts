/**
 * A short value for each session of a database, which changes whenever a record of the session changes: a write to one
 * session does not make the others stale. opencode sets no `time_updated` when it writes a part again, so the value is
 * a sum over the bytes of all rows: of the session and its workspace, of its messages and parts, and of the sessions
 * that it started. The order of the rows in the file does not count.
 *
 * The sums of all sessions are read in one pass, with about 3 s of the processor for 1 GB, and only after a write.
 */

import { hash } from "node:crypto";
import { isFailure } from "@continuo/core/model";
import { quotedName, textField } from "@continuo/files";
import { MAX_RECORD_BYTES } from "@continuo/files/records";
import type { FoundSession, SkimMemo } from "../kit/index.ts";
import { type Database, openDatabase } from "./database.ts";
import { numberField } from "./records.ts";
import { readSchema, type Schema, sessionTables } from "./schema.ts";

/**
 * Returns the values by the locations of the sessions. A session that is not in a database has none, and neither has
 * one whose records do not contain everything that is shown of it.
 */
export async function sessionStates(
  found: readonly FoundSession[],
  memo: SkimMemo,
): Promise<ReadonlyMap<string, string>> {
  const states = new Map<string, string>();
  const byDatabase = Map.groupBy(found, ({ files }) => files[0]?.path ?? "");
  for (const [path, sessions] of byDatabase) {
    const files = sessions[0]?.files ?? [];
    const isDatabase = sessions.every(({ location }) => location !== path);
    const known = isDatabase
      ? await memo.remember(files, { what: "states" }, async () => await readStates(path))
      : undefined;
    for (const { location, sessionId, parentId, problems } of sessions) {
      const state = known?.[sessionId];
      if (state !== undefined) states.set(location, JSON.stringify([state, parentId, problems]));
    }
  }
  return states;
}

/** `undefined` for a database that is damaged, or that opencode writes to at every try. */
async function readStates(path: string): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const database = await openDatabase(path);
    try {
      for (let tries = 0; tries < 2 && !database.isSalvaged; tries++) {
        const states = readAtOnce(database);
        if (!database.refresh()) return states;
      }
      return undefined;
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isFailure(error)) throw error;
    return undefined;
  }
}

function readAtOnce(database: Database): Readonly<Record<string, string>> {
  const end = database.begin();
  try {
    const schema = readSchema(database);
    const sums = sumRows(database, schema);
    return Object.fromEntries(
      [...sums.own].flatMap(([id, sum]) => {
        if (!sums.dated.has(id)) return [];
        const started = [...(sums.children.get(id) ?? [])].map((child) => [
          child,
          toText(sums.own.get(child)),
        ]);
        return [[id, `${sums.tables} ${toText(sum)} ${digestOf(JSON.stringify(started.sort()))}`]];
      }),
    );
  } finally {
    end();
  }
}

interface Sum {
  rows: number;
  high: number;
  low: number;
}

interface Sums {
  /** Returns a digest of the tables and their columns. */
  readonly tables: string;
  readonly own: ReadonlyMap<string, Sum>;
  readonly children: ReadonlyMap<string, ReadonlySet<string>>;
  /** The sessions with a recorded time of change; for others the time of the file is shown. */
  readonly dated: ReadonlySet<string>;
}

function sumRows(database: Database, schema: Schema): Sums {
  const own = new Map<string, Sum>();
  const children = new Map<string, Set<string>>();
  const dated = new Set<string>();
  const add: AddRow = (id, row) => {
    const sum = own.get(id) ?? { rows: 0, high: 0, low: 0 };
    const digest = hash("sha256", row, "buffer");
    sum.rows += 1;
    sum.high = (sum.high + digest.readUIntBE(0, HALF_BYTES)) % HALF;
    sum.low = (sum.low + digest.readUIntBE(HALF_BYTES, HALF_BYTES)) % HALF;
    own.set(id, sum);
  };
  for (const table of sessionTables(schema)) {
    for (const row of database.few(`select * from ${table}`)) {
      const [id, parentId] = [textField(row, "id"), textField(row, "parent_id")];
      if (id === null) continue;
      add(id, `${table} ${JSON.stringify(row)} ${branchOf(database, schema, row.workspace_id)}`);
      if (Number.isFinite(numberField(row, "time_updated"))) dated.add(id);
      if (parentId !== null) children.set(parentId, (children.get(parentId) ?? new Set()).add(id));
    }
  }
  addContent(database, schema, add);
  return {
    tables: digestOf(JSON.stringify(database.few("select sql from sqlite_schema"))),
    own,
    children,
    dated,
  };
}

type AddRow = (sessionId: string, row: string) => void;

/** A part belongs to the session of its message, and to the session that it names. */
function addContent(database: Database, schema: Schema, add: AddRow): void {
  const sessionOf = new Map<unknown, unknown>();
  const addRows = (table: string, columns: readonly string[], owner: "id" | "message_id"): void => {
    const session = columns.includes("session_id") ? "session_id" : "null";
    const sql = `select ${owner}, ${session}, ${rowText(columns)} from ${table}`;
    for (const [key, named, row] of database.each({ sql, values: [], map: (values) => values })) {
      if (table === "message") sessionOf.set(key, named);
      const other = table === "part" ? sessionOf.get(key) : named;
      if (typeof row !== "string") continue;
      if (typeof named === "string") add(named, row);
      if (typeof other === "string" && other !== named) add(other, row);
    }
  };
  if (schema.generations.has("first")) {
    addRows("message", schema.message, "id");
    addRows("part", schema.part, "message_id");
  }
  if (schema.generations.has("second")) addRows("session_message", schema.sessionMessage, "id");
}

/** Returns all values of a row as one text, without data that is too large for the reader. */
function rowText(columns: readonly string[]): string {
  const others = columns
    .filter((column) => column !== "data")
    .map((column) => `quote(${quotedName(column)})`);
  const data = `case when octet_length(data) <= ${MAX_RECORD_BYTES} then coalesce(data, '') else octet_length(data) end`;
  return [...others, "typeof(data)", data].join(" || ' ' || ");
}

function branchOf(database: Database, schema: Schema, workspace: unknown): string {
  if (typeof workspace !== "string" || !schema.workspace.includes("branch")) return "";
  return JSON.stringify(database.few("select branch from workspace where id = ?", workspace));
}

function digestOf(text: string): string {
  return hash("sha256", text, "base64url").slice(0, 16);
}

function toText(sum: Sum | undefined): string {
  return sum === undefined ? "" : `${sum.rows} ${sum.high.toString(36)} ${sum.low.toString(36)}`;
}

const HALF_BYTES = 6;
const HALF = 2 ** (8 * HALF_BYTES);
