/** Messages of Continuo are written as a native session of each agent, and its reader reads them back. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { listNativeSessions, openNativeSession, writeNativeSession } from "@continuo/agents";
import { AGENT_NAMES, type Block, type Message, type Role } from "@continuo/core/model";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const call: Block = { type: "tool_call", id: "c1", name: "Read", args: { path: "a" } };
const result: Block = {
  type: "tool_result",
  toolCallId: "c1",
  content: [{ type: "text", text: "no such file" }],
  isError: true,
};

function message(id: string, role: Role, content: readonly Block[]): Message {
  return role === "tool"
    ? { id, role, content, metadata: {}, toolCallId: "c1", toolName: "Read" }
    : { id, role, content, metadata: {} };
}

const MESSAGES: readonly Message[] = [
  message("0", "system", [{ type: "text", text: "Answer in verse." }]),
  message("1", "user", [{ type: "text", text: "Read it, 日本語." }]),
  message("2", "assistant", [{ type: "text", text: "I do." }, call]),
  // The messages have the order of the log, where a note may come between a call and its result.
  message("3", "user", [{ type: "text", text: "[permission was granted]" }]),
  message("4", "tool", [result]),
  message("5", "assistant", [{ type: "text", text: "It is not there." }]),
];

const writable = AGENT_NAMES.filter((agent) => agent !== "opencode");

test.each(writable)("%s: every text, call and result is there, and the session is listed", async (to) => {
  const home = scratchFolder("write");
  const cwd = join(home, "project");
  mkdirSync(cwd);
  const places = { home, env: {} };
  const { ref, receipt, verification } = await writeNativeSession(MESSAGES, {
    to,
    cwd,
    title: "A talk",
    places,
  });
  expect(verification).toMatchObject({ by: "continuo", outcome: "same" });
  expect(receipt).toMatchObject({ dropped: expect.anything() });
  expect(ref).toMatchObject({ agent: to, cwd });
  const rows = await listNativeSessions({ agents: [to], places });
  expect(rows.map((row) => ({ sessionId: row.sessionId, title: row.title, cwd: row.cwd }))).toEqual([
    { sessionId: ref.sessionId, title: "A talk", cwd },
  ]);
  using opened = await openNativeSession(ref, { places });
  const history = await Array.fromAsync(opened.history());
  const said = history
    // pi stores its title in a notification.
    .filter(({ origin }) => origin !== "notification")
    .flatMap(({ role, content }) => content.map((block) => `${role}: ${wordsOf(block)}`));
  expect(said).toEqual([
    "user: Answer in verse.",
    "user: Read it, 日本語.",
    "assistant: I do.",
    'assistant: Read {"path":"a"}',
    "tool: error no such file",
    "user: [permission was granted]",
    "assistant: It is not there.",
  ]);
});

test("a missing folder, messages without text, and an opencode that never ran are refused", async () => {
  const home = scratchFolder("write");
  const options = { to: "claude", title: "x", places: { home, env: {} } } as const;
  await expect(writeNativeSession(MESSAGES, { ...options, cwd: join(home, "no") })).rejects.toMatchObject({
    code: "not_found",
  });
  const opencode = writeNativeSession(MESSAGES, { ...options, cwd: home, to: "opencode" });
  await expect(opencode).rejects.toMatchObject({ code: "unsupported" });
  await expect(writeNativeSession([], { ...options, cwd: home })).rejects.toMatchObject({ code: "invalid" });
});

function wordsOf(block: Block): string {
  if (block.type === "text") return block.text;
  if (block.type === "tool_call") return `${block.name} ${JSON.stringify(block.args)}`;
  if (block.type !== "tool_result") return block.type;
  const words = block.content.map((part) => (part.type === "text" ? part.text : part.type)).join("");
  return `${block.isError ? "error" : "ok"} ${words}`;
}
