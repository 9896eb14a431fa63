import type { SavedPage, WindowMessage } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { answersOf } from "./answers.ts";

function messageAt(index: number): WindowMessage {
  const id = `m${index}`;
  return {
    message: { id, role: "user", content: [{ type: "text", text: `Text ${index}` }], metadata: {} },
    index,
    turnId: id,
    turn: index + 1,
    costUsd: null,
    cuts: [],
  };
}

const messages = Array.from({ length: 50 }, (_, index) => messageAt(index));
const change = { path: "a b.ts", changes: [], total: 0, nextAfter: null };
const first = {
  branch: null,
  shared: 0,
  outline: { turns: [], total: 50 },
  messages,
  texts: [{ messageId: "m1", path: "content/0/text", text: "x".repeat(300_000) }],
  changes: { files: [], total: 0 },
  files: [change],
};
const other = { ...first, branch: "leaf-2", shared: 40, messages: [messageAt(90)], outline: { turns: [] } };
const head = { session: { key: "claude:1" }, branches: [{ id: "leaf-1", active: true }] };
const subagent = {
  head: { session: { key: "claude:1>a" }, branches: [] },
  histories: [first],
  branches: null,
};
const saved = {
  savedAt: "",
  notes: [],
  sessions: [{ head, branches: { branches: [], left: 0 }, histories: [first, other] }, subagent],
} as unknown as SavedPage;
const answer = answersOf(saved);
const ROOT = "/v1/machine/sessions/claude%3A1";

test.each([
  ["the newest", "limit=3", [47, 49], true, false],
  ["those before a message", "before=m10&limit=3", [7, 9], true, true],
  ["the first ones", "before=m2&limit=3", [0, 1], false, true],
  ["those after a message", "after=m45&limit=60", [46, 49], true, false],
  ["those around a message", "around=m30&limit=20", [20, 39], true, true],
  ["those around a turn", "around=turn%3A31&limit=20", [20, 39], true, true],
])("a window has %s", (_, query, [first, last], hasOlder, hasNewer) => {
  const window = answer(`${ROOT}/history?${query}`) as { readonly messages: readonly WindowMessage[] };
  expect(window).toMatchObject({ hasOlder, hasNewer, total: 50 });
  expect([window.messages[0]?.index, window.messages.at(-1)?.index]).toEqual([first, last]);
});

test("the head, the outline, changes of a file and the rest of a text are in the page, and nothing else is", () => {
  expect(answer(ROOT)).toBe(head);
  expect(answer(`${ROOT}/outline?limit=500`)).toBe(first.outline);
  expect(answer(`${ROOT}/changes`)).toBe(first.changes);
  expect(answer(`${ROOT}/changes?path=a+b.ts`)).toBe(change);
  const rest = answer(`${ROOT}/messages/m1/text?path=content%2F0%2Ftext&from=299999`);
  expect(rest).toEqual({ text: "x", from: 299_999, total: 300_000 });
  expect(() => answer(`${ROOT}/resume`)).toThrow("does not have it inside");
  expect(() => answer("/v1/machine/sessions/other/history")).toThrow("does not have it inside");
});

test("a branch has the messages that it shares with the first history, and then its own", () => {
  const window = (query: string) =>
    answer(`${ROOT}/history?${query}`) as { readonly messages: readonly WindowMessage[] };
  const last = (query: string) => window(query).messages.map(({ index }) => index);
  expect(last("limit=2&branch=leaf-2")).toEqual([39, 90]);
  expect(last("limit=2&branch=leaf-1")).toEqual([48, 49]);
  expect(answer(`${ROOT}/outline?branch=leaf-2`)).toBe(other.outline);
  expect(answer(`${ROOT}/branches`)).toEqual({ branches: [], left: 0 });
  expect(() => window("branch=leaf-3")).toThrow("does not have it inside");
});

test("a sub-agent is found by its own key", () => {
  expect(answer("/v1/machine/sessions/claude%3A1%3Ea")).toBe(subagent.head);
  expect(() => answer("/v1/machine/sessions/claude%3A1%3Ea/branches")).toThrow("does not have it inside");
});
