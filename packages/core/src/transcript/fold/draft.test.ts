/** These tests cover the shared parts of all folds: places in the log, ids, and sums of usage. */

import { expect, test } from "vitest";
import { type Actor, addUsage, type Message } from "../../model/index.ts";
import { toEntry } from "../events/index.ts";
import { createDraft, eventId, findCall, findMessage, freeId, placeOf, runOf, withEvents } from "./draft.ts";
import { layersOf } from "./lookup.ts";

function draftOf(...messages: readonly Message[]) {
  return createDraft({ messages, layers: layersOf(messages) });
}

function message(id: string, metadata: Message["metadata"] = {}): Message {
  return { id, role: "assistant", content: [], metadata };
}

test.each<readonly [number | undefined, string | undefined, string | undefined, object]>([
  [undefined, undefined, undefined, {}],
  [3, undefined, undefined, { sequence: 3, lastSequence: 3 }],
  [undefined, "r", undefined, { runId: "r" }],
  [3, "r", undefined, { sequence: 3, lastSequence: 3, runId: "r" }],
  [undefined, undefined, "pi", { agent: "pi" }],
  [3, "r", "pi", { sequence: 3, lastSequence: 3, runId: "r", agent: "pi" }],
])(
  "the place of an event with the sequence %s, the run %s and the agent %s",
  (sequence, runId, agent, place) => {
    const actor = { kind: "agent", ...(agent === undefined ? {} : { agent }) } as Actor;
    const entry = toEntry({ type: "x", sequence: sequence ?? null, runId: runId ?? null, actor });
    expect(placeOf(entry)).toStrictEqual({ events: 1, ...place });
  },
);

test.each([
  [{}, { sequence: undefined }, { events: 1 }],
  [{ events: 2, a: 1 }, { sequence: undefined }, { events: 3, a: 1 }],
  [
    { events: 2, lastSequence: 4 },
    { sequence: undefined, events: 3 },
    { events: 5, lastSequence: 4 },
  ],
  [{ events: "2", lastSequence: 4, a: 1 }, { sequence: 6 }, { events: 1, lastSequence: 6, a: 1 }],
])("the place %j with the events %j is %j", (metadata, events, expected) => {
  expect(withEvents(metadata, events)).toStrictEqual(expected);
});

test.each([
  [{ id: "e", sequence: 3 }, "e"],
  [{ sequence: 3 }, "event-3"],
  [{}, "entry-2"],
])("what the event %j makes has the id %s", (event, expected) => {
  expect(eventId(draftOf(message("a")), toEntry({ type: "x", ...event }))).toBe(expected);
});

test("a message has the name that events give it, unless another one had it before", () => {
  const draft = draftOf(message("a", { messageId: "a" }));
  const entry = toEntry({ type: "x", sequence: 3 });
  expect([freeId(draft, entry, "b"), freeId(draft, entry, "a"), freeId(draft, entry, undefined)]).toEqual([
    ...["b", "event-3", "event-3"],
  ]);
});

test("a message is found by its name in the run that said it", () => {
  const draft = draftOf(message("a", { messageId: "m", runId: "r" }), message("b", { messageId: "n" }));
  expect([findMessage(draft, "m", "r"), findMessage(draft, "n", undefined)]).toEqual([0, 1]);
  expect([findMessage(draft, "m", "s"), findMessage(draft, "n", "r"), findMessage(draft, "a", "r")]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});

test("the run of a message is a text", () => {
  expect([runOf(undefined), runOf(message("a")), runOf(message("a", { runId: 7 }))]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
  expect(runOf(message("a", { runId: "r" }))).toBe("r");
});

test("a call is found in its message by its id", () => {
  const call = { type: "tool_call", id: "c", name: "read", args: {} } as const;
  const holder = { ...message("a"), content: [{ ...call, id: "d" }, call] };
  expect([findCall(holder, "c"), findCall(holder, "x"), findCall(undefined, "c")]).toEqual([
    ...[call, undefined, undefined],
  ]);
});

test("usage is added part by part", () => {
  const one = { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, costUsd: 0.5 };
  const other = {
    inputTokens: 10,
    outputTokens: 20,
    cacheWriteTokens: 30,
    reasoningTokens: 40,
    costUsd: 0.25,
  };
  expect(addUsage(undefined, one)).toEqual(one);
  expect(addUsage(one, other)).toStrictEqual({
    inputTokens: 11,
    outputTokens: 22,
    cacheReadTokens: 3,
    cacheWriteTokens: 30,
    reasoningTokens: 40,
    costUsd: 0.75,
  });
  const total = { inputTokens: 0, outputTokens: 0, totalTokens: 7 };
  expect(addUsage(total, total)).toStrictEqual({ ...total, totalTokens: 14 });
});
