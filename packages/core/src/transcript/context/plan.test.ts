import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import type { Block, Message } from "../../model/index.ts";
import { costOf, toTokenizer } from "./cost.ts";
import { cutMiddle } from "./cut.ts";
import { type PlanOptions, planContext } from "./plan.ts";
import { toModelOrder } from "./units.ts";

function said(id: string, text: string, role: Message["role"] = "user"): Message {
  return { id, role, content: [{ type: "text", text }], metadata: {} };
}

function called(id: string, ...calls: readonly string[]): Message {
  const content = calls.map((call): Block => ({ type: "tool_call", id: call, name: "t", args: {} }));
  return { id, role: "assistant", content, metadata: {} };
}

function answered(id: string, toolCallId: string, text: string): Message {
  const result: Block = {
    type: "tool_result",
    toolCallId,
    content: [{ type: "text", text }],
    isError: false,
  };
  return {
    id,
    role: "tool",
    content: [result],
    toolCallId,
    toolName: "t",
    toolInput: {},
    toolOutput: text,
    metadata: {},
  };
}

function idsOf(messages: readonly Message[], options: PlanOptions): string {
  const { summarizer: _, ...rest } = options;
  return planContext(messages, rest)
    .messages.map(({ id }) => id)
    .join(" ");
}

const TALK = [
  said("s1", "12345678", "system"),
  said("u1", "1234"),
  said("s2", "1234", "system"),
  said("a1", "1234", "assistant"),
  called("a2", "c1", "c2"),
  answered("r1", "c1", "1234"),
  answered("r2", "c2", "1234"),
  said("u2", "1234"),
];

const CASES: readonly (readonly [string, PlanOptions, string])[] = [
  ["no budget: everything", {}, "s1 u1 s2 a1 a2 r1 r2 u2"],
  ["a budget for all messages", { maxChars: 38 }, "s1 u1 s2 a1 a2 r1 r2 u2"],
  [
    "one character less: the oldest message that does not fit is left out",
    { maxChars: 37 },
    "s1 s2 a1 a2 r1 r2 u2",
  ],
  ["system messages before older words", { maxChars: 16 }, "s2 u2"],
  ["system messages up to half of it", { maxChars: 21 }, "s2 u2"],
  ["half of it is enough for both", { maxChars: 24 }, "s1 s2 u2"],
  ["a call and its results together", { maxChars: 22 }, "s2 a2 r1 r2 u2"],
  ["a call and its results, when all fit", { maxChars: 8 + 4 + 4 + 14 }, "s1 s2 a2 r1 r2 u2"],
  ["tokens are four characters", { maxTokensApprox: 6 }, "s1 s2 u2"],
  ["the lower of both", { maxTokensApprox: 6, maxChars: 16 }, "s2 u2"],
  ["messages", { maxMessages: 1 }, "u2"],
  ["messages, half of them system", { maxMessages: 2 }, "s2 u2"],
  ["messages, no half of a unit", { maxMessages: 4 }, "s1 s2 u2"],
  ["messages, a unit", { maxMessages: 6 }, "s1 s2 a2 r1 r2 u2"],
  ["no messages: the newest stays", { maxMessages: 0 }, "u2"],
  ["no characters: nothing stays, and no empty message", { maxChars: 0 }, ""],
  ["a page from the oldest on", { strategy: "oldest-page", maxMessages: 3 }, "s1 u1 s2"],
  ["the next page", { strategy: "oldest-page", maxMessages: 4, pageAfter: "s2" }, "a1 a2 r1 r2"],
  ["the last page", { strategy: "oldest-page", maxMessages: 4, pageAfter: "r2" }, "u2"],
  ["a page has no holes", { strategy: "oldest-page", maxChars: 6, pageAfter: "s1" }, "u1"],
  ["after the end", { strategy: "oldest-page", pageAfter: "u2" }, ""],
  ["a window", { strategy: "window", around: { id: "a1" }, maxMessages: 4 }, "s1 u1 s2 a1"],
  [
    "a window, both sides in turn",
    { strategy: "window", around: { id: "a1" }, maxChars: 30 },
    "s1 s2 a1 a2 r1 r2",
  ],
  ["a window around a result", { strategy: "window", around: { id: "r1" }, maxChars: 14 }, "a2 r1 r2"],
  ["pinned", { strategy: "pinned+newest", maxMessages: 3 }, "u1 s2 u2"],
  [
    "pinned by whoever asks",
    { strategy: "pinned+newest", maxMessages: 3, pinned: ({ id }) => id === "a1" },
    "s2 a1 u2",
  ],
];

describe("what a budget leaves", () => {
  test.each(CASES)("%s", (_, options, expected) => {
    expect(idsOf(TALK, options)).toBe(expected);
  });

  test("what is left out is reported", () => {
    const talk = TALK.map((message, at) => ({
      ...message,
      metadata: { sequence: 2 * at + 1, lastSequence: 2 * at + 2, events: 2 },
    }));
    expect(planContext(talk, { maxMessages: 2 }).omitted).toEqual({
      messages: 6,
      events: 12,
      firstSequence: 1,
      lastSequence: 14,
      chars: 30,
      halves: { calls: 0, results: 0 },
    });
  });

  test("halves of pairs are left out and counted", () => {
    const both: Message = { ...called("a1", "c1", "c3"), content: [...called("", "c1", "c3").content] };
    const talk = [answered("r0", "c0", "lost"), both, answered("r1", "c1", "ok"), called("a2", "c2")];
    const { messages, omitted } = planContext(talk);
    expect(messages).toEqual([called("a1", "c1"), answered("r1", "c1", "ok")]);
    expect(omitted).toMatchObject({ messages: 2, halves: { calls: 2, results: 1 } });
  });

  test("a call that the vendor ran needs no result", () => {
    const ran: Block = { type: "tool_call", id: "v", name: "web_search", args: {}, ranBy: "model" };
    const talk: Message[] = [{ ...said("a1", "found", "assistant"), content: [ran] }, said("u1", "thanks")];
    const { messages, omitted } = planContext(talk);
    expect(messages).toEqual(talk);
    expect(omitted).toMatchObject({ messages: 0, halves: { calls: 0, results: 0 } });
  });

  test.each([{ maxChars: -1 }, { maxMessages: Number.NaN }, { maxTokensApprox: "1" as unknown as number }])(
    "%j is not a valid budget",
    (options) => {
      expect(() => planContext([], options)).toThrow(expect.objectContaining({ code: "invalid" }));
    },
  );

  test("a page after, or a window around, what is not there", () => {
    expect(() => planContext(TALK, { strategy: "oldest-page", pageAfter: "x" })).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    expect(() => planContext(TALK, { strategy: "window", around: { id: "x" } })).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
  });
});

describe("the newest unit, when it exceeds the budget by itself", () => {
  test("its text is cut in the middle and marked", () => {
    const text = `${"a".repeat(500)}${"b".repeat(500)}`;
    const { messages, omitted } = planContext([said("u", text)], { maxChars: 100 });
    const head = "a".repeat(34);
    const tail = "b".repeat(34);
    expect(messages).toEqual([
      {
        ...said("u", `${head}\n[… 932 characters left out …]\n${tail}`),
        metadata: { cut: 901 },
      },
    ]);
    expect(omitted.chars).toBe(901);
  });

  test("a call and its results are cut, and so is what they repeat of each other", () => {
    const input = { command: "x".repeat(1000), short: "kept" };
    const call: Block = {
      type: "tool_call",
      id: "c1",
      name: "Bash",
      args: input,
      signature: "s",
      native: {},
    };
    const output = "y".repeat(1000);
    const talk: Message[] = [
      { id: "a1", role: "assistant", content: [call], metadata: {} },
      { ...answered("r1", "c1", output), toolName: "Bash", toolInput: input },
    ];
    const { messages, cost } = planContext(talk, { maxChars: 400 });
    expect(cost.chars).toBeLessThanOrEqual(400);
    const [cutCall] = messages[0]?.content ?? [];
    expect(cutCall).toEqual({
      type: "tool_call",
      id: "c1",
      name: "Bash",
      args: { command: expect.stringContaining("characters left out"), short: "kept" },
    });
    expect(messages[1]).toMatchObject({
      toolInput: (cutCall as { args: unknown }).args,
      toolOutput: expect.stringContaining("characters left out"),
    });
  });

  test("a signed block is left out instead of cut, and a picture becomes words", () => {
    const message: Message = {
      id: "a",
      role: "assistant",
      content: [
        { type: "thinking", text: "t".repeat(100), signature: "s".repeat(100) },
        { type: "image", mimeType: "image/png", data: "A".repeat(1000) },
        { type: "text", text: "x".repeat(100) },
      ],
      metadata: {},
    };
    const { messages, cost } = planContext([message], { maxChars: 120 });
    expect(cost.chars).toBeLessThanOrEqual(120);
    expect(messages[0]?.content.map(({ type }) => type)).toEqual(["thinking", "text", "text"]);
    expect(messages[0]?.content[0]).not.toHaveProperty("signature");
    expect(messages[0]?.content[1]).toEqual({ type: "text", text: "[image image/png]" });
  });

  test("no character is split", () => {
    const manyCharacters = fc
      .array(fc.constantFrom("a", "😀"), { minLength: 40, maxLength: 150, size: "max" })
      .map((characters) => characters.join(""));
    fc.assert(
      fc.property(manyCharacters, fc.nat(130), (text, maxChars) => {
        const cut = cutMiddle(text, maxChars);
        expect(cut.length).toBeLessThanOrEqual(Math.max(maxChars, 0));
        expect(cut.isWellFormed()).toBe(true);
        if (text.length <= maxChars) expect(cut).toBe(text);
        // The result has words on both sides of the mark.
        else if (maxChars >= 5) expect(cut).toMatch(/^(?:a|😀)[\s\S]*…[\s\S]*(?:a|😀)$/u);
      }),
      { numRuns: rounds(2000) },
    );
  });
});

describe("tokens by a tokenizer", () => {
  const words = toTokenizer({ countTokens: (text) => text.split(/\s+/u).filter(Boolean).length });

  test("are counted instead of guessed", () => {
    const talk = [said("u1", "one two three"), said("a1", "four five", "assistant"), said("u2", "six")];
    expect(idsOf(talk, { maxTokensApprox: 3, tokenizer: words })).toBe("a1 u2");
    expect(planContext(talk, { maxTokensApprox: 6, tokenizer: words }).cost).toEqual({
      messages: 3,
      chars: 25,
      tokens: 6,
    });
  });

  test("the newest unit is cut until it fits", () => {
    const text = Array.from({ length: 300 }, (_, at) => `word${at}`).join(" ");
    const { cost } = planContext([said("u", text)], { maxTokensApprox: 40, tokenizer: words });
    expect(cost.tokens).toBeLessThanOrEqual(40);
    expect(cost.tokens).toBeGreaterThan(10);
  });

  test("can be counted by a module that encodes", () => {
    expect(toTokenizer({ encode: (text) => [...text] })("abc")).toBe(3);
  });
});

describe("a summary of what is left out", () => {
  test("is requested when messages are left out, and comes before the messages that are kept", async () => {
    const asked: string[] = [];
    const plan = await planContext(TALK, {
      maxMessages: 4,
      maxChars: 40,
      summarizer: (left, { maxChars }) => {
        asked.push(left.map(({ id }) => id).join(" "), String(maxChars));
        return "s".repeat(100);
      },
    });
    expect(asked).toEqual(["s1 u1 a1 a2 r1 r2", "8"]);
    expect(plan.messages.map(({ id, origin }) => origin ?? id)).toEqual(["s2", "summary", "u2"]);
    expect(plan.cost.chars).toBeLessThanOrEqual(40);
  });

  test("is not requested if all messages fit", async () => {
    const plan = await planContext(TALK, {
      summarizer: () => {
        throw new Error("asked");
      },
    });
    expect(plan.messages).toEqual(TALK);
  });
});

test("results follow their calls if the model requires it", () => {
  const talk = [called("a1", "c1", "c2"), said("n", "note"), answered("r2", "c2", ""), called("a2", "c3")];
  const rest = [answered("r1", "c1", ""), answered("r3", "c3", ""), said("u", "")];
  expect(toModelOrder([...talk, ...rest]).map(({ id }) => id)).toEqual([
    "a1",
    "r2",
    "r1",
    "n",
    "a2",
    "r3",
    "u",
  ]);
});

const block: fc.Arbitrary<Block> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }).map((text): Block => ({ type: "text", text })),
  fc.string({ maxLength: 60 }).map((text): Block => ({ type: "thinking", text })),
  fc.string({ maxLength: 30 }).map((text): Block => ({ type: "thinking", text, signature: "signature" })),
  fc.constant<Block>({ type: "image", mimeType: "image/png", data: "AAAA" }),
  fc.constant<Block>({ type: "unknown", raw: { some: "thing" } }),
  fc
    .record({
      id: fc.constantFrom("c1", "c2", "c3"),
      args: fc.dictionary(fc.string({ maxLength: 5 }), fc.string()),
    })
    .map((call): Block => ({ type: "tool_call", name: "t", ...call })),
);
const anyMessage: fc.Arbitrary<Message> = fc.oneof(
  fc
    .record({
      role: fc.constantFrom("user", "assistant", "system"),
      content: fc.array(block, { maxLength: 4 }),
    })
    .map((parts) => ({ id: "", metadata: {}, ...parts }) as Message),
  fc
    .tuple(fc.constantFrom("c1", "c2", "c3"), fc.string({ maxLength: 40 }))
    .map(([id, text]) => answered("", id, text)),
);
const talks = fc
  .array(anyMessage, { maxLength: 14 })
  .map((messages) => messages.map((message, at) => ({ ...message, id: String(at) })));
const anyPlan: fc.Arbitrary<Omit<PlanOptions, "summarizer">> = fc.record(
  {
    strategy: fc.constantFrom("newest", "oldest-page", "window", "pinned+newest"),
    maxMessages: fc.nat(8),
    maxChars: fc.nat(200),
    maxTokensApprox: fc.nat(60),
  },
  { requiredKeys: [] },
);

test("a plan has no half of a pair, keeps the budget and the order, and reports everything that it leaves out", () => {
  fc.assert(
    fc.property(talks, anyPlan, (talk, options) => {
      const { messages, omitted, cost } = planContext(talk, options);
      expectPairs(messages);
      const ids = messages.map(({ id }) => Number(id));
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      expect(messages.length + omitted.messages).toBe(talk.length);
      expect(cost.chars + omitted.chars).toBe(costOf(talk, undefined).chars);
      const { maxMessages, maxChars, maxTokensApprox } = options;
      const maxOfAll = Math.min(
        maxChars ?? Number.POSITIVE_INFINITY,
        4 * (maxTokensApprox ?? Number.POSITIVE_INFINITY),
      );
      const isOneUnit = isUnit(messages);
      // The one unit that always stays keeps the names of its calls and `{}`, even if they exceed the budget.
      const names = isOneUnit ? 3 * messages.flatMap(({ content }) => content).filter(isCall).length : 0;
      if (cost.chars > maxOfAll) expect(cost.chars).toBeLessThanOrEqual(names);
      if (maxMessages !== undefined && messages.length > maxMessages) expect(isUnit(messages)).toBe(true);
    }),
    { numRuns: rounds(5000) },
  );
});

function isCall(block: Block): boolean {
  return block.type === "tool_call";
}

function expectPairs(messages: readonly Message[]): void {
  const open = new Set<string>();
  for (const block of messages.flatMap(({ content }) => content)) {
    if (block.type === "tool_call") {
      expect(open.has(block.id)).toBe(false);
      open.add(block.id);
    }
    if (block.type === "tool_result") expect(open.delete(block.toolCallId)).toBe(true);
  }
  expect([...open]).toEqual([]);
}

/** One message, or messages that calls hold together. */
function isUnit(messages: readonly Message[]): boolean {
  return messages.length === 1 || messages.some(({ content }) => content.some(isCall));
}
