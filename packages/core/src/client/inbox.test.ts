import { expect, test } from "vitest";
import type { WireEvent } from "../wire/index.ts";
import type { ClientEvent } from "./events.ts";
import { Inbox } from "./inbox.ts";
import { LIMITS } from "./limits.ts";

interface Opened {
  readonly inbox: Inbox;
  readonly told: unknown[];
  readonly arrived: number[];
}

function open(mayPause = false): Opened {
  const [told, arrived]: [unknown[], number[]] = [[], []];
  const inbox = new Inbox({
    onArrival: ({ sequence }) => void arrived.push(sequence),
    toEvent: ({ sequence }) => ({ type: "message", sequence, content: "" }) as unknown as ClientEvent,
    onTell: (frame) => void told.push(frame),
    onFull: () => undefined,
    mayPause: () => mayPause,
  });
  return { inbox, told, arrived };
}

function take(inbox: Inbox, sequence: number, after = sequence - 1): void {
  inbox.take(after, { sequence } as WireEvent);
}

async function firstEvents(inbox: Inbox, count: number): Promise<readonly unknown[]> {
  const events: unknown[] = [];
  while (events.length < count) events.push((await inbox.next())?.sequence);
  return events;
}

test("an event is accepted once, and only after the previous one; missing events are requested", async () => {
  const { inbox, told, arrived } = open();
  inbox.begin(0);
  take(inbox, 1);
  take(inbox, 3, 2);
  take(inbox, 4);
  expect(told).toEqual([{ type: "resume", after: 1 }]);
  for (const sequence of [2, 3, 3, 4]) take(inbox, sequence);
  expect(await firstEvents(inbox, 4)).toEqual([1, 2, 3, 4]);
  expect([arrived, inbox.position, told.length]).toEqual([[1, 3, 4], 4, 1]);
});

test("events that do not concern the reader are skipped, and do not count as a gap", async () => {
  const { inbox, told } = open();
  inbox.begin(0);
  take(inbox, 1);
  take(inbox, 9, 1);
  expect([await firstEvents(inbox, 2), told]).toEqual([[1, 9], []]);
});

test("a new connection keeps the position of the reader and its requests", async () => {
  const { inbox, told } = open();
  inbox.begin(5);
  take(inbox, 6);
  inbox.begin(4);
  expect(inbox.position).toBe(6);
  take(inbox, 8);
  inbox.begin(6);
  take(inbox, 7);
  take(inbox, 8);
  expect([await firstEvents(inbox, 3), told]).toEqual([[6, 7, 8], [{ type: "resume", after: 6 }]]);
});

test("missing events that a lost connection did not bring are requested again", async () => {
  const { inbox, told } = open();
  inbox.begin(0);
  take(inbox, 1);
  take(inbox, 3);
  take(inbox, 4);
  inbox.begin(1);
  take(inbox, 4);
  expect(told).toEqual([
    { type: "resume", after: 1 },
    { type: "resume", after: 1 },
  ]);
  for (const sequence of [2, 3, 4]) take(inbox, sequence);
  expect(await firstEvents(inbox, 4)).toEqual([1, 2, 3, 4]);
});

test("events for which there is no room stay on the server, and are requested when there is room", async () => {
  const { inbox, told } = open(true);
  inbox.begin(0);
  for (let n = 1; n <= LIMITS.queuedEvents + 3; n++) take(inbox, n);
  expect([inbox.position, told]).toEqual([LIMITS.queuedEvents, [{ type: "pause" }]]);
  await firstEvents(inbox, LIMITS.queuedEvents - 1);
  expect(told).toHaveLength(1);
  await firstEvents(inbox, 1);
  expect(told.slice(1)).toEqual([{ type: "resume", after: LIMITS.queuedEvents }]);
  for (let n = 1; n <= 3; n++) take(inbox, LIMITS.queuedEvents + n);
  expect(await firstEvents(inbox, 3)).toEqual([1, 2, 3].map((n) => LIMITS.queuedEvents + n));
});

test("a call asks for the events that wait on the server, once, because its result is among them", () => {
  const { inbox, told } = open(true);
  inbox.begin(0);
  inbox.flow();
  for (let n = 1; n <= LIMITS.queuedEvents + 1; n++) take(inbox, n);
  inbox.flow();
  inbox.flow();
  expect(told).toEqual([{ type: "pause" }, { type: "resume", after: LIMITS.queuedEvents }]);
});

test("a reader that waits gets no more events after the end", async () => {
  const { inbox } = open();
  const next = inbox.next();
  inbox.end();
  expect([await next, await inbox.next()]).toEqual([undefined, undefined]);
});

test("long events are limited by their characters, and a reader that takes them makes room", async () => {
  const told: unknown[] = [];
  const content = "x".repeat(LIMITS.queuedLength / 2);
  const inbox = new Inbox({
    onArrival: () => undefined,
    toEvent: ({ sequence }) => ({ type: "message", sequence, content }) as unknown as ClientEvent,
    onTell: (frame) => void told.push(frame),
    onFull: () => undefined,
    mayPause: () => true,
  });
  inbox.begin(0);
  for (const sequence of [1, 2, 3]) take(inbox, sequence);
  expect([inbox.position, told]).toEqual([2, [{ type: "pause" }]]);
  expect(await firstEvents(inbox, 2)).toEqual([1, 2]);
  expect(told).toEqual([{ type: "pause" }, { type: "resume", after: 2 }]);
  for (const sequence of [3, 4]) take(inbox, sequence);
  expect(inbox.position).toBe(4);
});
