import { expect, test } from "vitest";
import { createAgentTalk } from "./agent-talk.ts";
import type { ClientEvent } from "./events.ts";

function said(kind: "person" | "agent" | "system", fields: object = {}): ClientEvent {
  const message = { type: "message", messageId: "m", state: "complete", addressed: true, own: false };
  return { ...message, kind, ...fields } as ClientEvent;
}

function unanswered(events: readonly ClientEvent[]): readonly number[] {
  let stops = 0;
  const isUnanswered = createAgentTalk({ maxTurns: 3, onStop: () => stops++ });
  const left = events.flatMap((event, n) => (isUnanswered(event) ? [n] : []));
  return [stops, ...left];
}

const [bot, person] = [said("agent"), said("person")];
const own = said("agent", { own: true, addressed: false });

test("the third message of agents after a person's last message, and all later ones, are not answered", () => {
  expect(unanswered([bot, own, bot, own, bot])).toEqual([1, 2, 4]);
  expect(unanswered([bot, own, person, bot, own, bot, person, bot])).toEqual([1, 5]);
  // Each talk that is stopped is reported once.
  expect(unanswered([bot, bot, bot, bot, person, bot, bot, bot])).toEqual([2, 2, 3, 7]);
});

test("messages of people, and messages that are not addressed to the reader, are always delivered", () => {
  expect(unanswered([bot, bot, person, person, person, person])).toEqual([0]);
  const other = said("agent", { addressed: false });
  expect(unanswered([other, other, other, other, bot])).toEqual([1, 4]);
  expect(unanswered([said("system"), said("system"), said("system"), bot])).toEqual([0]);
  // A message of the server does not start the count again.
  expect(unanswered([bot, said("system"), bot, said("system"), bot])).toEqual([1, 4]);
});

test("the parts of a message that is not answered are left out too", () => {
  const open = said("agent", { state: "open", messageId: "o" });
  const update = said("agent", { type: "update", messageId: "o" });
  const end = said("agent", { type: "complete", messageId: "o" });
  expect(unanswered([bot, bot, open, update, end])).toEqual([1, 2, 3, 4]);
  expect(unanswered([bot, open, update, end])).toEqual([0]);
});

test("the count of the server counts more than what this client has seen, and a message that is left out is reported", () => {
  const left: unknown[] = [];
  const isUnanswered = createAgentTalk({
    maxTurns: 3,
    onStop: () => undefined,
    onLeft: ({ type, turns }) => left.push([type, turns]),
  });
  const events = [
    said("agent", { turns: 2 }),
    said("agent", { turns: 3 }),
    said("person"),
    said("agent", { turns: 1 }),
    said("agent", { turns: 3, state: "open", messageId: "o" }),
    said("agent", { type: "complete", messageId: "o", turns: 3 }),
  ];
  expect(events.map(isUnanswered)).toEqual([false, true, false, false, true, true]);
  expect(left).toEqual([
    ["message", 3],
    ["complete", 3],
  ]);
});
