import type { Json } from "@continuo/files";
import { describe, expect, test } from "vitest";
import { bytesOf, draftOf, editsOf } from "../repairing/index.ts";
import { geminiRepairer } from "./repair.ts";

const HEAD = { sessionId: "s-1", projectHash: "p", startTime: "2026-01-01T00:00:00.000Z", kind: "main" };

/** The records after the repair, without the head, and why they changed. */
function repaired(records: readonly Json[]): { readonly records: Json[]; readonly reasons: string[] } {
  const mend = (bytes: Buffer) => {
    const draft = draftOf(bytes);
    let made = 0;
    const makers = { uuid: () => "", uuid4: () => `new-${++made}`, hex: () => "", now: () => 0 };
    geminiRepairer.mend(draft, { sessionId: "s-1", cwd: "/x", makers: makers as never });
    return draft;
  };
  const draft = mend(Buffer.from([HEAD, ...records].map((record) => `${JSON.stringify(record)}\n`).join("")));
  const bytes = bytesOf(draft);
  expect(editsOf(mend(bytes)), "a repaired session needs no repair").toEqual([]);
  const [, ...lines] = bytes.toString().trimEnd().split("\n");
  return {
    records: lines.map((line) => JSON.parse(line)),
    reasons: editsOf(draft).map(({ reason }) => reason),
  };
}

const prompt = { id: "u1", type: "user", content: [{ text: "why?" }] };
const result = (id: string): Json => ({
  functionResponse: { id, name: "look", response: { output: `result of ${id}` } },
});
const call = (id: string): Json => ({ functionCall: { id, name: "look", args: { at: id } } });
const LOST = "the call of a result is lost";

test("a repeated list is removed, because it would remove the messages after the first one", () => {
  const listed = { $set: { messages: [prompt], lastUpdated: "2026-01-01T00:00:01.000Z" } };
  const answer = { id: "g1", type: "gemini", content: "Because." };
  const other = { $set: { messages: [prompt, answer] } };
  expect(repaired([listed, answer, listed])).toEqual({
    records: [listed, answer],
    reasons: ["it repeats an earlier list, which takes out the messages after that one"],
  });
  expect(repaired([listed, answer, other]).reasons).toEqual([]);
});

test.each([undefined, 7, {}])("a result with the id %j gets the id of the call that waits for it", (id) => {
  const answer = { id: "g1", type: "gemini", content: [call("c1"), call("c2")] };
  const damaged = { functionResponse: { ...(result("c2").functionResponse as Json), id } };
  const results = { id: "u2", type: "user", content: [result("c1"), damaged] };
  expect(repaired([prompt, answer, results])).toEqual({
    records: [prompt, answer, { ...results, content: [result("c1"), result("c2")] }],
    reasons: ["a result does not name its call"],
  });
});

describe("a message whose type is damaged", () => {
  test.each([
    ["its thoughts", { content: "Yes.", thoughts: [] }, "gemini"],
    ["its tokens", { content: "Yes.", tokens: { input: 1 } }, "gemini"],
    [
      "a call in it",
      { content: [{ functionCall: { id: "c", name: "look", args: {} } }], toolCalls: [] },
      "gemini",
    ],
    ["what was displayed", { content: [{ text: "why?" }], displayContent: [{ text: "w" }] }, "user"],
  ])("gets the type that %s tells", (_what, rest, type) => {
    const { records, reasons } = repaired([prompt, { id: "m", type: 7, ...rest }]);
    expect(records[1]).toEqual(expect.objectContaining({ id: "m", type }));
    expect(reasons[0]).toContain("the message has no type");
  });

  test.each([
    ["a text alone", { content: [{ text: "why?" }] }],
    ["keys of both", { content: "x", thoughts: [], displayContent: "y" }],
  ])("stays as it is with %s, in a list too", (_what, rest) => {
    const damaged = { id: "m", type: 7, ...rest };
    const listed = { $set: { messages: [prompt, damaged] } };
    expect(repaired([prompt, damaged, listed])).toEqual({ records: [prompt, damaged, listed], reasons: [] });
  });
});

test("an answer without content keeps its thoughts", () => {
  const { records } = repaired([prompt, { id: "m", type: "gemini", thoughts: [{ subject: "Hm" }] }]);
  expect(records[1]).toEqual({ id: "m", type: "gemini", thoughts: [{ subject: "Hm" }], content: "" });
});

describe("a result whose call is lost gets the call before it", () => {
  test("on a line, and in the list that repeats it, as the same message", () => {
    const results = { id: "r1", timestamp: "2026-01-01T00:00:01.000Z", type: "user", content: [result("a")] };
    const lost = { id: "new-1", timestamp: "2026-01-01T00:00:01.000Z", type: "gemini" };
    const called = { ...lost, content: [{ functionCall: { id: "a", name: "look", args: {} } }] };
    const { records, reasons } = repaired([prompt, results, { $set: { messages: [prompt, results] } }]);
    expect(records).toEqual([prompt, called, results, { $set: { messages: [prompt, called, results] } }]);
    expect(reasons).toEqual([LOST, LOST]);
  });

  test("next to the calls of the other results, in one answer", () => {
    const answer = { id: "g1", type: "gemini", content: [{ text: "I look." }, call("a")] };
    const results = { id: "r1", type: "user", content: [result("a"), result("b")] };
    const { records } = repaired([prompt, answer, results]);
    const both = [...answer.content, { functionCall: { id: "b", name: "look", args: {} } }];
    expect(records).toEqual([prompt, { ...answer, content: both }, results]);
  });

  test("without an id if the result names none", () => {
    const results = {
      id: "r1",
      type: "user",
      content: [{ functionResponse: { name: "look", response: {} } }],
    };
    const { records } = repaired([prompt, results]);
    expect(records[1]).toMatchObject({ content: [{ functionCall: { name: "look", args: {} } }] });
  });
});
