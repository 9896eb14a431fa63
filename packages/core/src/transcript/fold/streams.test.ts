/** Parts of messages: which are gathered, and what they are written to. */

import { expect, test } from "vitest";
import { fromEvents } from "../builder/index.ts";
import type { EventLike } from "../events/index.ts";

type EventOrigin = Pick<EventLike, "runId" | "occurredAt" | "sequence">;

const part = (delta: unknown, more: object = {}, place: EventOrigin = {}): EventLike => ({
  type: "message_streamed",
  data: { messageId: "m", delta, ...more },
  ...place,
});

function folded(...events: readonly EventLike[]) {
  return fromEvents(events.map((event, at) => ({ sequence: at + 1, ...event })));
}

const text = (words: string): object => ({ type: "text", text: words });

test("parts are gathered into one message of the agent", () => {
  const { messages } = folded(
    part("Ye", {}, { runId: "r", occurredAt: "10:00" }),
    part("s", {}, { runId: "r", occurredAt: "10:01" }),
  );
  expect(messages).toEqual([
    {
      id: "m",
      role: "assistant",
      origin: "agent",
      timestamp: "10:00",
      content: [text("Yes")],
      metadata: { events: 2, sequence: 1, lastSequence: 2, runId: "r", messageId: "m", partial: true },
    },
  ]);
  expect(folded(part("Yes")).messages[0]).not.toHaveProperty("timestamp");
});

test.each([
  ["text", "text"],
  ["message", "text"],
  [undefined, "text"],
  ["thinking", "thinking"],
  ["thought", "thinking"],
  ["reasoning", "thinking"],
])("a part of the kind %s is %s", (kind, type) => {
  expect(folded(part("Hm", { kind })).messages[0]?.content).toEqual([{ type, text: "Hm" }]);
});

test.each([
  [part(7)],
  [part(undefined)],
  [part("Hm", { messageId: 7 })],
  [part("Hm", { messageId: undefined })],
  [part("Hm", { kind: "audio" })],
])("%j is no part of a message: it is counted as invalid", (event) => {
  const { messages, metadata } = folded(event);
  expect([messages, metadata.leftOut.invalid]).toEqual([[], 1]);
});

test("a part after other words continues them, and one of another kind is a block of its own", () => {
  const other: EventLike = { type: "diagnostics_reported", data: {} };
  const { messages } = folded(
    ...[part("One"), other, part(", two"), part("Hm", { kind: "thinking" }), part("Three")],
  );
  expect(messages.map(({ content }) => content)).toEqual([
    [text("One, two"), { type: "thinking", text: "Hm" }, text("Three")],
  ]);
  expect(messages[0]?.metadata).toMatchObject({ events: 4, lastSequence: 5 });
});

test("parts of messages that come in turn, and of one name in two runs, stay separate", () => {
  const { messages } = folded(
    part("a1"),
    part("b1", { messageId: "n" }),
    part("a2"),
    part("c1", {}, { runId: "r" }),
    part("c2", {}, { runId: "r" }),
  );
  expect(messages.map(({ id, content }) => [id, content])).toEqual([
    ["m", [text("a1a2")]],
    ["n", [text("b1")]],
    ["event-4", [text("c1c2")]],
  ]);
});

test("a part that is in no log leaves its message's place in the log as it is", () => {
  const loose = { sequence: null, id: "x" };
  const { messages } = folded(part("One"), part(", two", {}, loose));
  expect(messages[0]?.content).toEqual([text("One, two")]);
  expect(messages[0]?.metadata).toMatchObject({ events: 2, sequence: 1, lastSequence: 1 });
  expect(folded(part("a", {}, loose), part("b", {}, loose)).messages[0]?.metadata).toEqual({
    events: 2,
    messageId: "m",
    partial: true,
  });
});
