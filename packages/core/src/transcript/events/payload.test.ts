/** Fields of payloads, and keys of events, by each name that they go by. */

import { describe, expect, test } from "vitest";
import { type EventLike, logIdOf, sequenceOf, timeOf, toEntry } from "./entry.ts";
import { anyField, isFields, numberField, textField, wordsOf } from "./payload.ts";

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [null, false],
  [undefined, false],
  [[], false],
  ["text", false],
])("%j is a record with fields: %s", (value, expected) => {
  expect(isFields(value)).toBe(expected);
});

test.each([
  ["messageId", { messageId: "a", message_id: "b" }, "a"],
  ["messageId", { message_id: "b" }, "b"],
  ["messageId", { messageId: null, message_id: "b" }, "b"],
  ["messageId", { message_id: null }, undefined],
  ["messageId", { messageid: "a" }, undefined],
  ["approvalMessageId", { approval_message_id: 7 }, 7],
  ["usage", { usage: false }, false],
  ["usage", {}, undefined],
  ["toolCallId", { toolCallId: "a", tool_call_id: "b" }, "a"],
  ["toolCallId", { tool_call_id: "b", tool_use_id: "c", call_id: "d" }, "b"],
  ["toolCallId", { tool_use_id: "c", call_id: "d" }, "c"],
  ["toolCallId", { tool_call_id: null, call_id: "d" }, "d"],
])("the field %s of %j is %j", (name, payload, expected) => {
  expect(anyField(payload, name)).toBe(expected);
});

test.each([
  ["words", "words", undefined],
  ["", "", undefined],
  [7, undefined, 7],
  [0, undefined, 0],
  [Number.NaN, undefined, undefined],
  [Number.POSITIVE_INFINITY, undefined, undefined],
  [{}, undefined, undefined],
])("the field %j is the text %j, or the number %j", (aField, text, number) => {
  expect([textField({ aField }, "aField"), numberField({ a_field: aField }, "aField")]).toEqual([
    text,
    number,
  ]);
});

test.each([
  [undefined, ""],
  [null, ""],
  ["words", "words"],
  [{ message: "words", code: 1 }, "words"],
  [{ message: 7 }, '{"message":7}'],
  [[1], "[1]"],
  [false, "false"],
  [() => 1, ""],
])("%j in words is %j", (value, expected) => {
  expect(wordsOf(value)).toBe(expected);
});

describe("an event", () => {
  test("is read by the names of a stored event", () => {
    const actor = { kind: "person" } as const;
    const event: EventLike = {
      type: "x",
      data: { a: 1 },
      payload: { b: 2 },
      sequence: 3,
      sequence_number: 4,
      id: "e",
      actor,
      occurredAt: "10:00",
      occurred_at: "11:00",
      timestamp: "12:00",
      runId: "r",
      run_id: "s",
    };
    expect(toEntry(event)).toEqual({
      type: "x",
      data: { a: 1 },
      sequence: 3,
      id: "e",
      time: "10:00",
      runId: "r",
      actor,
      isPruned: false,
    });
  });

  test("is read by other names, and has nothing where it has none", () => {
    const event: EventLike = {
      type: "x",
      payload: { b: 2 },
      sequence_number: 4,
      occurred_at: 0,
      run_id: "s",
    };
    const nothing = { id: undefined, actor: undefined, isPruned: false };
    expect(toEntry(event)).toEqual({
      ...nothing,
      type: "x",
      data: { b: 2 },
      sequence: 4,
      runId: "s",
      time: "1970-01-01T00:00:00.000Z",
    });
    expect(toEntry({ type: "x", data: null, payload: 1, id: null, actor: null, pruned: null })).toEqual({
      ...nothing,
      type: "x",
      data: null,
      sequence: undefined,
      runId: undefined,
      time: undefined,
    });
  });

  test.each([[true], [{ reason: "old" }], [false]])("whose `pruned` is %j is pruned", (pruned) => {
    expect(toEntry({ type: "x", pruned }).isPruned).toBe(true);
  });

  test.each([
    [{ sequence: 0 }, 0],
    [{ sequence: "7" }, 7],
    [{ sequence: "123456789012345" }, 123456789012345],
    [{ sequence: "1234567890123456" }, undefined],
    [{ sequence: "1.5" }, undefined],
    [{ sequence: Number.NaN }, undefined],
    [{ sequence: null, sequence_number: "8" }, 8],
    [{}, undefined],
  ])("of %j has the sequence %s", (event, expected) => {
    expect(sequenceOf({ type: "x", ...event })).toBe(expected);
  });

  test.each([
    [{ logId: "a", log_id: "b", sessionId: "c", session_id: "d" }, "a"],
    [{ logId: null, log_id: "b", sessionId: "c" }, "b"],
    [{ sessionId: "c", session_id: "d" }, "c"],
    [{ session_id: "d" }, "d"],
    [{}, undefined],
  ])("of %j is of the log %s", (event, expected) => {
    expect(logIdOf({ type: "x", ...event })).toBe(expected);
  });

  test.each([
    [{ timestamp: "12:00" }, "12:00"],
    [{ occurredAt: null, timestamp: 8.64e15 }, "+275760-09-13T00:00:00.000Z"],
    [{ timestamp: -8.64e15 }, "-271821-04-20T00:00:00.000Z"],
    [{ timestamp: 8.64e15 + 1 }, undefined],
    [{ timestamp: Number.NaN }, undefined],
    [{}, undefined],
  ])("of %j occurred at %s", (event, expected) => {
    expect(timeOf({ type: "x", ...event })).toBe(expected);
  });
});
