/**
 * These tests cover a plan's report of the messages that it leaves out, and the summary that stands for them.
 */

import { describe, expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { planContext, type Summarizer } from "./plan.ts";

function said(id: string, metadata: Message["metadata"] = {}, role: Message["role"] = "user"): Message {
  return { id, role, content: [{ type: "text", text: "12345678" }], metadata };
}

const NOTHING = { messages: 0, events: 0, firstSequence: null, lastSequence: null, chars: 0 };

test.each<readonly [string, readonly Message["metadata"][], object]>([
  ["no place in a log", [{}, {}], { ...NOTHING, messages: 2, chars: 16 }],
  [
    "the first and the last place, in any order",
    [
      { events: 2, sequence: 5, lastSequence: 9 },
      { events: 3, sequence: 3, lastSequence: 4 },
      { events: 1, sequence: 7, lastSequence: 7 },
    ],
    { messages: 3, events: 6, firstSequence: 3, lastSequence: 9, chars: 24 },
  ],
  [
    "numbers only",
    [{ events: "2", sequence: "5", lastSequence: "9" }],
    { ...NOTHING, messages: 1, chars: 8 },
  ],
])("what is left out has %s", (_, places, expected) => {
  const messages = [
    ...places.map((metadata, at) => said(`m${at}`, metadata)),
    said("last", { sequence: 99 }),
  ];
  expect(planContext(messages, { maxMessages: 1 }).omitted).toEqual({
    ...expected,
    halves: { calls: 0, results: 0 },
  });
});

test("nothing is left out if all messages fit", () => {
  expect(planContext([said("m", { sequence: 1, lastSequence: 1, events: 1 })]).omitted).toEqual({
    ...NOTHING,
    halves: { calls: 0, results: 0 },
  });
});

describe("a summary", () => {
  const talk = [
    said("s", {}, "system"),
    said("u1", { sequence: 2, lastSequence: 3 }),
    said("u2", { sequence: 4, lastSequence: 5 }),
    said("u3"),
  ];

  test("is a message of its own after the system's, and counted", async () => {
    const plan = await planContext(talk, { maxMessages: 3, maxChars: 100, summarizer: () => "short" });
    expect(plan.messages).toEqual([
      talk[0],
      {
        id: "summary-2-5",
        role: "user",
        origin: "summary",
        content: [{ type: "text", text: "short" }],
        metadata: {},
      },
      talk[3],
    ]);
    expect(plan.cost).toEqual({ messages: 3, chars: 21, tokens: 0 });
    expect(plan.omitted.messages).toBe(2);
  });

  test("has an id if no message has a place in a log, and comes last if only the system spoke", async () => {
    const system = [said("s1", {}, "system"), said("s2", {}, "system")];
    const { messages } = await planContext(system, { maxMessages: 2, maxChars: 12, summarizer: () => "!" });
    expect(messages.map(({ id }) => id)).toEqual(["s2", "summary-0-0"]);
  });

  test("is cut to a fifth of the budget, in characters and in tokens", async () => {
    const textOf = async (options: object, text: string): Promise<unknown> => {
      const { messages } = await planContext(talk, { maxMessages: 2, ...options, summarizer: () => text });
      return messages.find(({ origin }) => origin === "summary")?.content;
    };
    expect(await textOf({ maxChars: 45 }, "123456789")).toEqual([{ type: "text", text: "123456789" }]);
    expect(await textOf({ maxChars: 45 }, "1234567890")).toEqual([{ type: "text", text: "1234…7890" }]);
    const tokens = { maxTokensApprox: 45, tokenizer: (text: string) => text.length };
    expect(await textOf(tokens, "123456789")).toEqual([{ type: "text", text: "123456789" }]);
    expect(await textOf(tokens, "1234567890")).toEqual([{ type: "text", text: "12…90" }]);
  });

  test.each([
    ["that is empty", { maxMessages: 2 }, () => ""],
    ["for which one message is no room", { maxMessages: 1 }, () => "short"],
  ])("%s leaves the plan as it is without one", async (_, budget, summarizer) => {
    expect(await planContext(talk, { ...budget, summarizer })).toEqual(planContext(talk, budget));
  });

  test("has a signal, and is not asked for or used after an abort", async () => {
    const before = new AbortController();
    before.abort(new Error("before"));
    let asked = 0;
    const count: Summarizer = () => String(++asked);
    await expect(
      planContext(talk, { maxMessages: 2, summarizer: count, signal: before.signal }),
    ).rejects.toThrow("before");
    expect(asked).toBe(0);
    const during = new AbortController();
    const summarizer: Summarizer = (_, { signal }) => {
      expect(signal).toBe(during.signal);
      during.abort(new Error("during"));
      return "short";
    };
    await expect(planContext(talk, { maxMessages: 2, summarizer, signal: during.signal })).rejects.toThrow(
      "during",
    );
  });
});
