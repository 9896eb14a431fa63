/**
 * A session as rows of opencode's database. Only tables and columns that exist are queried, so that the known part of
 * an older or a newer schema can be read.
 */

import { isUtf8 } from "node:buffer";
import {
  exactOf,
  isJson,
  type Json,
  keepExact,
  parseExactly,
  parseJson,
  TooDeepError,
  textField,
} from "@continuo/files";
import { MAX_RECORD_BYTES } from "@continuo/files/records";
import type { Database, Query, SqlValue } from "./database.ts";
import { type NativeRecord, numberField, type RecordDamage } from "./records.ts";
import {
  differencesOf,
  type Generation,
  generationOf,
  readSchema,
  type Schema,
  sessionRow,
  sessionTables,
} from "./schema.ts";
import { contentsOf, SAID_TYPES, SILENT_TYPES, toSecondMessage } from "./second-records.ts";
import type { ChildSession, SessionSource, SourceProblem } from "./source.ts";

export function openRows(database: Database, sessionId: string): SessionSource {
  const schema = readSchema(database);
  const generation = generationOf(database, schema, sessionId);
  const sql = statementsOf(schema, generation);
  const raw = (table: string, id: unknown): Uint8Array | null => {
    const [row] = database.few(`select hex(data) as bytes from ${table} where id = ?`, String(id));
    return typeof row?.bytes === "string" ? Buffer.from(row.bytes, "hex") : null;
  };
  const recordsOf = (kind: "message" | "part", sql: string, ...values: SqlValue[]): Query<NativeRecord> => {
    const columns = schema[kind];
    return { sql, values, map: (row) => toRecord(kind, columns, row, raw) };
  };
  const messagesOf = (sql: string, ...values: SqlValue[]): Query<NativeRecord> =>
    generation === "first" ? recordsOf("message", sql, ...values) : secondOf(sql, ...values);
  const secondOf = (sql: string, ...values: SqlValue[]): Query<NativeRecord> => ({
    sql,
    values,
    map: (row) => toSecondMessage(toRecord("session_message", schema.sessionMessage, row, raw)),
  });
  return {
    inMemory: false,
    session: () => {
      const row = sessionRow(database, schema, sessionId);
      return row === undefined ? null : toSessionRecord(row);
    },
    *messages(order) {
      yield* database.each(messagesOf(order === "oldest" ? sql.messages : sql.messagesBackwards, sessionId));
    },
    message(id) {
      database.refresh();
      return database.all(messagesOf(sql.message, id, sessionId))[0] ?? null;
    },
    parts: (message) => {
      if (message.kind === "session_message") return contentsOf(message);
      return message.id === null ? [] : database.all(recordsOf("part", sql.parts, message.id));
    },
    sizeOf(message) {
      if (message.id === null || message.kind === "session_message") return message.sizeBytes;
      const [row] = database.few(
        "select sum(octet_length(data)) as bytes from part where message_id = ?",
        message.id,
      );
      return message.sizeBytes + (numberField(row ?? {}, "bytes") || 0);
    },
    *strays() {
      if (generation === "second") yield* database.each(secondOf(sql.strays, sessionId));
      else if (schema.part.includes("session_id")) {
        yield* database.each(recordsOf("part", sql.strays, sessionId));
      }
    },
    children: () => childrenOf(database, schema, sessionId),
    hasSession: (id) => sessionRow(database, schema, id) !== undefined,
    gitBranch: () => branchOf(database, schema, sessionRow(database, schema, sessionId)),
    sizeBytes: () => sizeOfSession(database, schema, generation, sessionId),
    problems: () => [
      ...differencesOf(database, schema, sessionId, generation).map(toDifference),
      ...newerProblems(database, schema, sessionId),
    ],
    begin: () => database.begin(),
    close: () => database.close(),
  };
}

/** The record of a row of `session`. */
function toSessionRecord(row: Json): NativeRecord {
  return {
    kind: "session",
    id: textField(row, "id"),
    parentId: textField(row, "parent_id"),
    sessionId: textField(row, "id"),
    timeMs: numberField(row, "time_created"),
    value: row,
    data: row,
    sizeBytes: 0,
    damage: null,
  };
}

interface Statements {
  readonly messages: string;
  readonly messagesBackwards: string;
  readonly message: string;
  readonly parts: string;
  readonly strays: string;
}

function statementsOf(schema: Schema, generation: Generation): Statements {
  return generation === "first" ? firstStatements(schema) : secondStatements(schema);
}

function firstStatements(schema: Schema): Statements {
  const message = `select ${selected(schema.message)} from message`;
  const part = `select ${selected(schema.part)} from part`;
  const hasTime = schema.message.includes("time_created");
  const order = (way: string): string => `order by ${hasTime ? `time_created ${way}, ` : ""}id ${way}`;
  return {
    messages: `${message} where session_id = ? ${order("asc")}`,
    messagesBackwards: `${message} where session_id = ? ${order("desc")}`,
    message: `${message} where id = ? and session_id = ?`,
    parts: `${part} where message_id = ? order by id`,
    strays:
      `${part} where session_id = ? and not exists ` +
      "(select 1 from message where message.id = part.message_id and message.session_id = part.session_id) order by id",
  };
}

const SAID: string = SAID_TYPES.map((type) => `'${type}'`).join(", ");
const SILENT: string = SILENT_TYPES.map((type) => `'${type}'`).join(", ");

/** Rows without content or of an unknown type count as strays. */
function secondStatements(schema: Schema): Statements {
  const row = `select ${selected(schema.sessionMessage)} from session_message`;
  return {
    messages: `${row} where session_id = ? and type in (${SAID}) order by seq`,
    messagesBackwards: `${row} where session_id = ? and type in (${SAID}) order by seq desc`,
    message: `${row} where id = ? and session_id = ?`,
    parts: "",
    strays: `${row} where session_id = ? and type not in (${SAID}) order by seq`,
  };
}

/** All columns, then the size of `data`, which is left where it is when it is too large to be read. */
function selected(columns: readonly string[]): string {
  const names = columns.map((name) => {
    const quoted = `"${name.replaceAll('"', '""')}"`;
    return name === "data"
      ? `case when octet_length(data) <= ${MAX_RECORD_BYTES} then data end as data`
      : quoted;
  });
  return [...names, columns.includes("data") ? "octet_length(data)" : "0"].join(", ");
}

function toRecord(
  kind: NativeRecord["kind"],
  columns: readonly string[],
  row: readonly unknown[],
  raw: (table: string, id: unknown) => Uint8Array | null,
): NativeRecord {
  const value: Record<string, unknown> = {};
  for (const [at, name] of columns.entries()) value[name] = row[at];
  const size = row[columns.length];
  const sizeBytes = typeof size === "number" ? size : 0;
  const text = value.data;
  const id = textField(value, "id");
  const { data, damage } = parseData(text, sizeBytes);
  if (data !== undefined) value.data = data;
  const exact = exactOf(data);
  if (exact !== data) keepExact(value, { ...value, data: exact });
  const isBroken = typeof text === "string" && text.includes("\ufffd") && !isUtf8(raw(kind, id) ?? NO_BYTES);
  const parent = kind === "part" ? value.message_id : isJson(data) ? data.parentID : null;
  return {
    kind,
    id,
    parentId: typeof parent === "string" ? parent : null,
    sessionId: textField(value, "session_id"),
    timeMs: numberField(value, "time_created"),
    value,
    data: isJson(data) ? data : null,
    sizeBytes,
    damage:
      damage ?? (isBroken ? { code: "bad_utf8", message: "its data holds bytes that are no UTF-8" } : null),
  };
}

const NO_BYTES = new Uint8Array();

function parseData(text: unknown, sizeBytes: number): { data?: unknown; damage: RecordDamage | null } {
  if (typeof text !== "string") {
    const isTooLarge = sizeBytes > MAX_RECORD_BYTES;
    const message = isTooLarge ? `its data is longer than ${MAX_RECORD_BYTES} bytes` : "its data is no text";
    return { damage: { code: isTooLarge ? "too_large" : "bad_record", message } };
  }
  try {
    const data: unknown = parseExactly(text);
    return { data, damage: isJson(data) ? null : { code: "bad_record", message: "its data is no object" } };
  } catch (error) {
    if (error instanceof TooDeepError) return { damage: { code: "too_large", message: error.message } };
    return { damage: { code: "bad_json", message: "its data is not JSON" } };
  }
}

function childrenOf(database: Database, schema: Schema, sessionId: string): ChildSession[] {
  const rows = new Map<string, Json>();
  for (const table of sessionTables(schema)) {
    const columns = table === "session" ? schema.session : schema.sessionV2;
    if (!columns.includes("parent_id")) continue;
    const order = columns.includes("time_created") ? "time_created, id" : "id";
    for (const row of database.few(
      `select * from ${table} where parent_id = ? order by ${order}`,
      sessionId,
    )) {
      const id = textField(row, "id");
      if (id !== null) rows.set(id, row);
    }
  }
  return [...rows].map(([id, row]) => ({
    id,
    title: textField(row, "title"),
    agent: textField(row, "agent"),
    model: modelOf(row.model),
    location: `${database.path}#${id}`,
    sizeBytes: sizeOfSession(database, schema, generationOf(database, schema, id), id),
  }));
}

function modelOf(text: unknown): string | null {
  try {
    const model: unknown = typeof text === "string" ? parseJson(text) : null;
    return isJson(model) ? textField(model, "id") : null;
  } catch {
    return null;
  }
}

function branchOf(database: Database, schema: Schema, session: Json | undefined): string | null {
  const workspace = session?.workspace_id;
  if (typeof workspace !== "string" || !schema.workspace.includes("branch")) return null;
  const [row] = database.few("select branch from workspace where id = ?", workspace);
  const branch = textField(row ?? {}, "branch");
  return branch === "" ? null : branch;
}

function sizeOfSession(
  database: Database,
  schema: Schema,
  generation: Generation,
  sessionId: string,
): number {
  const parts = schema.part.includes("session_id")
    ? "select sum(octet_length(data)) as bytes from part where session_id = ?"
    : "select sum(octet_length(data)) as bytes from part where message_id in (select id from message where session_id = ?)";
  const messages = "select sum(octet_length(data)) as bytes from message where session_id = ?";
  const rows = "select sum(octet_length(data)) as bytes from session_message where session_id = ?";
  const sizes = (generation === "first" ? [messages, parts] : [rows]).map((query) =>
    numberField(database.few(query, sessionId)[0] ?? {}, "bytes"),
  );
  return sizes.reduce((sum, size) => sum + (size || 0), 0);
}

function toDifference(difference: string): SourceProblem {
  return {
    code: "diverged_copy",
    message: `opencode 1 and 2 each keep this session, and ${difference}`,
  };
}

/** Types of rows that are not known here, in both generations. */
function newerProblems(database: Database, schema: Schema, sessionId: string): SourceProblem[] {
  if (!schema.generations.has("second")) return [];
  const rows = database.few(
    `select type, count(*) as rows from session_message where session_id = ? and type not in (${SAID}, ${SILENT}) group by type`,
    sessionId,
  );
  return rows.map((row) => ({
    code: "newer_format",
    message: `${Number(row.rows)} rows of type ${String(row.type).slice(0, 40)} are kept but not understood`,
  }));
}
