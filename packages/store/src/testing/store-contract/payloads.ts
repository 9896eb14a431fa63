/** Cases for payloads: some are kept exactly, some are stored and marked as invalid, and some are refused. */

import assert from "node:assert/strict";
import { ContinuoError, type NewEvent } from "@continuo/core/model";
import { type ContractCase, newLog, rejects, said } from "./case.ts";

function custom(value: unknown): NewEvent {
  return { type: "custom", data: { name: "n", value } };
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let n = 0; n < levels; n++) value = n % 2 === 0 ? [value] : { value };
  return value;
}

const KEPT: Readonly<Record<string, unknown>> = {
  "a NUL": "a\u0000b",
  "lone surrogates": "\ud800 and \udc00",
  "surrogate pairs": "🙂 𝒳",
  "line separators": "\u2028\u2029",
  "an empty key and __proto__": JSON.parse('{"": 1, "__proto__": {"x": 1}, "constructor": 2}') as unknown,
  "keys that look like numbers": { "10": 1, "9": 2, a: 3, "01": 4 },
  "the extremes of numbers": [0, -1, 1e21, 1e-7, 5e-324, 1.7976931348623157e308, 2 ** 53, 0.1],
  "null, booleans and empty values": [null, true, false, {}, [], ""],
  "deep nesting": nested(900),
  "a thousand keys": Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`k${999 - n}`, n])),
};

const INVALID: Readonly<Record<string, unknown>> = {
  "no type": { data: 1 },
  "an empty type": { type: "", data: 1 },
  "no data": { type: "custom" },
  "a bigint": { type: "custom", data: { name: "n", value: 1n } },
  "a function": { type: "custom", data: () => 1 },
  "an id that is not a text": { type: "custom", data: { name: "n" }, id: 1 },
  "an id with a NUL": { type: "custom", data: { name: "n" }, id: "a\u0000" },
  "a time that is not a time": { type: "custom", data: { name: "n" }, occurredAt: "yesterday" },
  "a time that is not UTC": { type: "custom", data: { name: "n" }, occurredAt: "2026-01-01T00:00:00+02:00" },
  "an unknown actor": { type: "custom", data: { name: "n" }, actor: { kind: "robot" } },
  "an unknown retention": { type: "custom", data: { name: "n" }, retention: "maybe" },
  "a blob that is not a hash": { type: "custom", data: { name: "n" }, blobs: ["x"] },
  "bytes in a log of events": { type: "bytes", data: new Uint8Array(1) },
  "null instead of an object": null,
};

export const payloadCases: readonly ContractCase[] = [
  ...Object.entries(KEPT).map(
    ([what, value]): ContractCase => ({
      name: `a payload with ${what} is kept exactly`,
      run: async ({ store }) => {
        const logId = await newLog(store);
        const [stored] = await store.append(logId, [custom(value)]);
        const [read] = (await store.read(logId)).events;
        assert.equal(JSON.stringify(read?.data), JSON.stringify({ name: "n", value }));
        assert.deepEqual(read, stored);
        assert.equal((await store.verify(logId)).ok, true);
      },
    }),
  ),
  {
    name: "a payload of 10 MB is kept exactly",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const value = "0123456789".repeat(1_048_576);
      await store.append(logId, [custom(value)]);
      const [event] = (await store.read(logId)).events;
      assert.ok(event !== undefined && (event.data as { value: string }).value === value);
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "a payload above the limit is refused with too_large, and nothing is stored",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const error = await rejects("too_large", store.append(logId, [custom("x".repeat(33_554_433))]));
      assert.ok(Number(error.details.limit) > 0);
      assert.equal(await store.latestSequence(logId), 0);
    },
  },
  {
    name: "a payload with 10,000 levels of nesting is refused with too_large, and nothing is stored",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await rejects("too_large", store.append(logId, [custom(nested(10_000))]));
      assert.equal(await store.latestSequence(logId), 0);
    },
  },
  {
    name: "a payload is stored as JSON.stringify writes it: a Date becomes a text, and NaN becomes null",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const value = { at: new Date(0), gone: undefined, not: Number.NaN, list: [undefined] };
      const [stored] = await store.append(logId, [custom(value)]);
      const kept = { at: "1970-01-01T00:00:00.000Z", not: null, list: [null] };
      assert.deepEqual(stored?.data, { name: "n", value: kept });
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "later changes of the payload by the caller have no effect",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const data = { name: "n", value: [1] };
      const appending = store.append(logId, [{ type: "custom", data }]);
      data.value.push(2);
      const [stored] = await appending;
      data.value.push(3);
      assert.deepEqual(stored?.data, { name: "n", value: [1] });
      assert.deepEqual((await store.read(logId)).events[0]?.data, { name: "n", value: [1] });
    },
  },
  ...Object.entries(INVALID).map(
    ([what, event]): ContractCase => ({
      name: `an event with ${what} is refused`,
      run: async ({ store }) => {
        const logId = await newLog(store);
        const error = await rejects("invalid", store.append(logId, [said("good"), event as NewEvent]));
        assert.ok(error instanceof ContinuoError);
        assert.equal(await store.latestSequence(logId), 0);
      },
    }),
  ),
  {
    name: "an event of an unknown type is stored unchanged",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [event] = await store.append(logId, [{ type: "from.the/future", data: [1, { a: null }] }]);
      assert.deepEqual(
        [event?.type, event?.data, event?.retention],
        ["from.the/future", [1, { a: null }], "critical"],
      );
      assert.equal(event?.invalid, undefined);
    },
  },
  {
    name: "a known type with a wrong payload is stored and marked",
    run: async ({ store }) => {
      const logId = await newLog(store);
      await store.append(logId, [
        { type: "message_sent", data: { content: 1 } },
        { type: "tool_call_started", data: { toolCallId: "t" } },
        { type: "message_sent", data: "text" },
      ]);
      const { events } = await store.read(logId);
      assert.deepEqual(
        events.map((event) => event.invalid),
        ["content is no string or Block[].", "The payload lacks toolName.", "The payload is no object."],
      );
      assert.equal((await store.verify(logId)).ok, true);
    },
  },
  {
    name: "a payload with snake_case keys and unknown keys is valid",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const [event] = await store.append(logId, [
        { type: "tool_call_started", data: { tool_use_id: "t", tool_name: "n", extra: 1 } },
      ]);
      assert.equal(event?.invalid, undefined);
      assert.deepEqual(event?.data, { tool_use_id: "t", tool_name: "n", extra: 1 });
    },
  },
  {
    name: "an event without a retention gets the retention of its type",
    run: async ({ store }) => {
      const logId = await newLog(store);
      const events = await store.append(logId, [
        said("x"),
        { type: "message_streamed", data: { delta: "x", messageId: "m" } },
        { type: "evidence_added", data: { kind: "speech" }, retention: "critical" },
      ]);
      assert.deepEqual(
        events.map((event) => event.retention),
        ["critical", "supplementary", "critical"],
      );
    },
  },
];
