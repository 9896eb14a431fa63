import type { AgentRequest, Message, PermissionRequest } from "@continuo/core/model";
import { expect, test } from "vitest";
import { toPrompt } from "./prompt.ts";

const text = (words: string) => ({ type: "text", text: words }) as const;
const refund = { type: "tool_call", id: "t1", name: "refund", args: { order: "7" } } as const;
const lookUp = { type: "tool_call", id: "t2", name: "look_up", args: {} } as const;
const MESSAGES: readonly Message[] = [
  { id: "1", role: "user", content: [text("Refund order 7")], metadata: { runId: "run-1" } },
  {
    id: "2",
    role: "assistant",
    content: [text("One moment."), refund, lookUp],
    metadata: { runId: "run-1" },
  },
  {
    id: "3",
    role: "tool",
    toolCallId: "t1",
    content: [{ type: "tool_result", toolCallId: "t1", content: [text("it did not begin")], isError: true }],
    metadata: { runId: "run-1" },
  },
  { id: "4", role: "user", content: [text("[The run was interrupted]")], metadata: { runId: "run-1" } },
];
const held: PermissionRequest = {
  approvalId: "a1",
  toolCallId: "t1",
  toolName: "refund",
  readOnly: null,
  options: [],
};
const request = {
  run: { runId: "run-2" },
  input: [text("Refund order 7")],
  transcript: { messages: MESSAGES },
} as unknown as AgentRequest;

test("a call that waits for permission stays at the end of the prompt, and one that nobody answers is left out", () => {
  const { prompt, leftOut } = toPrompt(request, { instructions: undefined, heldCalls: [held] });
  expect(prompt.at(-1)).toEqual({
    role: "assistant",
    content: [
      text("One moment."),
      { type: "tool-call", toolCallId: "t1", toolName: "refund", input: { order: "7" } },
      { type: "tool-approval-request", approvalId: "a1", toolCallId: "t1" },
    ],
  });
  expect(leftOut).toEqual({ tool_call: 1 });
});
