import { ContinuoError, type NewEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { Scope } from "../engine/index.ts";
import { type EventTuple, mediaTimeOf, numberEvent, prepareEvents, toStoredEvent } from "./events.ts";

const NOW = "2026-01-01T00:00:00.000Z";
const LIMIT_OF_PAYLOAD = 33_554_432;
const HINT = "Store large data as a blob and refer to it.";

function scopeOf(): Scope {
  let made = 0;
  return {
    now: () => Date.parse(NOW),
    newId: () => `id${++made}`,
    sha256: (data: string | Uint8Array) =>
      typeof data === "string" ? `sha(${data})` : `sha(${data.length})`,
  } as unknown as Scope;
}

function prepare(...events: readonly NewEvent[]) {
  return prepareEvents(scopeOf(), events);
}

function refusalOf(...events: readonly NewEvent[]): object {
  try {
    prepare(...events);
  } catch (error) {
    if (!(error instanceof ContinuoError)) throw error;
    const { code, message, hint, details, cause } = error;
    return {
      code,
      message,
      hint,
      details,
      cause: cause instanceof ContinuoError ? cause.message : undefined,
    };
  }
  return {};
}

function tooLarge(what: string, limit: number, size: number, index?: number): object {
  const message = `${what}: ${size} is more than the limit of ${limit}`;
  const details = { what, limit, size, ...(index === undefined ? {} : { index }) };
  return {
    code: "too_large",
    message,
    hint: HINT,
    details,
    cause: index === undefined ? undefined : message,
  };
}

const bytes = (size: number): NewEvent => ({ type: "bytes", data: new Uint8Array(size) });
const text = (data: string): NewEvent => ({ type: "mine", data });

test("an event without optional fields is given an id, the time, the system as actor", () => {
  expect(prepare({ type: "mine", data: { b: 1, a: 2 } })).toEqual([
    {
      id: "id1",
      retriable: "no",
      type: "mine",
      parentId: undefined,
      actor: { kind: "system" },
      actorText: '{"kind":"system"}',
      runId: undefined,
      occurredAt: NOW,
      recordedAt: NOW,
      retention: "critical",
      payload: '{"b":1,"a":2}',
      bytes: null,
      hashed: '{"a":2,"b":1}',
      payloadHash: 'sha({"a":2,"b":1})',
      extras: undefined,
      mediaTimeMs: null,
    },
  ]);
});

const HASH = "ab".repeat(32);

const FULL: NewEvent = {
  id: "e",
  type: "message_sent",
  data: { content: 7, mediaTimeMs: 0 },
  parentId: "p",
  runId: "r",
  actor: { kind: "agent", id: "a", agent: "pi", more: "left out" } as never,
  occurredAt: "2025-01-01T00:00:00.123456789Z",
  retention: "supplementary",
  salt: "random",
  blobs: [HASH, HASH],
};

const FULL_EXTRAS = { blobs: [HASH], salt: "sha(id1id2)", invalid: "content is no string or Block[]." };

test("optional fields of an event are taken as they are given, and blobs once", () => {
  expect(prepare(FULL)).toEqual([
    {
      id: "e",
      retriable: "yes",
      type: "message_sent",
      parentId: "p",
      actor: { kind: "agent", id: "a", agent: "pi" },
      actorText: '{"kind":"agent","id":"a","agent":"pi"}',
      runId: "r",
      occurredAt: "2025-01-01T00:00:00.123456789Z",
      recordedAt: NOW,
      retention: "supplementary",
      payload: '{"content":7,"mediaTimeMs":0}',
      bytes: null,
      hashed: '{"content":7,"mediaTimeMs":0}',
      payloadHash: 'sha(sha(id1id2)\n{"content":7,"mediaTimeMs":0})',
      extras: FULL_EXTRAS,
      mediaTimeMs: 0,
    },
  ]);
});

test.each([
  [{ blobs: [] }, undefined],
  [{ blobs: [HASH] }, { blobs: [HASH] }],
  [{ salt: "random" }, { salt: "sha(id1id2)" }],
  [{ type: "message_sent" }, { invalid: "The payload is no object." }],
] as const)("an event with %j has no other extras than these", (fields, extras) => {
  expect(prepare({ type: "mine", data: 1, ...fields })[0]?.extras).toStrictEqual(extras);
});

test.each([
  [{ mediaTimeMs: 0 }, 0],
  [{ mediaTimeMs: 7 }, 7],
  [{ mediaTimeMs: -1 }, null],
  [{ mediaTimeMs: 0.5 }, null],
  [{ mediaTimeMs: "7" }, null],
  [{ mediaTimeMs: 2 ** 53 }, null],
  [{}, null],
  [null, null],
  [7, null],
  [Object.assign([], { mediaTimeMs: 7 }), null],
])("the media time of %j is %j", (data, time) => {
  expect(mediaTimeOf(data)).toBe(time);
});

test.each(["A".repeat(64), "0".repeat(63), "0".repeat(65), `${"0".repeat(64)}\n`])(
  "%j is no hash of a blob",
  (hash) => {
    expect(refusalOf({ type: "mine", data: 1, blobs: [HASH, hash] })).toMatchObject({
      message: "the hash of a blob must be 64 hex digits",
      details: { hash, index: 0 },
    });
  },
);

test("an append holds at most 10,000 events", () => {
  expect(prepareEvents(scopeOf(), new Array(10_000).fill(text("")))).toHaveLength(10_000);
  expect(refusalOf(...new Array(10_001).fill(text("")))).toEqual(
    tooLarge("events of one append", 10_000, 10_001),
  );
});

test("a record of bytes holds at most 32 MiB, and an append at most 128 MiB", () => {
  const largest = bytes(LIMIT_OF_PAYLOAD);
  expect(refusalOf(bytes(0), bytes(LIMIT_OF_PAYLOAD + 1))).toEqual(
    tooLarge("bytes of a record", LIMIT_OF_PAYLOAD, LIMIT_OF_PAYLOAD + 1, 1),
  );
  expect(prepare(largest, largest, largest, largest)).toHaveLength(4);
  expect(refusalOf(largest, largest, bytes(1), largest, largest)).toEqual(
    tooLarge("payloads of one append", 4 * LIMIT_OF_PAYLOAD, 4 * LIMIT_OF_PAYLOAD + 1),
  );
});

test("a payload holds at most 32 MiB of UTF-8", () => {
  const euros = "€".repeat(LIMIT_OF_PAYLOAD / 3);
  expect(prepare(text(euros))).toHaveLength(1);
  expect(refusalOf(text(`${euros}x`))).toEqual(
    tooLarge("bytes of a payload", LIMIT_OF_PAYLOAD, LIMIT_OF_PAYLOAD + 1, 0),
  );
  expect(refusalOf(text("x".repeat(LIMIT_OF_PAYLOAD - 1)))).toEqual(
    tooLarge("bytes of a payload", LIMIT_OF_PAYLOAD, LIMIT_OF_PAYLOAD + 1, 0),
  );
});

test("the bytes of a record are a copy", () => {
  const data = Uint8Array.from([1, 2]);
  const [prepared] = prepare({ type: "bytes", data });
  data.fill(9);
  expect([prepared?.payload, prepared?.bytes, prepared?.hashed]).toEqual([
    null,
    Uint8Array.from([1, 2]),
    Uint8Array.from([1, 2]),
  ]);
});

/** Returns the tuple that a read selects. */
function tupleOf(row: readonly unknown[], body: unknown): EventTuple {
  return [...row.slice(1, 10), body, ...row.slice(12, 15)] as unknown as EventTuple;
}

test.each<[string, NewEvent]>([
  ["all fields", FULL],
  ["no optional field", { type: "mine", data: null }],
  ["bytes", bytes(3)],
  ["a person as actor", { type: "mine", data: 1, actor: { kind: "person", id: "ada" } }],
  ["the system as actor", { type: "mine", data: 1, actor: { kind: "system" } }],
])("an event with %s is read as it was stored", (_what, given) => {
  const [event] = prepare(given);
  if (event === undefined) throw new Error("No event was prepared.");
  const { row, stored } = numberEvent(scopeOf(), { logKey: 3, logId: "log" }, event, 5, "previous");
  expect([row[0], row[1], row[15]]).toEqual([3, 5, event.mediaTimeMs]);
  expect(toStoredEvent("log", tupleOf(row, row[10] ?? row[11]))).toStrictEqual(stored);
  expect(stored).toStrictEqual({
    logId: "log",
    sequence: 5,
    id: event.id,
    type: given.type,
    ...(given.parentId === undefined ? {} : { parentId: "p" }),
    actor: given.actor === undefined || given === FULL ? event.actor : given.actor,
    ...(given.runId === undefined ? {} : { runId: "r" }),
    occurredAt: event.occurredAt,
    recordedAt: NOW,
    retention: event.retention,
    data: given.data,
    payloadHash: event.payloadHash,
    chainHash: stored.chainHash,
    ...event.extras,
  });
  expect(stored.chainHash).toContain("previous");
});

test("a damaged row is refused as corrupt, and the error names its place", () => {
  const row = [1, "e", "mine", null, "{", null, NOW, NOW, 0, "1", "hash", "chain", null] as const;
  expect(() => toStoredEvent("log", row)).toThrow(
    expect.objectContaining({
      code: "corrupt",
      message: "cannot read event 1 of log: its row is damaged",
      hint: "Run `continuo store verify`, and restore the log from a backup.",
      details: { logId: "log", sequence: 1 },
      cause: expect.any(SyntaxError),
    }),
  );
});
