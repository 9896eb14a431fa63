/** The tables of opencode 2, and the copies that its migration makes of sessions of the first generation. */

import { DatabaseSync } from "node:sqlite";
import { isJson, type Json } from "@continuo/files";

/** The tables of opencode 2.0. Its `session` also has `fork_session_id` and the columns of its end. */
const TABLES = `
  create table session_v2 (
    id text primary key, project_id text not null, workspace_id text, parent_id text, fork_session_id text,
    slug text not null, directory text not null, path text, title text, version text not null,
    cost real default 0 not null, revert text, agent text, model text,
    time_created integer not null, time_updated integer not null, time_archived integer,
    time_idle integer, idle_outcome text,
    constraint fk_session_v2_project_id foreign key (project_id) references project(id) on delete cascade
  );
  create table if not exists session_message (
    id text primary key, session_id text not null, type text not null, seq integer not null,
    time_created integer not null, time_updated integer not null, data text not null,
    constraint fk_session_message_session foreign key (session_id) references session_v2(id) on delete cascade
  );
  create table session_pending (
    id text primary key, session_id text not null, type text not null, data text not null,
    admitted_seq integer not null, time_created integer not null,
    constraint fk_session_pending_session foreign key (session_id) references session_v2(id) on delete cascade
  );
`;

const COPIED = [
  ...["id", "project_id", "workspace_id", "parent_id", "slug", "directory", "path", "title", "version"],
  ...["agent", "model", "time_created", "time_updated", "time_archived"],
].join(", ");

/** Makes the tables of opencode 2, and copies sessions into them; the old tables do not change. */
export function toOpencode2(path: string, sessionIds: readonly string[]): void {
  const database = new DatabaseSync(path, { enableForeignKeyConstraints: false });
  const kept = database.prepare("select name from sqlite_schema where name = 'session_message'").all();
  const rows = kept.length === 0 ? [] : database.prepare("select * from session_message").all();
  database.exec(`drop table if exists session_message; ${TABLES}`);
  for (const id of sessionIds) copySession(database, id);
  for (const row of rows) insert(database, "session_message", row);
  database.close();
}

function copySession(database: DatabaseSync, id: string): void {
  database.exec("insert or ignore into project (id, worktree) values ('global', '/')");
  database.prepare(`insert into session_v2 (${COPIED}) select ${COPIED} from session where id = ?`).run(id);
  const messages = database
    .prepare("select * from message where session_id = ? order by time_created, id")
    .all(id);
  for (const [seq, message] of messages.entries()) {
    const parts = database
      .prepare("select data from part where message_id = ? order by id")
      .all(String(message.id))
      .map(({ data }) => JSON.parse(String(data)) as Json);
    const info = JSON.parse(String(message.data)) as Json;
    const { id: messageId, session_id, time_created, time_updated } = message;
    const isUser = info.role === "user";
    insert(database, "session_message", {
      id: messageId,
      session_id,
      type: isUser ? "user" : "assistant",
      seq,
      time_created,
      time_updated,
      data: JSON.stringify(isUser ? saidOf(info, parts) : answerOf(info, parts)),
    });
  }
}

function saidOf({ time }: Json, parts: readonly Json[]): Json {
  return { time, text: parts.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("\n\n") };
}

function answerOf(
  { time, agent, providerID, modelID, finish, cost, tokens }: Json,
  parts: readonly Json[],
): Json {
  const content = parts.flatMap(({ type, text, callID, tool, state }): Json[] => {
    if (type === "text" || type === "reasoning") return [{ type, text }];
    if (type !== "tool" || !isJson(state)) return [];
    const said = [{ type: "text", text: state.output }];
    return [
      { type, id: callID, name: tool, state: { status: state.status, input: state.input, content: said } },
    ];
  });
  return { time, agent, model: { providerID, id: modelID }, content, finish, cost, tokens };
}

export interface SecondRow {
  readonly id: string;
  readonly sessionId: string;
  readonly type: string;
  readonly seq: number;
  readonly at: number;
  readonly data: Json | string;
}

export function insertSecond(path: string, { id, sessionId, type, seq, at, data }: SecondRow): void {
  const database = new DatabaseSync(path);
  const text = typeof data === "string" ? data : JSON.stringify(data);
  const times = { time_created: at, time_updated: at };
  insert(database, "session_message", { id, session_id: sessionId, type, seq, ...times, data: text });
  database.close();
}

function insert(database: DatabaseSync, table: string, row: Readonly<Record<string, unknown>>): void {
  const names = Object.keys(row);
  database
    .prepare(`insert into ${table} (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`)
    .run(...(Object.values(row) as (string | number | null)[]));
}
