/** The events of a turn have the name, input and output of each tool call. Gemini CLI does not report them by ACP. */

import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { startModelServer, text, tool } from "../../model-servers/index.ts";
import { makeSandbox } from "../sandbox.ts";
import { gemini } from "./subjects/gemini.ts";

test("calls of a turn are reported with name, input and output", async () => {
  await using sandbox = await makeSandbox();
  await sandbox.write("project/note.txt", "a word\n");
  await using server = await startModelServer({
    turns: [
      {
        user: "What does the note say?",
        answers: [[text("I look."), tool("read_file", { file_path: "note.txt" })], [text("A word.")]],
      },
      {
        user: "And now?",
        answers: [
          [tool("read_file", { file_path: "missing.txt" }), tool("read_file", { file_path: "note.txt" })],
          [text("The same.")],
        ],
      },
    ],
  });
  const { driver, cwd } = await gemini.prepare(sandbox, server.url);
  const agent = await driver();
  const session = await agent.open({ cwd });
  const say = async (words: string): Promise<readonly AgentEvent[]> =>
    await Array.fromAsync(session.prompt([{ type: "text", text: words }]));
  const told = (events: readonly AgentEvent[]): readonly AgentEvent[] =>
    events.filter(({ type }) => ["tool_call", "tool_call_update", "tool_result", "text"].includes(type));
  const first = told(await say("What does the note say?"));
  const second = told(await say("And now?"));
  await session.close();
  const named = { toolName: "read_file", toolCallId: expect.stringMatching(/^read_file__/u) };
  expect(first).toMatchObject([
    { type: "text", delta: "I look." },
    { type: "tool_call", ...named },
    { type: "tool_call_update", status: "completed" },
    { type: "tool_call_update", toolInput: { file_path: "note.txt" } },
    { type: "tool_result", status: "ok", content: [{ type: "text", text: "a word\n" }] },
    { type: "text", delta: "A word." },
  ]);
  expect(second.filter(({ type }) => type === "tool_result")).toMatchObject([
    { status: "error", content: [{ type: "text", text: expect.stringContaining("File not found") }] },
    { status: "ok", content: [{ type: "text", text: "a word\n" }] },
  ]);
  expect(second).toContainEqual(expect.objectContaining({ toolInput: { file_path: "missing.txt" } }));
  expect(second.at(-1)).toMatchObject({ type: "text", delta: "The same." });
});
