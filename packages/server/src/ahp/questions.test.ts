/** A person answers a question about one call: it must be shown at that call, also while another call of its tool runs. */

import type { ChatQuestion } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import type { ResponsePart } from "./protocol.ts";
import { withQuestions } from "./questions.ts";

function running(toolCallId: string, toolInput: string): ResponsePart {
  const toolCall = {
    status: "running",
    toolCallId,
    toolName: "Bash",
    displayName: "Bash",
    toolInput,
  } as const;
  return { kind: "toolCall", toolCall };
}

function about(approvalId: string, command: string): ChatQuestion {
  const question = { approvalId, title: "Run a command", toolName: "Bash", input: { command } };
  return { ...question, content: null, options: [], readsReason: false, mayHaveRun: false, until: "" };
}

const LS = '{"command":"ls"}';
const PWD = '{"command":"pwd"}';

test.each([
  ["the first call", ["ls"], { ls: "c1" }],
  ["the second call", ["pwd"], { pwd: "c2" }],
  ["both calls in their order", ["ls", "pwd"], { ls: "c1", pwd: "c2" }],
  ["both calls in the other order", ["pwd", "ls"], { ls: "c1", pwd: "c2" }],
])("of two running calls of one tool, a question about %s is shown at its call", (_name, asked, expected) => {
  const parts = [running("c1", LS), running("c2", PWD)];
  const questions = asked.map((command) => about(command, command));
  const { waiting } = withQuestions(parts, questions, () => true);
  const shown = [...waiting].map(([id, { toolCallId }]) => [id, toolCallId]);
  expect(Object.fromEntries(shown)).toEqual(expected);
});

test("a call whose input its agent writes in another way is found by its tool, unless another question is about it", () => {
  const parts = [running("c1", "ls"), running("c2", PWD)];
  const { waiting } = withQuestions(parts, [about("ls", "ls"), about("pwd", "pwd")], () => true);
  expect([waiting.get("ls")?.toolCallId, waiting.get("pwd")?.toolCallId]).toEqual(["c1", "c2"]);
});
