/** Sessions of Claude Code and Gemini CLI, as files of any age and length. */

import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { canonicalFolder } from "@continuo/files";

export const DAY_MS: number = 24 * 60 * 60 * 1000;

export interface WrittenSession {
  readonly id: string;
  readonly path: string;
}

export interface SessionShape {
  readonly id: string;
  readonly turns: number;
  /** The last change, in milliseconds since 1970. */
  readonly writtenMs: number;
  /** `/work` by default. */
  readonly cwd?: string;
}

/** Returns words that differ from turn to turn, as those of people and models do. */
function words(id: string, at: number, count: number): string {
  let seed = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) >>> 0, at + 7);
  const all: string[] = [];
  for (let n = 0; n < count; n += 1) {
    seed = (seed * 1_103_515_245 + 12_345) >>> 0;
    all.push(VOCABULARY[(seed >>> 8) % VOCABULARY.length] ?? "");
  }
  return all.join(" ");
}

const VOCABULARY = (
  "the retry loop never ends because its backoff is reset after each answer so that a second request begins before the first one was " +
  "cancelled look at src/queue/retry.ts line where timer start counts attempts without a limit and test that fails only under load when " +
  "two workers take one job from the table lock row update status done error thrown caught logged again why does this happen here"
).split(" ");

/** Writes a session with a sub-agent, a result of a tool in a separate file, and a history of edited files. */
export function writeClaudeSession(
  home: string,
  { id, turns, writtenMs, cwd = "/work" }: SessionShape,
): WrittenSession {
  const project = join(home, ".claude/projects", cwd.replaceAll(/[^a-zA-Z0-9]/gu, "-"));
  const path = join(project, `${id}.jsonl`);
  write(
    path,
    claudeLines(id, 0, turns).replaceAll('"cwd":"/work"', `"cwd":${JSON.stringify(cwd)}`),
    writtenMs,
  );
  write(join(project, id, "tool-results", "t1.txt"), words(id, 1, 200), writtenMs);
  write(join(project, id, "subagents", "agent-a1.jsonl"), claudeLines(id, 0, 2), writtenMs);
  write(join(home, ".claude/file-history", id, "abc@v1"), words(id, 2, 100), writtenMs);
  return { id, path };
}

export function claudeLines(sessionId: string, from: number, to: number): string {
  let lines = "";
  for (let at = from; at < to; at += 1) {
    const isUser = at % 2 === 0;
    const text = words(sessionId, at, isUser ? 20 : 120);
    const message = {
      role: isUser ? "user" : "assistant",
      content: isUser ? text : [{ type: "text", text }],
    };
    const links = { uuid: `${sessionId}-${at}`, parentUuid: at === 0 ? null : `${sessionId}-${at - 1}` };
    const facts = { sessionId, cwd: "/work", version: "2.1.330", gitBranch: "main", userType: "external" };
    const timestamp = "2026-06-01T00:00:00.000Z";
    lines += `${JSON.stringify({ ...links, ...facts, type: message.role, message, timestamp })}\n`;
  }
  return lines;
}

export function writeGeminiSession(
  home: string,
  { id, turns, writtenMs }: SessionShape,
  project: string = join(home, "project"),
): WrittenSession {
  const folder = join(home, ".gemini/tmp/project");
  mkdirSync(project, { recursive: true });
  write(join(folder, ".project_root"), canonicalFolder(project), Date.now());
  const path = join(folder, "chats", `session-2026-06-01T00-00-${id.slice(0, 8)}.jsonl`);
  const time = new Date(writtenMs).toISOString();
  const head = {
    sessionId: id,
    projectHash: "0".repeat(64),
    startTime: time,
    lastUpdated: time,
    kind: "main",
  };
  const messages = Array.from({ length: turns }, (_, at) => ({
    id: `${id}-${at}`,
    timestamp: time,
    type: at % 2 === 0 ? "user" : "gemini",
    content: at % 2 === 0 ? [{ text: words(id, at, 20) }] : words(id, at, 120),
  }));
  write(path, [head, ...messages].map((record) => `${JSON.stringify(record)}\n`).join(""), writtenMs);
  return { id, path };
}

function write(path: string, text: string, writtenMs: number): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  utimesSync(path, writtenMs / 1000, writtenMs / 1000);
}
