/** The questions of agents to an editor, and the meaning of its answers for the agent. */

import type { PermissionRequest } from "@continuo/core/model";
import { expect, test } from "vitest";
import { toDecision, toQuestion } from "./permission.ts";

const REQUEST: PermissionRequest = {
  approvalId: "a1",
  toolCallId: "t1",
  toolName: "Bash",
  toolInput: { command: "npm test" },
  readOnly: false,
  options: [
    { id: "once", name: "Yes", kind: "allow_once" },
    { id: "ever", name: "Always", kind: "allow_always" },
    { id: "no", name: "No", kind: "reject_once" },
    { id: "never", name: "Never", kind: "reject_always" },
  ],
};

function chosen(optionId: string, request: PermissionRequest = REQUEST) {
  return toDecision({ outcome: { outcome: "selected", optionId } }, request);
}

test.each([
  ["once", "granted"],
  ["ever", "granted"],
  ["no", "denied"],
  ["never", "denied"],
] as const)(
  "the option %s of an agent is %s, and the agent receives the chosen option",
  (optionId, outcome) => {
    expect(chosen(optionId)).toEqual({ outcome, by: "person", optionId });
  },
);

test("an agent without options of its own gets an answer without an option", () => {
  const request = { ...REQUEST, options: [] };
  const { options } = toQuestion(request, { sessionId: "s", toolCallId: "t1~2" });
  expect(options.map(({ optionId, kind }) => [optionId, kind])).toEqual([
    ["allow", "allow_once"],
    ["deny", "reject_once"],
  ]);
  expect(chosen("allow", request)).toEqual({ outcome: "granted", by: "person" });
  expect(chosen("deny", request)).toEqual({ outcome: "denied", by: "person" });
});

test("an option that was not offered grants nothing, and a question that was closed is cancelled", () => {
  expect(chosen("allow")).toMatchObject({ outcome: "denied", by: "policy" });
  expect(toDecision({ outcome: { outcome: "cancelled" } }, REQUEST)).toEqual({
    outcome: "cancelled",
    by: "person",
  });
});

test("a question is about the call by the id that the editor knows", () => {
  const { sessionId, toolCall } = toQuestion(REQUEST, { sessionId: "s", toolCallId: "t1~2" });
  expect([sessionId, toolCall.toolCallId, toolCall.title]).toEqual(["s", "t1~2", "Bash: npm test"]);
});

test("a question about a call that was allowed before a crash says first that it may already have run", () => {
  const ids = { sessionId: "s", toolCallId: "t1" };
  expect(toQuestion(REQUEST, ids).toolCall).not.toHaveProperty("content");
  const change = { file_path: "a.ts", old_string: "x", new_string: "y" };
  const again = { ...REQUEST, toolName: "Edit", toolInput: change, grantedBefore: "a0" };
  expect(toQuestion(again, ids).toolCall.content).toMatchObject([
    { type: "content", content: { text: expect.stringContaining("it may already have run") } },
    { type: "diff", newText: "y" },
  ]);
});

test("a question shows what its agent sent, or else the change of its input", () => {
  const ids = { sessionId: "s", toolCallId: "t1" };
  const contentFor = (more: object): unknown => toQuestion({ ...REQUEST, ...more }, ids).toolCall.content;
  const change = { type: "diff", path: "/a.ts", oldText: "x", newText: "y" };
  const toolInput = { file_path: "/a.ts", old_string: "x", new_string: "y" };
  const words = { type: "content", content: { type: "text", text: "Runs the tests." } };
  expect(contentFor({ toolName: "Edit", toolInput })).toEqual([change]);
  expect(contentFor({ content: [words] })).toEqual([words]);
  expect(contentFor({ content: [change], toolInput: { file_path: "/b.ts" } })).toEqual([change]);
  const { kind, rawInput, locations, title } = toQuestion({ ...REQUEST, title: "Test it" }, ids).toolCall;
  expect([kind, rawInput, locations, title]).toEqual(["execute", REQUEST.toolInput, [], "Test it"]);
});

test("a question about a patch shows the lines of each file before and after it, and the texts of its agent", () => {
  const update = { path: "/work/a.ts", kind: { type: "update" }, diff: "@@ -1,2 +1,2 @@\n one\n-two\n+2\n" };
  const add = { path: "/work/b.ts", kind: { type: "add" }, diff: "new\n" };
  const note = { type: "text", text: "Two files." };
  const asked = {
    ...REQUEST,
    toolName: "apply_patch",
    toolInput: { changes: [update, add] },
    content: [note],
  };
  const { toolCall } = toQuestion(asked, { sessionId: "s", toolCallId: "t" });
  expect(toolCall.content).toEqual([
    { type: "diff", path: "/work/a.ts", oldText: "one\ntwo\n", newText: "one\n2\n" },
    { type: "diff", path: "/work/b.ts", oldText: null, newText: "new\n" },
    { type: "content", content: note },
  ]);
  expect(toolCall.rawInput).toEqual(asked.toolInput);
  const edit = { file_path: "/work/a.ts", old_string: "one", new_string: "two" };
  const { content } = toQuestion(
    { ...REQUEST, toolInput: edit },
    { sessionId: "s", toolCallId: "t" },
  ).toolCall;
  expect(content).toEqual([{ type: "diff", path: "/work/a.ts", oldText: "one", newText: "two" }]);
});
