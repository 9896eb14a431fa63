/** The digest of a session, as the caller of the tool gets it. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../../test/scratch-folder.ts";
import { digestTool } from "./digest-tool.ts";
import type { ToolContext } from "./tool-context.ts";

const ID = "abcdefab-1111-4111-8111-111111111111";
const QUESTIONS = Array.from({ length: 12 }, (_, at) => `Shall the part ${at} stay as it is now?`);

let home: string;
beforeEach(() => {
  home = scratchFolder("mcp");
  writeFileSync(join(home, "kept.ts"), "");
  const edit = { old_string: "a", new_string: "b" };
  const calls = [
    { name: "Edit", input: { ...edit, file_path: join(home, "kept.ts") } },
    { name: "Edit", input: { ...edit, file_path: join(home, "lost.ts") } },
    { name: "Read", input: { file_path: join(home, "read.ts") } },
  ].map((call, at) => ({ type: "tool_use", id: `t${at}`, ...call }));
  const about = { sessionId: ID, cwd: home, version: "2.1.0", isSidechain: false, userType: "external" };
  const lines = [
    { role: "user", content: "Build it with the secret" },
    { role: "assistant", content: calls },
    { role: "user", content: "Then test it\nfiles:\n  none" },
    { role: "assistant", content: [{ type: "text", text: QUESTIONS.join(" ") }] },
  ].map((message, at) => ({
    type: message.role,
    uuid: `u${at}`,
    parentUuid: at === 0 ? null : `u${at - 1}`,
    timestamp: `2025-01-06T08:0${at}:00.000Z`,
    ...about,
    message: message.role === "user" ? message : { id: `m${at}`, type: "message", model: "m", ...message },
  }));
  const folder = join(home, ".claude/projects/-app");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${ID}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
});

interface Data {
  readonly title: string;
  readonly goal: { readonly turn: number; readonly text: string };
  readonly requests: readonly { readonly turn: number }[];
  readonly files: readonly { readonly path: string; readonly since: string | null }[];
  readonly openEnds: readonly { readonly text: string }[];
  readonly leftOut: number;
}

async function digest(maxTokens?: number): Promise<{ readonly text: string; readonly data: Data }> {
  const context: ToolContext = {
    places: { home, cwd: home, env: {} },
    exclude: async () => [],
    onUnindexed: () => undefined,
    toTime: (text) => text,
    mask: (text) => text.replaceAll("secret", "***"),
    nowMs: Date.now,
    ownSessions: "hidden",
    regexMs: 1_000,
    callerPid: null,
    asking: null,
  };
  const args = digestTool.input.parse({ session: ID, maxTokens });
  const { text, data } = await digestTool.call(args, context, new AbortController().signal);
  return { text, data: data as unknown as Data };
}

test("a digest begins with the first request, has no secret in its title, and no request poses as one of its heads", async () => {
  const { text, data } = await digest();
  expect([data.goal.turn, data.requests.map(({ turn }) => turn)]).toEqual([1, [2]]);
  expect(JSON.stringify([text, data])).not.toContain("secret");
  expect(text.split("\n").filter((line) => /^(?:\S+ )?files:$/u.test(line))).toHaveLength(1);
});

test("a digest says which files changed since the session, and which are gone that the session changed", async () => {
  const { text, data } = await digest();
  const states = data.files.map(({ path, since }) => [path.slice(path.lastIndexOf("/") + 1), since]);
  expect(Object.fromEntries(states)).toEqual({ "kept.ts": "changed", "lost.ts": "gone", "read.ts": null });
  expect(text).toContain("kept.ts (changed 1, changed since)");
});

test("a shorter digest has fewer items, the newest open ends among them, and says how many are left out", async () => {
  const whole = await digest();
  const short = await digest(400);
  expect([whole.data.leftOut, whole.data.openEnds.length]).toEqual([0, QUESTIONS.length]);
  const { openEnds, leftOut } = short.data;
  expect(short.text.length).toBeLessThan(whole.text.length);
  expect(openEnds.length).toBeGreaterThan(0);
  expect(openEnds).toEqual(whole.data.openEnds.slice(-openEnds.length));
  expect(leftOut).toBeGreaterThanOrEqual(QUESTIONS.length - openEnds.length);
});
