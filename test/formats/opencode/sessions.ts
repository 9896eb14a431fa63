/** Databases and exports of opencode made from plain data, with the tables and columns of 1.18.33. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Places } from "@continuo/files";
import type { FoundSession, OpenedSession } from "@continuo/native/kit";
import { opencodeFormat } from "@continuo/native/opencode";
import { afterAll, beforeAll } from "vitest";

const SCHEMA = `
  create table project (id text primary key, worktree text not null, vcs text);
  create table workspace (id text primary key, type text not null, branch text, project_id text not null);
  create table session (
    id text primary key, project_id text not null, workspace_id text, parent_id text, slug text not null,
    directory text not null, path text, title text not null, version text not null,
    cost real default 0 not null, revert text, agent text, model text,
    time_created integer not null, time_updated integer not null, time_archived integer
  );
  create table message (
    id text primary key, session_id text not null, time_created integer not null,
    time_updated integer not null, data text not null
  );
  create table part (
    id text primary key, message_id text not null, session_id text not null,
    time_created integer not null, time_updated integer not null, data text not null
  );
  create index message_session_time_created_id_idx on message (session_id, time_created, id);
  create index part_message_id_id_idx on part (message_id, id);
  create index part_session_idx on part (session_id);
`;

export type Fields = Readonly<Record<string, unknown>>;

export interface MessageOf {
  readonly id: string;
  readonly data: Fields | string;
  readonly at?: number;
  readonly parts?: readonly PartOf[];
}

export interface PartOf {
  readonly id: string;
  readonly data: Fields | string;
  readonly sessionId?: string;
}

export interface SessionOf {
  readonly row?: Readonly<Record<string, string | number | null>>;
  readonly messages?: readonly MessageOf[];
}

export const FIRST_MS: number = Date.UTC(2026, 4, 6, 7);
export const SESSION = "ses_0000000000000000000000000001";

/** Adds sessions to a database, and creates it if it does not exist. */
export function writeDatabase(path: string, sessions: readonly SessionOf[]): void {
  mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path);
  const isNew = database.prepare("select 1 from sqlite_schema").all().length === 0;
  if (isNew) database.exec(`pragma journal_mode = wal; ${SCHEMA}`);
  for (const session of sessions) insertSession(database, session);
  database.close();
}

export function insertSession(database: DatabaseSync, { row = {}, messages = [] }: SessionOf): void {
  const columns = {
    id: SESSION,
    project_id: "global",
    slug: "calm-kettle",
    directory: "/home/dev/tea",
    title: "Tea",
    version: "1.18.33",
    time_created: FIRST_MS,
    time_updated: FIRST_MS + 60_000,
    ...row,
  };
  const names = Object.keys(columns);
  database
    .prepare(`insert into session (${names.join(", ")}) values (${names.map(() => "?").join(", ")})`)
    .run(...Object.values(columns));
  for (const [at, message] of messages.entries()) insertMessage(database, columns.id, message, at);
}

export function insertMessage(
  database: DatabaseSync,
  sessionId: string,
  message: MessageOf,
  at: number,
): void {
  const time = message.at ?? FIRST_MS + at * 1000;
  database
    .prepare("insert into message values (?, ?, ?, ?, ?)")
    .run(message.id, sessionId, time, time, textOf(withTime(message.data, time)));
  for (const part of message.parts ?? []) {
    database
      .prepare("insert into part values (?, ?, ?, ?, ?, ?)")
      .run(part.id, message.id, part.sessionId ?? sessionId, time, time, textOf(part.data));
  }
}

/** Adds the time that opencode needs to continue. */
function withTime(data: Fields | string, created: number): Fields | string {
  return typeof data === "string" ? data : { time: { created }, ...data };
}

function textOf(data: Fields | string): string {
  return typeof data === "string" ? data : JSON.stringify(data);
}

export const ASKED = { providerID: "scripted", modelID: "scripted-1" };

export function user(id: string, text: string, more: Fields = {}): MessageOf {
  const parts = [{ id: `prt_${id}`, data: { type: "text", text } }];
  return { id, data: { role: "user", agent: "build", model: ASKED, ...more }, parts };
}

export function answer(id: string, parts: readonly Fields[], more: Fields = {}): MessageOf {
  const data = { role: "assistant", agent: "build", mode: "build", ...ASKED, finish: "stop", ...more };
  return { id, data, parts: parts.map((part, at) => ({ id: `prt_${id}_${at}`, data: part })) };
}

export const text = (words: string, more: Fields = {}): Fields => ({ type: "text", text: words, ...more });
export const STEP: Fields = { type: "step-start" };

export function toolPart(callID: string, state: Fields, tool = "read"): Fields {
  return { type: "tool", tool, callID, state: { input: {}, ...state } };
}

export const placesOf = (path: string): Places => ({ home: "/nonexistent", env: { OPENCODE_DB: path } });

export async function findIn(path: string): Promise<FoundSession[]> {
  return await Array.fromAsync(opencodeFormat.find(placesOf(path), {}));
}

/** Opens the only session of a database, or the one with an id. */
export async function openIn(path: string, sessionId?: string): Promise<OpenedSession> {
  const location = sessionId === undefined ? path : `${path}#${sessionId}`;
  const found = await opencodeFormat.recognise(location, placesOf(path));
  if (found === null) throw new Error(`no session in ${location}`);
  return await opencodeFormat.open(found, placesOf(path), {});
}

export interface Scratch {
  /** A new folder. */
  folder(): string;
  /** The path of a new database of these sessions. */
  databaseOf(...sessions: readonly SessionOf[]): string;
}

/** Folders that are gone after the tests of a file. */
export function useScratch(): Scratch {
  let root = "";
  beforeAll(() => {
    root = mkdtempSync(join(tmpdir(), "continuo-opencode-"));
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const folder = (): string => mkdtempSync(join(root, "x-"));
  return {
    folder,
    databaseOf(...sessions) {
      const path = join(folder(), "opencode.db");
      writeDatabase(path, sessions);
      return path;
    },
  };
}

/** A question and its answer. */
export const TEA: readonly MessageOf[] = [
  user("msg_1", "Name the timer."),
  answer("msg_2", [STEP, text("How about `steep`?")]),
];
