/**
 * A session as rows of opencode's database. Columns and tables are asked for by what is there, so that an
 * older or a newer schema is read as far as it goes.
 */

import { isUtf8 } from "node:buffer";
import { ContinuoError } from "@continuo/core/model";
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
import type { ChildSession, SessionSource, SourceProblem } from "./source.ts";

/** The columns without which the rows of each table cannot be distinguished. */
const NEEDED = {
  session: ["id"],
  message: ["id", "session_id", "data"],
  part: ["id", "message_id", "data"],
} as const;

export interface Schema {
  readonly session: readonly string[];
  readonly message: readonly string[];
  readonly part: readonly string[];
  /** The table that newer versions begin to use; no columns where there is none. */
  readonly sessionMessage: readonly string[];
  readonly workspace: readonly string[];
}

/** Errors: `unreadable` where the database is not opencode's, or not as any version known here made it. */
export function readSchema(database: Database): Schema {
  const schema = {
    session: database.columnsOf("session"),
    message: database.columnsOf("message"),
    part: database.columnsOf("part"),
    sessionMessage: database.columnsOf("session_message"),
    workspace: database.columnsOf("workspace"),
  };
  for (const [table, needed] of Object.entries(NEEDED)) {
    const columns = schema[table as keyof typeof NEEDED];
    const missing = needed.filter((column) => !columns.includes(column));
    if (missing.length === 0) continue;
    const what = columns.length === 0 ? "there is no such table" : `it has no column ${missing.join(", ")}`;
    throw new ContinuoError(
      "unreadable",
      `${database.path}: cannot find sessions in table ${table}: ${what}`,
      {
        hint: "Update Continuo: a newer opencode may store its sessions elsewhere.",
      },
    );
  }
  return schema;
}

/** Every session of a database: one query. */
export function readSessions(database: Database): Json[] {
  return database.few("select * from session");
}

export function openRows(database: Database, sessionId: string): SessionSource {
  const schema = readSchema(database);
  const sql = statementsOf(schema);
  const sessionRow = (id: string): Json | undefined =>
    database.few("select * from session where id = ?", id)[0];
  const recordsOf = (
    kind: "message" | "part" | "session_message",
    sql: string,
    ...values: SqlValue[]
  ): Query<NativeRecord> => {
    const columns = kind === "session_message" ? schema.sessionMessage : schema[kind];
    return { sql, values, map: (row) => toRecord(kind, columns, row, raw) };
  };
  const raw = (table: string, id: unknown): Uint8Array | null => {
    const [row] = database.few(`select hex(data) as bytes from ${table} where id = ?`, String(id));
    return typeof row?.bytes === "string" ? Buffer.from(row.bytes, "hex") : null;
  };
  return {
    inMemory: false,
    session: () => {
      const row = sessionRow(sessionId);
      return row === undefined ? null : toSessionRecord(row);
    },
    *messages(order) {
      const select = order === "oldest" ? sql.messages : sql.messagesBackwards;
      yield* database.each(recordsOf("message", select, sessionId));
    },
    message(id) {
      database.refresh();
      return database.all(recordsOf("message", sql.message, id, sessionId))[0] ?? null;
    },
    parts: ({ id }) => (id === null ? [] : database.all(recordsOf("part", sql.parts, id))),
    sizeOf(message) {
      if (message.id === null) return message.sizeBytes;
      const [row] = database.few(
        "select sum(octet_length(data)) as bytes from part where message_id = ?",
        message.id,
      );
      return message.sizeBytes + (numberField(row ?? {}, "bytes") || 0);
    },
    *strays() {
      if (schema.part.includes("session_id")) yield* database.each(recordsOf("part", sql.strays, sessionId));
      if (!schema.sessionMessage.includes("session_id")) return;
      yield* database.each(recordsOf("session_message", sql.newer, sessionId));
    },
    children: () => childrenOf(database, schema, sessionId),
    hasSession: (id) => sessionRow(id) !== undefined,
    gitBranch: () => branchOf(database, schema, sessionRow(sessionId)),
    sizeBytes: () => sizeOfSession(database, schema, sessionId),
    problems: () => newerProblems(database, schema, sessionId),
    begin: () => database.begin(),
    close: () => database.close(),
  };
}

/** The record of a row of `session`. */
export function toSessionRecord(row: Json): NativeRecord {
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
  readonly newer: string;
}

function statementsOf(schema: Schema): Statements {
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
    newer: `select ${selected(schema.sessionMessage)} from session_message where session_id = ? order by rowid`,
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
  if (!schema.session.includes("parent_id")) return [];
  const order = schema.session.includes("time_created") ? "time_created, id" : "id";
  const rows = database.few(`select * from session where parent_id = ? order by ${order}`, sessionId);
  return rows.flatMap((row): ChildSession[] => {
    const id = textField(row, "id");
    if (id === null) return [];
    return [
      {
        id,
        title: textField(row, "title"),
        agent: textField(row, "agent"),
        model: modelOf(row.model),
        location: `${database.path}#${id}`,
        sizeBytes: sizeOfSession(database, schema, id),
      },
    ];
  });
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

function sizeOfSession(database: Database, schema: Schema, sessionId: string): number {
  const parts = schema.part.includes("session_id")
    ? "select sum(octet_length(data)) as bytes from part where session_id = ?"
    : "select sum(octet_length(data)) as bytes from part where message_id in (select id from message where session_id = ?)";
  const messages = "select sum(octet_length(data)) as bytes from message where session_id = ?";
  const sizes = [messages, parts].map((query) =>
    numberField(database.few(query, sessionId)[0] ?? {}, "bytes"),
  );
  return sizes.reduce((sum, size) => sum + (size || 0), 0);
}

function newerProblems(database: Database, schema: Schema, sessionId: string): SourceProblem[] {
  if (!schema.sessionMessage.includes("session_id")) return [];
  const [row] = database.few("select count(*) as rows from session_message where session_id = ?", sessionId);
  const rows = numberField(row ?? {}, "rows");
  if (!(rows > 0)) return [];
  const message = `${rows} rows of this session are in table session_message, which is kept but not understood`;
  return [{ code: "newer_format", message }];
}
