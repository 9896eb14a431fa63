/**
 * Refusals of reads, forks, snapshots, pruning and lists of logs, and the values that they still accept at their
 * limits.
 */

import type { ContinuoError, NewEvent, Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let store: Store;
beforeAll(async () => {
  store = await openStore("memory:");
  await store.createLog({ logId: "events", events: [event("1"), event("2")] });
  await store.createLog({ logId: "bytes", mediaType: "text/plain", events: [bytes("one"), bytes("two")] });
  await store.forkLog("events", 1, { newLogId: "fork" });
  await store.append("fork", [event("own")]);
  await store.createLog({ logId: "hidden", events: [event("1")] });
  await store.forkLog("hidden", 1, { newLogId: "fork of hidden" });
  await store.deleteLog("hidden");
});
afterAll(() => store.close());

function event(name: string): NewEvent {
  return { type: "custom", data: { name } };
}

function bytes(text: string): NewEvent {
  return { type: "bytes", data: new TextEncoder().encode(text) };
}

/** Values that the types do not allow, as from plain JavaScript. */
const any = (value: unknown): never => value as never;

type Refusal = readonly [call: () => Promise<unknown>, code: string, message: string, details?: object];

async function expectRefused([call, code, message, details = {}]: Refusal): Promise<void> {
  const error = (await call().catch((reason: unknown) => reason)) as ContinuoError;
  expect({ code: error.code, message: error.message, details: error.details }).toEqual({
    code,
    message,
    details,
  });
}

function testRefusals(refusals: readonly Refusal[]): void {
  const cases = refusals.map((refusal) => ({ message: refusal[2], refusal }));
  test.each(cases)("is refused: $message", ({ refusal }) => expectRefused(refusal));
}

const AFTER = "the after must be a sequence (a whole number of at least 0)";
const BEFORE = "the before must be a sequence (a whole number of at least 0)";
const LIMIT = "the limit of a read must be from 1 to 10000";
const BYTES = "maxBytes must be a number above 0";
const ORDER = 'the order of a read must be "oldest" or "newest"';

describe("a read", () => {
  testRefusals([
    [() => store.read("events", { after: -1 }), "invalid", AFTER],
    [() => store.read("events", { before: 0.5 }), "invalid", BEFORE],
    [() => store.read("events", { limit: 0 }), "invalid", LIMIT, { limit: 0 }],
    [() => store.read("events", { limit: 10_001 }), "invalid", LIMIT, { limit: 10_001 }],
    [() => store.read("events", { limit: 1.5 }), "invalid", LIMIT, { limit: 1.5 }],
    [() => store.read("events", { maxBytes: 0 }), "invalid", BYTES, { maxBytes: 0 }],
    [() => store.read("events", { maxBytes: Number.NaN }), "invalid", BYTES, { maxBytes: Number.NaN }],
    [() => store.read("events", { order: any("random") }), "invalid", ORDER],
    [
      () => store.read("events", { types: ["a", ""] }),
      "invalid",
      "the type must be a text that is not empty",
    ],
    [() => store.read("events", { id: "" }), "invalid", "the id must be a text that is not empty"],
    [() => store.read("events", { runId: "\n" }), "invalid", "the runId has control characters"],
    [() => store.read("no"), "not_found", "there is no log no", { logId: "no" }],
    [
      () => store.read("hidden"),
      "gone",
      "the log hidden was deleted, and remains only for its forks",
      { logId: "hidden" },
    ],
  ]);

  test("accepts the bounds of its limits, both orders, and part of a byte", async () => {
    for (const options of [
      { limit: 10_000 },
      { limit: 1 },
      { order: "oldest" },
      { order: "newest" },
      { maxBytes: 0.5 },
      { maxBytes: Number.POSITIVE_INFINITY },
    ] as const) {
      expect((await store.read("events", options)).events.length).toBeGreaterThan(0);
    }
    expect((await store.readJoined("bytes", { separator: "", limit: 10_000 })).records).toBe(2);
    expect((await store.readJoined("bytes", { separator: "", maxBytes: 0.5 })).records).toBe(1);
  });
});

describe("a read of joined records", () => {
  const joined = (options: object) => store.readJoined("bytes", { separator: "", ...options });

  testRefusals([
    [() => joined({ after: -1 }), "invalid", AFTER],
    [() => joined({ limit: 0 }), "invalid", LIMIT, { limit: 0 }],
    [() => joined({ limit: 10_001 }), "invalid", LIMIT, { limit: 10_001 }],
    [() => joined({ limit: 1.5 }), "invalid", LIMIT, { limit: 1.5 }],
    [() => joined({ maxBytes: 0 }), "invalid", BYTES, { maxBytes: 0 }],
    [() => joined({ separator: ";" }), "invalid", 'the separator must be "" or ","'],
    [
      () => store.readJoined("events", { separator: "" }),
      "invalid",
      "the log events holds events, not bytes",
      { logId: "events" },
    ],
  ]);
});

describe("a fork", () => {
  const FORK = "the sequence of a fork must be a sequence (a whole number of at least 0)";
  const PART = "the bytes of a fork must be a sequence (a whole number of at least 0)";

  testRefusals([
    [() => store.forkLog("no", 0), "not_found", "there is no log no", { logId: "no" }],
    [
      () => store.forkLog("hidden", 1),
      "conflict",
      "cannot fork log hidden: it was deleted",
      { logId: "hidden" },
    ],
    [
      () => store.forkLog("events", 3),
      "out_of_range",
      "the log events has not reached sequence 3",
      { logId: "events", sequence: 3, latestSequence: 2 },
    ],
    [() => store.forkLog("events", -1), "invalid", FORK],
    [() => store.forkLog("bytes", 1, { bytes: -1 }), "invalid", PART],
    [
      () => store.forkLog("events", 1, { bytes: 1 }),
      "invalid",
      "only a log of bytes can be forked inside a record",
    ],
    [
      () => store.forkLog("bytes", 2, { bytes: 1 }),
      "out_of_range",
      "the log bytes has not reached sequence 3",
      { logId: "bytes", sequence: 3, latestSequence: 2 },
    ],
    [
      () => store.forkLog("bytes", 1, { bytes: 4 }),
      "invalid",
      "the record has 3 bytes, not 4",
      { bytes: 4, length: 3 },
    ],
  ]);

  test("may include the whole record after its point, or no part of it", async () => {
    for (const [part, expected] of [
      [3, "onetwo"],
      [1, "onet"],
      [0, "one"],
    ] as const) {
      const { logId } = await store.forkLog("bytes", 1, { bytes: part });
      expect(Buffer.from((await store.readJoined(logId, { separator: "" })).bytes).toString()).toBe(expected);
      expect(await store.verify(logId)).toMatchObject({ ok: true });
    }
  });
});

describe("a snapshot", () => {
  const put = (more: object) => store.putSnapshot({ logId: "events", name: "s", data: 1, ...more });
  const NAME = "the name of a snapshot must be a text that is not empty";
  const SEQUENCE = "the sequence of a snapshot must be a sequence (a whole number of at least 0)";

  testRefusals([
    [() => put({ logId: "no" }), "not_found", "there is no log no", { logId: "no" }],
    [() => put({ name: "" }), "invalid", NAME],
    [() => put({ sequence: -1 }), "invalid", SEQUENCE],
    [
      () => put({ sequence: 3 }),
      "out_of_range",
      "the log events has not reached sequence 3",
      { logId: "events", sequence: 3, latestSequence: 2 },
    ],
    [() => store.getLatestSnapshot({ logId: "events", name: "" }), "invalid", NAME],
    [
      () => store.getLatestSnapshot({ logId: "no", name: "s" }),
      "not_found",
      "there is no log no",
      { logId: "no" },
    ],
  ]);

  test("is stored at the head or before it, and replaces the snapshot with the same name and sequence", async () => {
    const first = await put({ name: "x", data: { n: 1 } });
    expect(first).toEqual({
      logId: "events",
      name: "x",
      sequence: 2,
      data: { n: 1 },
      createdAt: expect.any(String),
    });
    const again = await put({ name: "x", sequence: 2, data: null });
    expect(await store.getLatestSnapshot({ logId: "events", name: "x" })).toEqual({
      ...first,
      ...again,
      data: null,
    });
    expect((await put({ name: "x", sequence: 0 })).sequence).toBe(0);
    expect(await store.deleteSnapshots({ logId: "events", before: 2 })).toBe(1);
    expect(await store.deleteSnapshots({ logId: "events", name: "x" })).toBe(1);
  });
});

describe("pruning and redaction", () => {
  const TEXT = "the reason must be a text";
  const SEQUENCE = "the sequence must be a sequence (a whole number of at least 0)";
  const out = (sequence: number): Refusal => [
    () => store.redact("events", sequence, { reason: "r" }),
    "out_of_range",
    `the log events has not reached sequence ${sequence}`,
    { logId: "events", sequence, latestSequence: 2 },
  ];

  testRefusals([
    [() => store.prune("events", { reason: any(undefined) }), "invalid", TEXT],
    [() => store.prune("events", { reason: "r", before: -1 }), "invalid", BEFORE],
    [
      () => store.prune("events", { reason: "r", olderThan: "yesterday" }),
      "invalid",
      "the olderThan must be an ISO 8601 time in UTC (2026-01-31T12:00:00.000Z)",
    ],
    [() => store.prune("events", { reason: "r", sequences: [1, -1] }), "invalid", SEQUENCE],
    [() => store.prune("no", { reason: "r" }), "not_found", "there is no log no", { logId: "no" }],
    [() => store.redact("events", 1, { reason: any(7) }), "invalid", TEXT],
    [() => store.redact("events", -1, { reason: "r" }), "invalid", SEQUENCE],
    out(0),
    out(3),
    [
      () => store.redact("fork", 1, { reason: "r" }),
      "conflict",
      "event 1 of fork was appended to events",
      { logId: "events", sequence: 1 },
    ],
  ]);

  test("an inherited event can be redacted only where it was appended, as the hint explains", async () => {
    const hint = "Redact it there; every fork that reads it then sees the tombstone.";
    await expect(store.redact("fork", 1, { reason: "r" })).rejects.toMatchObject({ hint });
    expect(await store.redact("fork", 2, { reason: "own" })).toMatchObject({ pruned: { reason: "own" } });
    expect(await store.redact("events", 1, { reason: "there" })).toMatchObject({
      pruned: { reason: "there" },
    });
    expect((await store.read("fork")).events.map(({ pruned }) => pruned?.reason)).toEqual(["there", "own"]);
  });

  test("blobs of a pruned event stay in its chain, and may be collected", async () => {
    const { hash } = await store.putBlob(new Uint8Array([1, 2]));
    await store.createLog({ logId: "with blob", events: [{ ...event("b"), blobs: [hash], salt: "random" }] });
    expect((await store.collectBlobs({ minAgeMs: 0 })).removed).toBe(0);
    const { salt: _, ...pruned } = await store.redact("with blob", 1, { reason: "r" });
    expect(pruned).toMatchObject({ blobs: [hash], data: null });
    expect(await store.verify("with blob")).toEqual({ ok: true, checkedCount: 1, prunedCount: 1 });
    expect((await store.collectBlobs({ minAgeMs: 0 })).removed).toBe(1);
  });
});

describe("a list of logs", () => {
  const TIME = "the changedAfter must be an ISO 8601 time in UTC (2026-01-31T12:00:00.000Z)";

  testRefusals([
    [() => store.listLogs({ prefix: "\u0000" }), "invalid", "the prefix has a NUL or a lone surrogate"],
    [() => store.listLogs({ changedAfter: "m" }), "invalid", TIME],
    [() => store.listLogs({ changedAfter: "m1x" }), "invalid", TIME],
    [() => store.listLogs({ changedAfter: "xm1" }), "invalid", TIME],
    [() => store.listLogs({ changedAfter: `m${"1".repeat(19)}` }), "invalid", TIME],
    [() => store.listLogs({ changedAfter: "yesterday" }), "invalid", TIME],
  ]);

  test("has only logs with the prefix, and no deleted log", async () => {
    const ids = async (prefix: string) => (await store.listLogs({ prefix })).items.map(({ logId }) => logId);
    expect(await ids("fork")).toEqual(["fork", "fork of hidden"]);
    expect(await ids("hidden")).toEqual([]);
    expect(await ids("f\u{10ffff}")).toEqual([]);
  });
});
