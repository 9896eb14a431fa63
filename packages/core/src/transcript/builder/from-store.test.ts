/** These tests cover the events of a log that a transcript reads, and those that it reports as not read. */

import { describe, expect, test } from "vitest";
import type { EventPage, ReadOptions, StoredEvent } from "../../model/index.ts";
import type { EventLike } from "../events/index.ts";
import { fromEvents, fromStore, readForBudget, type TranscriptSource, updateFromStore } from "./index.ts";

type GivenEvent = Pick<EventLike, "type" | "data">;

interface Log extends TranscriptSource {
  readonly events: EventLike[];
  readonly reads: ReadOptions[];
}

/** A log whose pages hold at most `pageEvents`, and which remembers what was asked of it. */
function logOf(told: readonly GivenEvent[], pageEvents = 10_000): Log {
  const events: EventLike[] = told.map((event, at) => ({ ...event, sequence: at + 1, id: `e${at + 1}` }));
  const reads: ReadOptions[] = [];
  return {
    events,
    reads,
    latestSequence: () => Promise.resolve(Number(events.at(-1)?.sequence ?? 0)),
    read(_, options: ReadOptions = {}): Promise<EventPage> {
      reads.push(options);
      const { after = 0, before = Number.POSITIVE_INFINITY, limit = 1_000, types, order } = options;
      const all = events.filter(({ sequence, type }) => {
        const place = Number(sequence);
        return place > after && place < before && (types === undefined || types.includes(type));
      });
      const count = Math.min(limit, pageEvents);
      const page = order === "newest" ? all.slice(-count) : all.slice(0, count);
      const edge = order === "newest" ? page.at(0) : page.at(-1);
      const nextAfter = page.length === all.length ? null : Number(edge?.sequence);
      return Promise.resolve({ events: page as readonly EventLike[] as readonly StoredEvent[], nextAfter });
    },
  };
}

const said = (content: string): GivenEvent => ({ type: "message_sent", data: { content } });
const SYSTEM: GivenEvent = { type: "message_sent", data: { content: "Be kind.", role: "system" } };
const UNTOLD: GivenEvent = { type: "diagnostics_reported", data: {} };
const many = (count: number, event: GivenEvent = said("Hi.")): readonly GivenEvent[] =>
  Array.from({ length: count }, () => event);

function sequencesOf({ messages }: Awaited<ReturnType<typeof fromStore>>): readonly unknown[] {
  return messages.map(({ metadata }) => metadata.sequence);
}

describe("a whole log", () => {
  test("is read page by page, and only in the requested range", async () => {
    const log = logOf(many(7), 3);
    expect(sequencesOf(await fromStore(log, "s"))).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(log.reads).toStrictEqual([0, 3, 6].map((after) => ({ after, limit: 10_000 })));
    log.reads.length = 0;
    const { signal } = new AbortController();
    const part = await fromStore(log, "s", { after: 1, upTo: 5, signal });
    expect(sequencesOf(part)).toEqual([2, 3, 4, 5]);
    expect(part.metadata.older).toEqual({ events: 1, lastSequence: 1 });
    expect(log.reads).toStrictEqual([1, 4].map((after) => ({ after, limit: 10_000, before: 6, signal })));
  });

  test("is read no further after an abort", async () => {
    const controller = new AbortController();
    const log = logOf(many(7), 3);
    const source: TranscriptSource = {
      ...log,
      read: (...all) => {
        controller.abort(new Error("enough"));
        return log.read(...all);
      },
    };
    const { signal } = controller;
    await expect(fromStore(source, "s", { signal })).rejects.toThrow("enough");
    expect(log.reads).toHaveLength(1);
    await expect(fromStore(log, "s", { limit: 5, signal })).rejects.toThrow("enough");
    expect(log.reads).toHaveLength(1);
  });

  test("has an entry without a sequence once, even if its reader returns it with every page", async () => {
    const loose = ["a", "b", undefined].map((id): EventLike => ({ ...said(`${id}`), ...(id && { id }) }));
    const log = logOf(many(4), 2);
    const source: TranscriptSource = {
      ...log,
      async read(...all) {
        const page = await log.read(...all);
        return {
          ...page,
          events: [...page.events, ...(loose as readonly EventLike[] as readonly StoredEvent[])],
        };
      },
    };
    const { messages } = await fromStore(source, "s");
    const words = messages.slice(4).map(({ content }) => content[0]);
    expect(words.map((block) => block?.type === "text" && block.text)).toEqual([
      ...["undefined", "undefined", "a", "b"],
    ]);
  });
});

describe("the newest events", () => {
  test("are read from the end until there are enough", async () => {
    const log = logOf(many(9), 3);
    const transcript = await fromStore(log, "s", { limit: 5 });
    expect(sequencesOf(transcript)).toEqual([5, 6, 7, 8, 9]);
    expect(transcript.metadata.older).toEqual({ events: 4, lastSequence: 4 });
    expect(log.reads).toStrictEqual([
      { after: 0, order: "newest", limit: 5 },
      { after: 0, order: "newest", limit: 2, before: 7 },
    ]);
  });

  test("are the whole log if it has no more", async () => {
    const { signal } = new AbortController();
    const log = logOf(many(3));
    const transcript = await fromStore(log, "s", { limit: 3, upTo: 3, after: 1, signal });
    expect(sequencesOf(transcript)).toEqual([2, 3]);
    expect(transcript.metadata.older).toEqual({ events: 1, lastSequence: 1 });
    expect(log.reads).toStrictEqual([{ after: 1, order: "newest", limit: 3, before: 4, signal }]);
    expect((await fromStore(log, "s", { limit: 3 })).metadata).not.toHaveProperty("older");
  });

  test("are read in pages of a size that a store accepts", async () => {
    const log = logOf(many(20_001, UNTOLD));
    expect((await fromStore(log, "s", { limit: 12_000 })).metadata.events).toBe(12_000);
    expect(log.reads.map(({ limit }) => limit)).toEqual([10_000, 2_000]);
  });

  test.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5"])("cannot be %j", async (limit) => {
    const error = {
      code: "invalid",
      message: "`limit` must be a whole number of at least 1",
      details: { limit },
    };
    const options = { limit: limit as number };
    await expect(fromStore(logOf([]), "s", options)).rejects.toMatchObject(error);
    const transcript = await fromStore(logOf([]), "s");
    await expect(updateFromStore(logOf([]), transcript, options)).rejects.toMatchObject(error);
  });
});

describe("within a budget", () => {
  test("the end is read, and the instructions of the beginning", async () => {
    const role: GivenEvent = { type: "message_received", data: { content: "No.", role: "system" } };
    const log = logOf([SYSTEM, said("One."), role, ...many(2_000)]);
    const { signal } = new AbortController();
    const transcript = await fromStore(log, "s", { maxMessages: 2, signal });
    expect(sequencesOf(transcript)).toEqual([1, 2_003]);
    expect(transcript.metadata.older).toEqual({ events: 1_490, lastSequence: 1_491 });
    expect(transcript.metadata.omitted).toMatchObject({
      events: 2_001,
      firstSequence: 1,
      lastSequence: 2_002,
    });
    expect(log.reads).toStrictEqual([
      { after: 0, order: "newest", limit: 512, signal },
      { after: 0, before: 1_001, types: ["message_sent"], signal },
    ]);
  });

  test("instructions are searched for in the unread events of the requested range", async () => {
    const log = logOf([SYSTEM, SYSTEM, ...many(598)]);
    expect(sequencesOf(await fromStore(log, "s", { maxMessages: 2, after: 1 }))).toEqual([2, 600]);
    expect(log.reads.at(-1)).toStrictEqual({ after: 1, before: 89, types: ["message_sent"] });
  });

  test("more events are read while there is room, up to the whole log", async () => {
    const log = logOf([said("One."), said("Two."), ...many(600, UNTOLD)]);
    expect(sequencesOf(await fromStore(log, "s", { maxMessages: 1 }))).toEqual([2]);
    expect(log.reads.map(({ limit }) => limit)).toEqual([512, 2_048]);
  });

  test.each<readonly [string, readonly GivenEvent[]]>([
    ["system messages", [SYSTEM, SYSTEM, SYSTEM]],
    ["calls without a result", [{ type: "tool_call_started", data: { toolCallId: "a", toolName: "t" } }]],
  ])("%s that are left out do not fill the budget", async (_, left) => {
    const log = logOf([said("One."), ...many(600, UNTOLD), ...left, said("Two.")]);
    const { messages } = await fromStore(log, "s", { maxMessages: 2 });
    expect(messages.at(-1)?.content).toEqual([{ type: "text", text: "Two." }]);
    expect(log.reads).toHaveLength(2);
  });

  test.each([
    [{ maxMessages: 2 }, "newest"],
    [{ maxMessages: 2, strategy: "newest" }, "newest"],
    [{ maxMessages: 2, strategy: "window" }, undefined],
    [{ strategy: "newest" }, undefined],
    [{ limit: 5, strategy: "oldest-page" }, "newest"],
  ] as const)("%j is read from the end that is %s", async (options, order) => {
    const log = logOf(many(600));
    await fromStore(log, "s", options);
    expect(log.reads[0]?.order).toBe(order);
  });

  test("what was read for it is at hand before anything is left out", async () => {
    const transcript = await readForBudget(logOf([SYSTEM, ...many(999)]), "s", { maxMessages: 2 });
    expect(transcript.messages).toHaveLength(513);
    expect(transcript.metadata).not.toHaveProperty("omitted");
  });
});

describe("an update", () => {
  test("continues at the end of the transcript", async () => {
    const log = logOf(many(3));
    const first = await fromStore(log, "s");
    log.events.push({ ...said("New."), sequence: 4, id: "e4" });
    log.reads.length = 0;
    const { signal } = new AbortController();
    expect(sequencesOf(await updateFromStore(log, first, { signal }))).toEqual([1, 2, 3, 4]);
    expect(log.reads).toStrictEqual([{ after: 3, limit: 10_000, signal }]);
  });

  test("gives a call its result, and a result its call, wherever the log was cut in two", async () => {
    const call: GivenEvent = { type: "tool_call_started", data: { toolCallId: "a", toolName: "t" } };
    const result: GivenEvent = { type: "tool_call_completed", data: { toolCallId: "a", toolOutput: "out" } };
    for (const events of [
      [call, result],
      [result, call],
    ]) {
      const log = logOf(events);
      const first = await fromStore(log, "s", { upTo: 1 });
      const updated = await updateFromStore(log, JSON.parse(JSON.stringify(first)));
      expect(updated.messages.map(({ toolOutput }) => toolOutput)).toEqual([undefined, "out"]);
      expect([updated.metadata.openCalls, updated.metadata.resultsWithoutCall]).toEqual([[], 0]);
    }
  });

  test.each<readonly [string, object, readonly number[]]>([
    ["another beginning", { after: 1 }, [2, 3, 4]],
    ["an earlier end", { upTo: 2 }, [1, 2]],
    ["the same end", { upTo: 3 }, [1, 2, 3]],
    ["the same beginning", { after: 0 }, [1, 2, 3, 4]],
    ["a limit that is enough", { limit: 1 }, [1, 2, 3, 4]],
  ])("with %s has the messages of that part", async (_, options, expected) => {
    const log = logOf(many(4));
    const first = await fromStore(log, "s", { upTo: 3 });
    expect(sequencesOf(await updateFromStore(log, first, options))).toEqual(expected);
  });

  test("with a limit lets older events go where more are new, but not the beginning that it had", async () => {
    const log = logOf(many(9));
    const first = await fromStore(log, "s", { after: 1, upTo: 3 });
    expect(sequencesOf(await updateFromStore(log, first, { limit: 5 }))).toEqual([5, 6, 7, 8, 9]);
    expect(sequencesOf(await updateFromStore(log, first, { limit: 6 }))).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sequencesOf(await updateFromStore(log, first, { limit: 1, upTo: 4 }))).toEqual([2, 3, 4]);
    expect(sequencesOf(await updateFromStore(log, first, { limit: 1, upTo: 5 }))).toEqual([5]);
  });

  test("reads the log from its beginning if the transcript cannot be continued", async () => {
    const log = logOf(many(3));
    const first = await fromStore(log, "s");
    const { fold, ...metadata } = first.metadata;
    const whole = await fromStore(log, "s");
    for (const changed of [
      { ...first, metadata },
      { ...first, metadata: { ...metadata, fold: { ...fold, version: 2 } } },
      { ...first, messages: [] },
    ]) {
      log.reads.length = 0;
      expect(await updateFromStore(log, changed as typeof first)).toEqual(whole);
      expect(log.reads).toStrictEqual([{ after: 0, limit: 10_000 }]);
    }
    log.events.length = 2;
    expect(sequencesOf(await updateFromStore(log, first))).toEqual([1, 2]);
  });
});

describe("events at hand", () => {
  test.each<readonly [readonly EventLike[], object, string]>([
    [
      [
        { type: "x", sequence: 1 },
        { type: "x", sequence: 2, logId: "a" },
      ],
      {},
      "a",
    ],
    [
      [
        { type: "x", logId: "b" },
        { type: "x", sequence: 2, logId: "a" },
      ],
      {},
      "a",
    ],
    [
      [
        { type: "x", sequence: 1 },
        { type: "x", session_id: "b" },
      ],
      {},
      "b",
    ],
    [[{ type: "x", sequence: 1, logId: "a" }], { sessionId: "c" }, "c"],
    [[], {}, ""],
  ])("%j with %j are of the session %j", (events, options, expected) => {
    expect(fromEvents(events, options).sessionId).toBe(expected);
  });

  test.each<readonly [readonly (number | null)[], object | undefined]>([
    [[], undefined],
    [[null], undefined],
    [[0, 1], undefined],
    [[1], undefined],
    [[2], { events: 1, lastSequence: 1 }],
    [[9, 5], { events: 4, lastSequence: 4 }],
  ])("with the sequences %j have the older ones %j", (sequences, older) => {
    const { metadata } = fromEvents(sequences.map((sequence) => ({ ...said("Hi."), sequence })));
    expect(metadata.older).toEqual(older);
  });

  test("have in what a budget leaves out the events that are older", () => {
    const at = (...sequences: readonly number[]): readonly EventLike[] =>
      sequences.map((sequence) => ({ ...said("Hi."), sequence }));
    const omittedOf = (events: readonly EventLike[]): unknown =>
      fromEvents(events, { maxMessages: 1 }).metadata.omitted;
    expect(omittedOf(at(3, 4, 5))).toMatchObject({
      messages: 2,
      events: 4,
      firstSequence: 1,
      lastSequence: 4,
    });
    expect(omittedOf(at(5))).toMatchObject({ messages: 0, events: 4, firstSequence: 1, lastSequence: 4 });
    expect(omittedOf(at(1))).toMatchObject({
      messages: 0,
      events: 0,
      firstSequence: null,
      lastSequence: null,
    });
  });

  test("that are the newest in no log have their time, and the place of those before", () => {
    const { lastSequence, lastTimestamp, metadata } = fromEvents([
      { ...said("One."), sequence: 2, timestamp: "10:00" },
      { ...said("Two."), timestamp: "11:00" },
      UNTOLD,
    ]);
    expect([lastSequence, lastTimestamp, metadata.events, metadata.leftOut.untold]).toEqual([
      2,
      "11:00",
      3,
      1,
    ]);
  });
});
