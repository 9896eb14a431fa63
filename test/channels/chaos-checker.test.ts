/** The checker of the chaos test finds each way in which a channel can be wrong, and accepts a correct channel. */

import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { answerCount, type History, violationsOf } from "./chaos-checker.ts";

function event(sequence: number, type: string, data: object, more: object = {}): StoredEvent {
  return { sequence, id: `e${sequence}`, type, actor: { kind: "person", id: "ann" }, data, ...more } as never;
}

const ANSWER = { messageId: "answer:run:c:bot:1:1", content: "yes" };
const EVENTS: readonly StoredEvent[] = [
  event(1, "message_sent", { content: "@bot well?" }),
  event(2, "message_sent", { ...ANSWER, content: "", state: "open" }, { id: ANSWER.messageId }),
  event(3, "message_completed", ANSWER, { actor: { kind: "agent", id: "bot" } }),
  event(4, "message_sent", { content: "good" }),
];
const GIVEN = [
  { sequence: 1, text: "@bot well?" },
  { sequence: 2, text: null },
  { sequence: 3, text: null },
  { sequence: 4, text: "good" },
];
const RIGHT: History = {
  channel: "c",
  events: EVENTS,
  readers: [{ handle: "ann", given: GIVEN }],
  acknowledged: ["e1", "e4"],
  bots: ["bot"],
};

test("a correct channel has no violation, even if a reader did not receive the parts of an ended message", () => {
  expect(violationsOf(RIGHT)).toEqual([]);
  expect(answerCount(RIGHT)).toBe(1);
  const late = { handle: "late", given: GIVEN.filter(({ sequence }) => sequence !== 2) };
  expect(violationsOf({ ...RIGHT, readers: [late] })).toEqual([]);
});

const given = (...parts: readonly (typeof GIVEN)[number][]): Partial<History> => ({
  readers: [{ handle: "ann", given: parts }],
});
const [one, two, three, four] = GIVEN as [Given, Given, Given, Given];
type Given = (typeof GIVEN)[number];

test.each<readonly [string, Partial<History>, string]>([
  [
    "a message that was confirmed and not stored",
    { acknowledged: ["e1", "e9"] },
    "e9 was acknowledged and is lost.",
  ],
  [
    "an event that is stored twice",
    {
      events: [...EVENTS, { ...EVENTS[3], sequence: 5 } as StoredEvent],
      ...given(...GIVEN, { sequence: 5, text: "good" }),
    },
    "e4 is in the log twice.",
  ],
  [
    "a message that is stored twice under two ids",
    {
      events: [...EVENTS, event(5, "message_sent", { content: "good" })],
      ...given(...GIVEN, { sequence: 5, text: "good" }),
    },
    '"ann: good" was stored twice.',
  ],
  [
    "an event that a reader did not receive",
    given(one, two, three),
    "ann was not given 1 events; the first is 4.",
  ],
  ["an event that a reader received twice", given(one, two, three, four, four), "ann was given 4 after 4."],
  [
    "a reader that received events in another order",
    given(one, two, four, three),
    "ann was given 3 after 4.",
  ],
  [
    "a reader that received another text",
    given(one, two, three, { sequence: 4, text: "bad" }),
    "ann was given other words as 4.",
  ],
  [
    "an input without an answer",
    { events: EVENTS.filter(({ sequence }) => sequence !== 3) },
    "bot gave 0 whole answers to the input 1: 2 message_sent 1.",
  ],
  [
    "an input with two answers",
    {
      events: [...EVENTS, event(5, "message_completed", { ...ANSWER, messageId: "answer:run:c:bot:1:2" })],
      ...given(...GIVEN, { sequence: 5, text: null }),
    },
    "bot gave 2 whole answers to the input 1: 2 message_sent 1, 3 message_completed 1, 5 message_completed 2.",
  ],
])("the checker finds %s", (_, change, violation) => {
  expect(violationsOf({ ...RIGHT, ...change })).toContain(violation);
});
