/** These tests cover the messages that each strategy chooses, at the bounds of a budget. */

import { describe, expect, test } from "vitest";
import type { Message, Role } from "../../model/index.ts";
import { type PlanOptions, planContext } from "./plan.ts";

function said(id: string, metadata: Message["metadata"] = {}, more: Partial<Message> = {}): Message {
  return { id, role: "user", content: [{ type: "text", text: "1234" }], metadata, ...more };
}

function talk(shape: string): readonly Message[] {
  const roles: Readonly<Record<string, Role>> = { s: "system", u: "user", a: "assistant" };
  return shape.split(" ").map((id) => said(id, {}, { role: roles[id.charAt(0)] ?? "user" }));
}

function chosen(messages: readonly Message[], options: Omit<PlanOptions, "summarizer">): string {
  return planContext(messages, options)
    .messages.map(({ id }) => id)
    .join(" ");
}

describe("a window around a place in the log", () => {
  const time = (minute: number): string => `2026-01-01T00:0${minute}:00.000Z`;
  const messages = [
    said("a", { sequence: 2 }, { timestamp: time(2) }),
    said("b", { sequence: 4 }, { timestamp: time(4) }),
    said("c"),
    said("d", { sequence: "5" }, { timestamp: "odd" }),
    said("e", { sequence: 6 }, { timestamp: time(6) }),
  ];

  test.each([
    [{ sequence: 1 }, "a"],
    [{ sequence: 2 }, "a"],
    [{ sequence: 3 }, "a"],
    [{ sequence: 4 }, "b"],
    [{ sequence: 5 }, "b"],
    [{ sequence: 9 }, "e"],
    [{ timestamp: time(1) }, "a"],
    [{ timestamp: time(4) }, "b"],
    [{ timestamp: time(5) }, "b"],
    [{ timestamp: "2026-01-01T01:06:00+01:00" }, "e"],
    [{ timestamp: "odd" }, "a"],
    [{}, "a"],
    [undefined, "e"],
    [{ id: "d", sequence: 2 }, "d"],
    [{ sequence: 2, timestamp: time(6) }, "a"],
  ])("that is %j keeps %s", (around, expected) => {
    const given = around === undefined ? {} : { around };
    expect(chosen(messages, { strategy: "window", maxMessages: 1, ...given })).toBe(expected);
  });

  test("takes both sides in turn, the older one first, and the other when one ends", () => {
    const around = { id: "u4" };
    const chosenOf = (maxMessages: number): string =>
      chosen(talk("u1 u2 u3 u4 u5 u6 u7 u8 u9"), { strategy: "window", around, maxMessages });
    expect([2, 3, 4, 8].map(chosenOf)).toEqual([
      "u3 u4",
      "u3 u4 u5",
      "u2 u3 u4 u5",
      "u1 u2 u3 u4 u5 u6 u7 u8",
    ]);
  });

  test("skips system messages that do not fit", () => {
    const messagesOf = (id: string, chars: number): Message =>
      said(id, {}, { role: "system", content: [{ type: "text", text: "x".repeat(chars) }] });
    const messages = [said("u1"), messagesOf("s1", 90), said("u2"), messagesOf("s2", 90), said("u3")];
    const around = { id: "u2" };
    expect(chosen(messages, { strategy: "window", around, maxChars: 20 })).toBe("u1 u2 u3");
    expect(chosen(messages, { maxChars: 20 })).toBe("u1 u2 u3");
  });
});

test.each<readonly [string, string, Omit<PlanOptions, "summarizer">, string]>([
  ["system messages within half of the characters", "s1 s2 u1 u2", { maxChars: 16 }, "s1 s2 u1 u2"],
  ["system messages not beyond half of the characters", "s1 s2 u1 u2", { maxChars: 15 }, "s2 u1 u2"],
  ["a system message that is the newest is not counted among them", "s1 s2", { maxMessages: 2 }, "s1 s2"],
  [
    "what comes first from a person, pinned",
    "s1 a1 u1 a2 u2 a3",
    { strategy: "pinned+newest", maxMessages: 2 },
    "u1 a3",
  ],
  ["nothing pinned if no person spoke", "s1 a1 a2", { strategy: "pinned+newest", maxMessages: 2 }, "s1 a2"],
  [
    "the newest of what is pinned",
    "u1 u2 u3 u4",
    { strategy: "pinned+newest", maxMessages: 3, pinned: ({ id }) => id !== "u4" },
    "u2 u3 u4",
  ],
  ["a page, whatever its roles are", "u1 s1 u2 s2", { strategy: "oldest-page", maxMessages: 3 }, "u1 s1 u2"],
  ["a whole page for no limit", "u1 s1 u2", { strategy: "oldest-page" }, "u1 s1 u2"],
  ["one character for one message", "u1", { maxChars: 1 }, "u1"],
  ["nothing for less than one", "u1", { maxChars: 0.9 }, ""],
])("%s", (_, shape, options, expected) => {
  expect(chosen(talk(shape), options)).toBe(expected);
});

test.each<readonly [Omit<PlanOptions, "summarizer">, object]>([
  [
    { strategy: "oldest-page", pageAfter: "x" },
    {
      message: "cannot read the next page: no message has the id after which it begins",
      details: { pageAfter: "x" },
    },
  ],
  [
    { strategy: "window", around: { id: "x" } },
    { message: "cannot show a message and its neighbours: no message has this id", details: { id: "x" } },
  ],
])("%j is not found", (options, expected) => {
  expect(() => planContext(talk("u1"), options)).toThrow(
    expect.objectContaining({ code: "not_found", ...expected }),
  );
});

test.each<readonly [Omit<PlanOptions, "summarizer">, string, unknown]>([
  [{ maxChars: -1 }, "maxChars", -1],
  [{ maxMessages: "2" as unknown as number }, "maxMessages", "2"],
  [{ maxTokensApprox: -0.1 }, "maxTokensApprox", -0.1],
])("%j is an error that names the limit", (options, name, value) => {
  expect(() => planContext([], options)).toThrow(
    expect.objectContaining({
      code: "invalid",
      message: `${name} must be a number of at least 0`,
      details: { [name]: value },
    }),
  );
});

test("the newest message is cut to its tokens, and as little as possible is lost", () => {
  const tokenizer = (text: string): number => text.length;
  const message = said("u", {}, { content: [{ type: "text", text: "x".repeat(100) }] });
  const { messages, cost } = planContext([message], { maxTokensApprox: 50, tokenizer });
  expect(cost).toEqual({ messages: 1, chars: 50, tokens: 50 });
  expect(messages[0]?.metadata).toEqual({ cut: 50 });
  expect(planContext([message], { maxTokensApprox: 100, tokenizer }).messages).toEqual([message]);
  expect(planContext([message], { maxTokensApprox: 0, tokenizer }).cost.tokens).toBe(0);
});

test("of a newest message with a picture that costs too much for its tokens, the text stays, and a placeholder", () => {
  const content = [
    { type: "image", mimeType: "image/png", data: "AAAA" },
    { type: "text", text: "x".repeat(900) },
  ] as const;
  const plan = (maxTokensApprox: number) =>
    planContext([said("u", {}, { content })], { maxTokensApprox, tokenizer: (text) => text.length }).messages;
  expect(plan(2_000)[0]?.content).toEqual([
    { type: "text", text: "[image image/png]" },
    { type: "text", text: "x".repeat(900) },
  ]);
  expect(plan(3_200)[0]?.content).toEqual(content);
});

test("of a newest message whose picture becomes a placeholder, everything else stays as it was", () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const kept = [
    { type: "thinking", text: "hm", signature: "signed" },
    { type: "text", text: "yes", signature: "signed too" },
    { type: "tool_call", id: "c1", name: "look", args: {}, signature: "signed as well" },
  ] as const;
  const result = {
    type: "tool_result",
    toolCallId: "c1",
    isError: false,
    content: [image, { type: "text", text: "seen" }],
  } as const;
  const message = said("u", {}, { content: [...kept, image, result] });
  const plan = planContext([message], { maxTokensApprox: 2_000, tokenizer: (text) => text.length });
  const placeholder = { type: "text", text: "[image image/png]" };
  expect(plan.messages).toEqual([
    { ...message, content: [...kept, placeholder, { ...result, content: [placeholder, result.content[1]] }] },
  ]);
});
