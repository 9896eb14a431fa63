import type { AgentRequest, Block, Message, PermissionRequest, ToolStatus } from "@continuo/core/model";
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
  run: { runId: "run-2", metadata: {} },
  input: [text("Refund order 7")],
  transcript: { messages: MESSAGES },
} as unknown as AgentRequest;

test("a call that waits for permission stays at the end of the prompt, and a call whose question is no longer open is left out", () => {
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

const DONE: readonly Message[] = [
  { id: "0", role: "user", content: [text("Hello")], metadata: { runId: "run-0" } },
  { id: "1", role: "assistant", content: [refund], metadata: { runId: "run-1" } },
  {
    id: "2",
    role: "tool",
    toolCallId: "t1",
    toolName: "refund",
    content: [{ type: "tool_result", toolCallId: "t1", content: [text("refunded")], isError: false }],
    metadata: { runId: "run-1" },
  },
  { id: "3", role: "assistant", content: [text("You have")], metadata: { runId: "run-1" } },
  {
    id: "4",
    role: "user",
    content: [text("[The run was interrupted]")],
    metadata: { runId: "run-1", note: "run_interrupted" },
  },
];

function resultOf(end: { readonly isError: boolean; readonly status: ToolStatus }): Block {
  return { type: "tool_result", toolCallId: "t1", content: [text("it ended")], ...end };
}

function rolesOf(messages: readonly Message[]): readonly string[] {
  const run = { runId: "run-2", metadata: { saidBy: "run-1" } };
  const input = [text("Refund order 7")];
  const retried = { run, input, transcript: { messages } } as unknown as AgentRequest;
  const { prompt } = toPrompt(retried, { instructions: undefined, heldCalls: [] });
  return prompt.map(({ role, content }) =>
    JSON.stringify(content).includes("Refund order") ? "input" : role,
  );
}

test("an input that is retried after its tools ended comes before their results, and nothing follows them", () => {
  expect(rolesOf(DONE)).toEqual(["user", "input", "assistant", "tool"]);
});

test("an input that is retried comes last if no tool ended, without the text that was cut off", () => {
  const words = DONE.filter(({ id }) => id !== "1" && id !== "2");
  expect(rolesOf(words)).toEqual(["user", "input"]);
});

test("an input that is retried comes last if others sent messages since", () => {
  const other: Message = { id: "5", role: "user", content: [text("Hi")], metadata: { runId: "run-3" } };
  expect(rolesOf([...DONE, other]).at(-1)).toBe("input");
});

test.each(["denied", "error"] as const)(
  "an input that is given again stands before a call that ended as %s, which nothing follows",
  (status) => {
    const ended = DONE.map((message) =>
      message.id === "2" ? { ...message, content: [resultOf({ isError: true, status })] } : message,
    );
    expect(rolesOf(ended)).toEqual(["user", "input", "assistant", "tool"]);
  },
);

test("an input that is given again stands before a call that was cut off, and after it", () => {
  const cut = DONE.map((message) =>
    message.id === "2"
      ? { ...message, content: [resultOf({ isError: true, status: "interrupted" })] }
      : message,
  );
  const roles = rolesOf(cut);
  expect(roles.slice(0, 4)).toEqual(["user", "input", "assistant", "tool"]);
  expect(roles.at(-1)).toBe("input");
});
