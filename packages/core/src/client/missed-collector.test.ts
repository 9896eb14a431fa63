import { expect, test } from "vitest";
import type { ClientEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";
import { MissedCollector, missedAfter } from "./missed-collector.ts";
import { formatMessages } from "./missed-context.ts";

function message(sequence: number, more: object = {}): ClientEvent {
  const about = { own: false, addressed: false, from: "ann", state: "complete", timestamp: undefined };
  const one = { type: "message", messageId: `m${sequence}`, sequence, content: "x", ...about, ...more };
  return one as unknown as ClientEvent;
}

test("a client's own messages, messages that arrive as events, and incomplete messages are not missed messages", () => {
  const collector = new MissedCollector();
  collector.add(message(1));
  collector.add(message(2, { own: true }));
  collector.add(message(3, { addressed: true }));
  collector.add(message(4, { state: "open" }));
  collector.add(message(5, { state: "interrupted" }));
  collector.add({ type: "presence" } as ClientEvent);
  const { messages, omitted, lastSequence } = collector.missed;
  expect(messages.map(({ sequence }) => sequence)).toEqual([1, 5]);
  expect([omitted, lastSequence]).toEqual([0, 5]);
});

test("the newest messages are kept, and the others are counted", () => {
  const collector = new MissedCollector();
  for (let n = 1; n <= LIMITS.missedMessages + 2; n++) collector.add(message(n));
  const { messages, omitted } = collector.missed;
  expect([messages.length, messages[0]?.sequence, omitted]).toEqual([LIMITS.missedMessages, 3, 2]);
  const long = new MissedCollector();
  for (let n = 1; n <= 3; n++) long.add(message(n, { content: "x".repeat(LIMITS.missedLength) }));
  expect(long.missed.messages.map(({ sequence }) => sequence)).toEqual([3]);
  expect(long.missed.omitted).toBe(2);
});

test("messages that the server left out are counted, and those that it sent nevertheless are not counted twice", () => {
  const collector = new MissedCollector();
  collector.leaveOut({ messages: 10, upTo: 20 });
  collector.add(message(4, { addressed: true }));
  collector.add(message(20));
  collector.add(message(21));
  expect(collector.missed.omitted).toBe(8);
});

function changed(type: "edited" | "deleted", messageId: string, more: object = {}): ClientEvent {
  const about = { own: false, addressed: false, from: "ann", timestamp: undefined, content: "new" };
  return { type, messageId, ...about, ...more } as unknown as ClientEvent;
}

test("a missed message is listed once, in its present form, and changes of known messages are listed too", () => {
  const collector = new MissedCollector();
  collector.begin(10);
  for (let n = 11; n <= 13; n++) collector.add(message(n));
  collector.add(changed("edited", "m11", { sequence: 14 }));
  collector.add(changed("deleted", "m12", { sequence: 15, messageSequence: 12 }));
  collector.add(changed("edited", "m4", { sequence: 16, content: "4" }));
  collector.add(changed("edited", "m4", { sequence: 17, content: "four" }));
  collector.add(changed("edited", "m5", { sequence: 18 }));
  collector.add(changed("deleted", "m5", { sequence: 19, messageSequence: 5 }));
  collector.add(changed("deleted", "m6", { sequence: 20, messageSequence: 6 }));
  // Written and deleted while the reader was away: the server sends no words of it.
  collector.add(changed("deleted", "m13b", { sequence: 21, messageSequence: 13 }));
  collector.add(changed("edited", "m7", { sequence: 22, own: true }));
  collector.add(changed("edited", "m8", { sequence: 23, addressed: true }));
  const { messages, lastSequence } = collector.missed;
  expect(messages.map(({ messageId, state, content }) => [messageId, state, content])).toEqual([
    ["m11", "complete", "new"],
    ["m13", "complete", "x"],
    ["m4", "edited", "four"],
    ["m5", "deleted", ""],
    ["m6", "deleted", ""],
  ]);
  expect(lastSequence).toBe(20);
  expect(formatMessages(messages).formatted).toContain("ann (changed an earlier message):\n```\nfour");
});

test("the length of a changed message counts once, as it is now, for what is kept", () => {
  const part = "x".repeat(Math.floor(LIMITS.missedLength * 0.4));
  const collector = new MissedCollector();
  collector.add(message(1, { content: part }));
  collector.add(message(2, { content: part }));
  for (const sequence of [3, 4, 5]) {
    collector.add(changed("edited", "m1", { sequence, content: part.toUpperCase() }));
  }
  expect(collector.missed).toMatchObject({
    messages: [{ messageId: "m1" }, { messageId: "m2" }],
    omitted: 0,
  });
  collector.add(changed("edited", "m2", { sequence: 6, content: `${part}${part}` }));
  const { messages, omitted } = collector.missed;
  expect([messages.map(({ messageId }) => messageId), omitted]).toEqual([["m2"], 1]);
});

test("more messages than the server counted as left out leave no negative count, and each has all its facts", () => {
  const collector = new MissedCollector();
  collector.leaveOut({ messages: 1, upTo: 20 });
  const facts = { from: "ben", timestamp: "2026-01-01T00:00:00.000Z", content: "hello" };
  for (const sequence of [4, 5]) collector.add(message(sequence, facts));
  const { messages, omitted } = collector.missed;
  expect(omitted).toBe(0);
  expect(messages[0]).toEqual({ messageId: "m4", sequence: 4, state: "complete", ...facts });
});

test("a deletion is listed unless its message was written while the reader was away, and a change without a sequence is not", () => {
  const known = [
    { messageId: "m1", sequence: 1, from: "ann", content: "x", timestamp: "t1", state: "complete" },
  ];
  const after = (event: ClientEvent, options?: { readonly after: number }) =>
    missedAfter(known as never, event as never, options).map(({ messageId, state }) => [messageId, state]);
  const deleted = (more: object): ClientEvent => changed("deleted", "m2", { sequence: 9, ...more });
  const both = [
    ["m1", "complete"],
    ["m2", "deleted"],
  ];
  expect(after(deleted({}), { after: 5 })).toEqual(both);
  expect(after(deleted({ messageSequence: 5 }), { after: 5 })).toEqual(both);
  expect(after(deleted({ messageSequence: 6 }), { after: 5 })).toEqual([["m1", "complete"]]);
  expect(after(deleted({ messageSequence: 1 }))).toEqual([["m1", "complete"]]);
  expect(after(changed("edited", "m2", {}))).toEqual([["m1", "complete"]]);
  expect(after(changed("edited", "m2", { sequence: 9 }))).toEqual([
    ["m1", "complete"],
    ["m2", "edited"],
  ]);
});
