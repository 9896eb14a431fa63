import { ContinuoError, type NewEvent, type Store, type StoredEvent, type Write } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { JournalEntry } from "./entry.ts";
import { Journal } from "./journal.ts";
import { LIMITS } from "./limits.ts";

const LEASE = { name: "session/s", token: 7 };
const AWAY = new ContinuoError("unavailable", "the store does not answer");
const INVALID = new ContinuoError("invalid", "no such event");

interface Appended {
  readonly events: readonly NewEvent[];
  readonly also: readonly Write[];
}

/** Keeps what it is given, as a store does; `refuse` is asked before. */
class AppendOnly {
  readonly appended: Appended[] = [];
  refuse: (events: readonly NewEvent[]) => unknown = () => undefined;
  /** Appends wait for it. */
  gate: Promise<void> = Promise.resolve();
  sequence = 0;

  get store(): Store {
    return { append: this.#append } as unknown as Store;
  }

  get types(): readonly string[] {
    return this.appended.flatMap(({ events }) => events.map(({ type }) => type));
  }

  readonly #append = async (
    logId: string,
    events: readonly NewEvent[],
    { lease, also = [] }: { readonly lease: unknown; readonly also?: readonly Write[] },
  ): Promise<readonly StoredEvent[]> => {
    expect([logId, lease]).toEqual(["s", LEASE]);
    await this.gate;
    const refusal = this.refuse(events);
    if (refusal !== undefined) throw refusal;
    this.appended.push({ events, also });
    return events.map((event) => ({ ...event, sequence: ++this.sequence }) as unknown as StoredEvent);
  };
}

interface Opened {
  readonly log: AppendOnly;
  readonly journal: Journal;
  readonly failures: unknown[];
}

function open(onStored?: (events: readonly StoredEvent[]) => void, place = { known: 0, head: 0 }): Opened {
  const log = new AppendOnly();
  const failures: unknown[] = [];
  let ids = 0;
  const journal = new Journal(
    {
      store: log.store,
      sessionId: "s",
      runId: "r",
      agent: "toy",
      lease: LEASE,
      newId: () => `e${++ids}`,
      onFailure: (error) => failures.push(error),
      ...(onStored === undefined ? {} : { onStored }),
    },
    place,
  );
  return { log, journal, failures };
}

function entry(type: string, more: Partial<JournalEntry> = {}): JournalEntry {
  return { type: type as JournalEntry["type"], data: {}, ...more };
}

function part(chars: number): JournalEntry {
  return entry("message_streamed", { data: { delta: "x".repeat(chars) } });
}

const NO_END = { last: async () => ({ entries: [], also: [] }), bare: () => ({ entries: [], also: [] }) };

test("events of the same moment are one append, each with its actor", async () => {
  const { log, journal } = open();
  const title: Write = { type: "session", patch: { title: "T" } };
  const kept = journal.keep([entry("a"), entry("b", { by: "system", also: title })], "durable");
  void journal.keep([entry("c", { by: "person", blobs: ["sha256:00"] })], "room");
  await kept;
  expect(log.appended).toEqual([
    {
      events: [
        { id: "e1", type: "a", data: {}, runId: "r", actor: { kind: "agent", agent: "toy" } },
        { id: "e2", type: "b", data: {}, runId: "r", actor: { kind: "system" } },
        { id: "e3", type: "c", data: {}, runId: "r", actor: { kind: "person" }, blobs: ["sha256:00"] },
      ],
      also: [title],
    },
  ]);
});

test("without events there is no append", async () => {
  const { log, journal } = open();
  await journal.keep([], "durable");
  expect(log.appended).toEqual([]);
});

test.each([
  ["events", Array.from({ length: LIMITS.batchEvents + 1 }, () => entry("a")), [LIMITS.batchEvents, 1]],
  ["characters", [part(LIMITS.batchChars / 2), part(LIMITS.batchChars / 2), part(1)], [1, 2]],
  ["characters of one event", [part(2 * LIMITS.batchChars), part(1)], [1, 1]],
])("an append has at most so many %s", async (_name, entries, sizes) => {
  const { log, journal } = open();
  await journal.keep(entries, "durable");
  expect(log.appended.map(({ events }) => events.length)).toEqual(sizes);
});

test("a caller waits for room only while too many events are not written yet", async () => {
  const { log, journal } = open();
  const gate = Promise.withResolvers<void>();
  log.gate = gate.promise;
  await journal.keep([part(10)], "room");
  let hasRoom = false;
  const waiting = journal.keep([part(LIMITS.roomChars)], "room").then(() => {
    hasRoom = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasRoom).toBe(false);
  gate.resolve();
  await waiting;
  expect(log.types).toHaveLength(2);
});

test("a run knows what it wrote itself, up to what somebody else wrote in between", async () => {
  const { log, journal } = open(undefined, { known: 3, head: 3 });
  log.sequence = 3;
  await journal.keep([entry("a")], "durable");
  expect(journal.knownUpTo).toBe(4);
  log.sequence = 5;
  await journal.keep([entry("b")], "durable");
  expect(journal.knownUpTo).toBe(4);
  journal.knows(6);
  await journal.keep([entry("c")], "durable");
  expect(journal.knownUpTo).toBe(7);
  journal.knows(2);
  expect(journal.knownUpTo).toBe(7);
});

test("a run that does not know the head of the log does not learn it by writing", async () => {
  const { log, journal } = open(undefined, { known: 1, head: 3 });
  log.sequence = 3;
  await journal.keep([entry("a")], "durable");
  expect(journal.knownUpTo).toBe(1);
});

test("after a failure nothing more is stored, and everybody who waits gets the error", async () => {
  const { log, journal, failures } = open();
  log.refuse = () => AWAY;
  await expect(journal.keep([entry("a")], "durable")).rejects.toBe(AWAY);
  await expect(journal.keep([entry("b")], "room")).rejects.toBe(AWAY);
  expect([failures, journal.failure]).toEqual([[AWAY], AWAY]);
});

test("an agent that is far ahead of the store fails", async () => {
  const { journal, failures } = open();
  const half = LIMITS.unwrittenChars / 2;
  void journal.keep([part(half - 100)], "room");
  void journal.keep([part(half - 100)], "room");
  expect(failures).toEqual([]);
  await expect(journal.keep([part(1)], "durable")).rejects.toMatchObject({
    code: "too_large",
    message: `the agent sent ${LIMITS.unwrittenChars} characters more than could be stored in time`,
    hint: "Await `onEvent` in the agent.",
  });
  expect(failures).toHaveLength(1);
});

test("an error of a listener fails the run, and the events are stored", async () => {
  const error = new Error("no");
  const { log, journal, failures } = open(() => {
    throw error;
  });
  await journal.keep([entry("a")], "durable");
  expect([log.types, failures]).toEqual([["a"], [error]]);
});

test("the end is one append together with all events that are not written yet", async () => {
  const { log, journal } = open();
  const release: Write = { type: "lease_release", ...LEASE };
  await journal.keep([entry("a")], "durable");
  await journal.end({
    said: [],
    ...NO_END,
    last: async (lost) => ({ entries: [entry(`lost ${lost}`)], also: [release] }),
  });
  expect(log.appended.at(-1)).toMatchObject({ events: [{ type: "lost 0" }], also: [release] });
});

test("the end waits for an append that is under way", async () => {
  const { log, journal } = open();
  void journal.keep([entry("a")], "room");
  await journal.end({ said: [], ...NO_END, last: async () => ({ entries: [entry("end")], also: [] }) });
  expect(log.types).toEqual(["a", "end"]);
});

test("after a failure the end writes the remaining events, and counts each event that the store refuses", async () => {
  const { log, journal } = open();
  log.refuse = () => AWAY;
  await journal.keep([entry("a"), entry("bad"), entry("b")], "durable").catch(String);
  log.refuse = (events) => (events.some(({ type }) => type === "bad") ? INVALID : undefined);
  await journal.end({
    said: [],
    ...NO_END,
    last: async (lost) => ({ entries: [entry(`lost ${lost}`)], also: [] }),
  });
  expect(log.types).toEqual(["a", "b", "lost 1"]);
});

test.each([
  ["at once", () => AWAY],
  [
    "for one of several",
    ({ length }: { length: number }) => (length === 1 ? AWAY : length === 0 ? undefined : INVALID),
  ],
] as const)("a store that is still away at the end, %s, is an error", async (_name, refuse) => {
  const { log, journal } = open();
  log.refuse = () => AWAY;
  await journal.keep([entry("a"), entry("b")], "durable").catch(String);
  log.refuse = refuse;
  await expect(journal.end({ said: [], ...NO_END })).rejects.toBe(AWAY);
});

test("an end that the store refuses is written again without its optional data", async () => {
  const { log, journal } = open();
  const release: Write = { type: "lease_release", ...LEASE };
  log.refuse = (events) => (events.some(({ type }) => type === "end") ? INVALID : undefined);
  await journal.end({
    said: [],
    last: async () => ({ entries: [entry("end")], also: [] }),
    bare: (refusal, lost) => ({
      entries: [entry(`${refusal.code} ${lost}`)],
      also: [release],
    }),
  });
  expect(log.appended).toMatchObject([{ events: [{ type: "invalid 0" }], also: [release] }]);
});

test("the last words of the agent are stored one by one if the store refuses the end", async () => {
  const { log, journal } = open();
  log.refuse = (events) =>
    events.some(({ type }) => type === "end" || type === "odd") ? INVALID : undefined;
  await journal.end({
    said: [entry("odd"), entry("sound")],
    last: async () => ({ entries: [entry("end")], also: [] }),
    bare: (_, lost) => ({ entries: [entry(`lost ${lost}`)], also: [] }),
  });
  expect(log.appended.map(({ events }) => events.map(({ type }) => type))).toEqual([["sound"], ["lost 1"]]);
});

test("an event that nobody can store fails the run, and is counted", async () => {
  const { log, journal } = open();
  await expect(journal.lose(INVALID)).rejects.toBe(INVALID);
  expect(journal.failure).toBe(INVALID);
  await journal.end({
    said: [],
    ...NO_END,
    last: async (lost) => ({ entries: [entry(`lost ${lost}`)], also: [] }),
  });
  expect(log.appended).toMatchObject([{ events: [{ type: "lost 1" }] }]);
});

test("an end that the store cannot store now is an error", async () => {
  const { log, journal } = open();
  log.refuse = () => AWAY;
  await expect(
    journal.end({ said: [], ...NO_END, last: async () => ({ entries: [entry("end")], also: [] }) }),
  ).rejects.toBe(AWAY);
});
