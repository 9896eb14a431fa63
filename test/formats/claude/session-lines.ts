/** Session files of Claude Code written by tests, line by line, and read back. */

import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Block, Message, ProblemCode } from "@continuo/core/model";
import { claudeFormat } from "@continuo/native/claude";
import type { OpenedSession } from "@continuo/native/kit";
import { afterAll, beforeAll } from "vitest";

const home: string = join(tmpdir(), `continuo-read-${randomUUID()}`);
export const places: { home: string; env: Record<string, string> } = { home, env: {} };
/** The project folder that the sessions are written to. */
export const folder: string = join(home, ".claude", "projects", "-p");

/** Each test file must call this, because the files that a worker runs share modules. */
export function useHome(): void {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true });
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));
}

export const ID: string = "5e551011-0000-4000-8000-000000000001";
export type Line = Record<string, unknown>;
let clock = 0;

export function line(type: string, uuid: string, parentUuid: string | null, more: Line): Line {
  const timestamp = new Date(Date.parse("2026-01-01T00:00:00Z") + 1000 * clock++).toISOString();
  return { type, uuid, parentUuid, sessionId: ID, timestamp, ...more };
}

export const user = (uuid: string, parent: string | null, content: unknown, more: Line = {}): Line =>
  line("user", uuid, parent, { message: { role: "user", content }, ...more });

export const answer = (uuid: string, parent: string | null, content: unknown, more: Line = {}): Line =>
  line("assistant", uuid, parent, {
    message: { id: `msg_${uuid}`, role: "assistant", model: "m", content },
    ...more,
  });

export const text = (said: string): Line => ({ type: "text", text: said });
export const call = (id: string, input: unknown = {}): Line => ({
  type: "tool_use",
  id,
  name: "Bash",
  input,
});
export const result = (id: string, content: unknown, more: Line = {}): Line => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});

export async function open(lines: readonly (Line | string)[], newestBytes?: number): Promise<OpenedSession> {
  const path = join(folder, `${ID}.jsonl`);
  const texts = lines.map((each) => (typeof each === "string" ? each : `${JSON.stringify(each)}\n`));
  writeFileSync(path, texts.join(""));
  const found = await claudeFormat.recognise(path, places);
  if (found === null) throw new Error("not recognised");
  return claudeFormat.open(found, places, newestBytes === undefined ? {} : { newestBytes });
}

export async function historyOf(...lines: (Line | string)[]): Promise<Message[]> {
  using session = await open(lines);
  return Array.fromAsync(session.history());
}

export async function codesOf(...lines: (Line | string)[]): Promise<[ProblemCode, number | null][]> {
  using session = await open(lines);
  return session.problems.map(({ code, line: at }) => [code, at]);
}

export const shape = (message: Message): unknown[] => [
  message.role,
  message.origin,
  message.content.map(brief),
];

function brief(block: Block): string {
  if (block.type === "text") return block.text;
  if (block.type === "tool_call") return `call ${block.id}`;
  if (block.type === "tool_result") return `result ${block.toolCallId}`;
  return block.type;
}
