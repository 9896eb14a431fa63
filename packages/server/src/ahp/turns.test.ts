/** The parts of an answer, as an editor shows them. */

import type { Block, ToolCallBlock, ToolResultBlock } from "@continuo/core/model";
import type { WindowMessage } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { editsOf } from "./edits.ts";
import type { ToolCall } from "./protocol.ts";
import { callOfPart, toParts, toTurns } from "./turns.ts";
import { parseEditUri } from "./uris.ts";

const PLACE = { session: "claude:/one", cwd: "/work/app" };

/** A call with its result, as an agent stores them. */
const called = (call: ToolCallBlock, result: Partial<ToolResultBlock> = {}): readonly WindowMessage[] => {
  const block = { type: "tool_result", toolCallId: call.id, content: [], isError: false, ...result };
  const end = { turnId: "1", message: { id: "b", role: "tool", content: [block], metadata: {} } };
  return [answer(call), end as unknown as WindowMessage];
};

function shownCall(messages: readonly WindowMessage[]): ToolCall {
  const [part] = toParts(messages, PLACE);
  if (part?.kind !== "toolCall") throw new Error("it is no call");
  return part.toolCall;
}

const answer = (...content: readonly Block[]): WindowMessage =>
  ({
    turnId: "1",
    message: { id: "a", role: "assistant", content, metadata: {} },
  }) as unknown as WindowMessage;

test("a call with long arguments has a title of one row, and its whole input beside it", () => {
  const todos = Array.from({ length: 20 }, (_, at) => ({ content: `task ${at}`, status: "pending" }));
  const call = { type: "tool_call", id: "c", name: "TodoWrite", args: { todos } } as const;
  const { invocationMessage = "", toolInput, _meta } = shownCall([answer(call)]);
  expect(_meta).toBeUndefined();
  const title = String(invocationMessage);
  expect([title.length, title.at(-1)]).toEqual([160, "…"]);
  expect(JSON.parse(toolInput ?? "")).toEqual({ todos });
});

test.each([
  [{ command: "npm test" }, '{"command":"npm test"}'],
  [{ command: ["bash", "-lc", "npm test"] }, "npm test"],
])("a call that runs a command is one of a terminal, with the line that runs: %j", (args, input) => {
  const call = shownCall(called({ type: "tool_call", id: "c", name: "shell", args }));
  expect(call).toMatchObject({ _meta: { toolKind: "terminal" }, toolInput: input, status: "completed" });
});

test("a change of a file has its size and the names of its two texts", () => {
  const args = { file_path: "src/a.ts", old_string: "one\ntwo\n", new_string: "one\n2\nthree\n" };
  const messages = called({ type: "tool_call", id: "c", name: "Edit", args });
  const [edit] = shownCall(messages).content ?? [];
  if (edit?.type !== "fileEdit") throw new Error("it is no edit");
  expect(edit).toMatchObject({
    before: { uri: "file:///work/app/src/a.ts" },
    after: { uri: "file:///work/app/src/a.ts" },
    diff: { added: 2, removed: 1 },
  });
  const texts = [edit.before, edit.after].map((side) => {
    const name = parseEditUri(side?.content.uri ?? "");
    expect(name?.session).toBe(PLACE.session);
    const found = callOfPart(messages, name?.part ?? "");
    return found === null || name === null ? null : editsOf(found.call, found.result)[name.at]?.[name.side];
  });
  expect(texts).toEqual(["one\ntwo\n", "one\n2\nthree\n"]);
});

test("a new file has no text before the change, and a change that failed is not shown", () => {
  const call = {
    type: "tool_call",
    id: "c",
    name: "Write",
    args: { file_path: "/tmp/b.ts", content: "one\n" },
  } as const;
  const [edit] = shownCall(called(call)).content ?? [];
  expect(edit).toMatchObject({ after: { uri: "file:///tmp/b.ts" }, diff: { added: 1, removed: 0 } });
  expect(edit).not.toHaveProperty("before");
  expect(shownCall(called(call, { isError: true }))).toMatchObject({ success: false });
  expect(shownCall(called(call, { isError: true })).content).toBeUndefined();
});

test("a turn lasts from its first message to its last one, in milliseconds, and has the tokens of all of them", () => {
  const at = (second: number, more: object): WindowMessage => {
    const timestamp = `2026-03-01T10:00:0${second}.000Z`;
    const message = { id: `m${second}`, content: [], metadata: {}, role: "assistant", timestamp, ...more };
    return { turnId: "1", message } as unknown as WindowMessage;
  };
  const [turn] = toTurns(
    [
      at(0, { role: "user", content: [{ type: "text", text: "go" }] }),
      at(2, { usage: { inputTokens: 10, outputTokens: 1 } }),
      at(5, { usage: { inputTokens: 30, outputTokens: 4 } }),
    ],
    PLACE,
  );
  expect(turn).toMatchObject({
    startedAt: "2026-03-01T10:00:00.000Z",
    duration: 5_000,
    usage: { inputTokens: 40, outputTokens: 5 },
    message: { text: "go", origin: { kind: "user" } },
  });
});

test("an error in the middle of a turn is a notice, and only one at its end ends the turn as failed", () => {
  const said = (id: string, text: string, more: object = {}): WindowMessage => {
    const message = { id, role: "assistant", content: [{ type: "text", text }], metadata: {}, ...more };
    return { turnId: "1", message } as unknown as WindowMessage;
  };
  const overloaded = said("e", "overloaded", { origin: "error" });
  const [again] = toTurns([said("a", "one"), overloaded, said("b", "two")], PLACE);
  expect(again?.state).toBe("complete");
  expect(again?.responseParts).toMatchObject([
    { kind: "markdown", content: "one" },
    { kind: "systemNotification", content: "overloaded" },
    { kind: "markdown", content: "two" },
  ]);
  const [ended] = toTurns([said("a", "one"), overloaded], PLACE);
  expect(ended?.state).toBe("error");
  expect(ended?.responseParts.at(-1)).toMatchObject({ kind: "error", error: { message: "overloaded" } });
});

test.each([
  ["denied", "the call was denied"],
  ["cancelled", "the call was cancelled"],
  ["interrupted", "the call was interrupted"],
  ["error", "the call failed"],
] as const)("a call that was %s did not succeed: %s", (status, message) => {
  const call = { type: "tool_call", id: "c", name: "Bash", args: { command: "make" } } as const;
  expect(shownCall(called(call, { status }))).toMatchObject({ success: false, error: { message } });
});

test("the question of a person is the message of its turn, also after what the agent injected", () => {
  const said = (id: string, words: string, origin?: "injected"): WindowMessage =>
    ({
      turnId: "1",
      message: { id, role: "user", content: [{ type: "text", text: words }], metadata: {}, origin },
    }) as unknown as WindowMessage;
  const before = said("x", "<environment>", "injected");
  const end = answer({ type: "text", text: "yes" });
  const parts = [{ kind: "markdown", id: "a.0", content: "yes" }];
  expect(toTurns([before, said("q", "Is it?"), end], PLACE)).toMatchObject([
    { message: { text: "Is it?", origin: { kind: "user" } }, responseParts: parts },
  ]);
  // A turn that no person began has the injected text.
  expect(toTurns([before, end], PLACE)).toMatchObject([
    { message: { text: "<environment>", origin: { kind: "systemNotification" } }, responseParts: parts },
  ]);
});
