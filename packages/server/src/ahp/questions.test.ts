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

const YES = { id: "accept", name: "Accept", kind: "allow_once" } as const;
const change = (more: object, content: ChatQuestion["content"] = []): ChatQuestion => ({
  ...about("q", ""),
  toolName: "apply_patch",
  title: "/work/a.ts",
  options: [YES],
  input: more,
  content,
});

/** The text that a person reads at the question: the Markdown of a change, or the input. */
function shownFor(question: ChatQuestion): string | undefined {
  const { invocationMessage, toolInput } = withQuestions([], [question], () => true).waiting.get("q") ?? {};
  return typeof invocationMessage === "object" ? `${invocationMessage.markdown}${toolInput}` : toolInput;
}

const UPDATE = {
  path: "/work/a.ts",
  kind: { type: "update", move_path: null },
  diff: "@@ -1 +1 @@\n-one\n+two\n",
};
const ADD = { path: "/work/b`.ts", kind: { type: "add" }, diff: "```\n" };
const UPDATED = "`/work/a.ts`\n\n```diff\n-one\n+two\n```";
const ADDED = "``/work/b`.ts``\n\n````diff\n+```\n````";
const PATCH = "*** Begin Patch\n*** Update File: /work/a.ts\n@@\n-one\n+two\n*** End Patch";

test.each<[string, unknown, ChatQuestion["content"], string]>([
  ["Codex, of two files", { changes: [UPDATE, ADD] }, [], `${UPDATED}\n\n${ADDED}`],
  [
    "Codex, with what it allows in addition",
    { changes: [UPDATE], grantRoot: "/work" },
    [],
    `${UPDATED}\n\n\`grantRoot: "/work"\``,
  ],
  ["a patch", { input: PATCH }, [], UPDATED],
  [
    "Claude Code",
    { file_path: "/work/a.ts", old_string: "one", new_string: "two", replace_all: true },
    [],
    `${UPDATED}\n\n\`replace_all: true\``,
  ],
  [
    "an agent that speaks ACP",
    { path: "/work/a.ts" },
    [{ type: "diff", path: "/work/a.ts", oldText: "one\n", newText: "two\n" }],
    UPDATED,
  ],
])(
  "the change of a question of %s is shown as its files and lines, with the agent's answers",
  (_, input, content, markdown) => {
    const question = change(input as object, content);
    expect(shownFor(question)).toBe(markdown);
    const { options, confirmationTitle } = withQuestions([], [question], () => true).waiting.get("q") ?? {};
    expect(options).toEqual([{ id: "accept", label: "Accept", kind: "approve" }]);
    expect(confirmationTitle).toBe("/work/a.ts");
  },
);

test.each<[string, unknown, ChatQuestion["content"]?]>([
  ["moves a file", { changes: [{ ...UPDATE, kind: { type: "update", move_path: "/etc/a.ts" } }] }],
  ["moves a file in a patch", { input: PATCH.replace("@@", "*** Move to: /etc/a.ts\n@@") }],
  ["changes a file without lines", { changes: [UPDATE, { ...ADD, diff: "" }] }],
  ["has a change of another form", { changes: [UPDATE, "rm -r /"] }],
  ["runs a command with a patch", { command: `rm -r / && apply_patch <<X\n${PATCH}\nX` }],
  ["has a text before its patch", { input: `rm -r /\n${PATCH}` }],
  [
    "replaces a text everywhere",
    { path: "/work/a.ts", edits: [{ oldText: "a", newText: "b", replace_all: true }] },
  ],
  [
    "has an edit of another form",
    { path: "/work/a.ts", edits: [{ oldText: "a", newText: "b" }, { oldText: "c" }] },
  ],
  ["changes nothing", { path: "/work/a.ts" }],
])("a question that %s shows its whole input", (_, input, content = []) => {
  expect(shownFor(change(input as object, content))).toBe(JSON.stringify(input));
});

test("a question that is too long to be shown, and one with a very long change, are not shown as a change", () => {
  const input = { changes: [UPDATE] };
  expect(shownFor(change(input, null))).toBe(JSON.stringify(input));
  const long = { changes: [{ ...ADD, diff: "x\n".repeat(60_000) }] };
  expect(shownFor(change(long))).toBe(JSON.stringify(long).slice(0, 100_000));
});
