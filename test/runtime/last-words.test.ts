/**
 * The whole text of an answer reaches every reader of its parts: in the stream, in the chat and as strings, also after
 * a crash.
 */

import type { Agent, AgentEvent } from "@continuo/core/model";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { createUIFold } from "../../packages/server/src/runtime/ui-chunks.ts";
import { UIParts } from "../../packages/server/src/runtime/ui-parts.ts";
import { ScriptedAgent } from "../../packages/store/src/testing/index.ts";

let c: Continuo;
afterEach(() => c.close());

function text(delta: string): AgentEvent {
  return { type: "text", delta, messageId: "m1" };
}

function whole(words: string): AgentEvent {
  return { type: "message", messageId: "m1", content: [{ type: "text", text: words }] };
}

/** Returns the answer as each reader gets it: the stream for `useChat`, the chat, the strings and the result. */
async function readers(): Promise<Readonly<Record<string, string>>> {
  const session = c.session("s");
  const run = session.run("q1");
  const stream = await run.toUIMessageResponse().text();
  const parts = new UIParts();
  for (const [, chunk] of stream.matchAll(/^data: (\{.*)$/gmu)) parts.take(JSON.parse(chunk ?? ""));
  const said = (of: readonly { readonly [field: string]: unknown }[]): string =>
    of.map(({ text: words }) => words ?? "").join("");
  return {
    stream: said(parts.parts()),
    chat: said((await session.chat()).messages.at(-1)?.parts ?? []),
    strings: (await Array.fromAsync(run.textStream())).join(""),
    result: (await run.result()).text,
  };
}

function all(words: string): Readonly<Record<string, string>> {
  return { stream: words, chat: words, strings: words, result: words };
}

test.each<[string, readonly AgentEvent[], string]>([
  [
    "directly before its message",
    [text("quite "), text("some "), text("words"), whole("quite some words")],
    "quite some words",
  ],
  ["without a message", [text("quite some "), text("words")], "quite some words"],
  ["that are completed only by the message", [text("quite "), whole("quite some words")], "quite some words"],
])("texts in parts %s reach all readers, live and from the log", async (_, events, words) => {
  const agent: Agent = {
    name: "fast",
    async execute(_request, { onEvent }) {
      for (const event of events) await onEvent(event);
      return {};
    },
  };
  c = await openContinuo("memory:", { agents: [agent], pollMs: 10 });
  await c.session("s", { create: true }).send("Say words.", { id: "q1" });
  expect(await readers()).toEqual(all(words));
  expect(await readers()).toEqual(all(words));
});

test("a message whose text differs from its parts replaces them, and who reads strings live gets a line before it", async () => {
  const script = [{ event: text("It is on the weigh") }, { event: whole("It is on the way") }];
  c = await openContinuo("memory:", { agents: [new ScriptedAgent({ turns: [script] })], pollMs: 10 });
  const run = c.session("s", { create: true }).send("Where is it?", { id: "q1" });
  const live = (await Array.fromAsync(run.textStream())).join("");
  expect(live).toBe("It is on the weigh\n\n[The answer begins again.]\n\nIt is on the way");
  expect(await readers()).toEqual(all("It is on the way"));
});

test("an image of a message reaches the chat after the text of its parts", async () => {
  const image = { type: "image", mimeType: "image/png", data: "aGk=" } as const;
  const script = [
    { event: text("The label:") },
    {
      event: { ...whole("The label:"), content: [{ type: "text", text: "The label:" }, image] } as AgentEvent,
    },
  ];
  c = await openContinuo("memory:", { agents: [new ScriptedAgent({ turns: [script] })], pollMs: 10 });
  const session = c.session("s", { create: true });
  await session.send("Which label?", { id: "q1" }).result();
  expect((await session.chat()).messages.at(-1)?.parts).toMatchObject([
    { type: "step-start" },
    { type: "text", text: "The label:" },
    { type: "file", mediaType: "image/png" },
  ]);
});

test("a message is complete at its end, with any of its parts in the log", () => {
  const parts = fc.array(fc.string({ maxLength: 5 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(parts, fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }), (deltas, isStored) => {
      const message = deltas.join("");
      fc.pre(message.trim() !== "");
      const fold = createUIFold("r");
      const shown = new UIParts();
      const take = (type: string, data: object): void => {
        for (const chunk of fold.take({ id: "e", type, data } as never)) shown.take(chunk);
      };
      for (const [at, delta] of deltas.entries())
        if (isStored[at]) take("message_streamed", { messageId: "m", kind: "text", delta });
      take("message_received", { messageId: "m", content: [{ type: "text", text: message }] });
      for (const chunk of fold.end()) shown.take(chunk);
      const words = shown
        .parts()
        .map(({ text: said = "" }) => said)
        .join("");
      expect(words.trim()).toBe(message.trim());
    }),
  );
});

test.each([
  ["one text", ["Hello"]],
  ["two texts", ["He", "llo"]],
])("a message of %s whose parts surround another message shows no words twice", (_, texts) => {
  const fold = createUIFold("r");
  const shown = new UIParts();
  const take = (type: string, data: object): void => {
    for (const chunk of fold.take({ id: "e", type, data } as never)) shown.take(chunk);
  };
  const parts = [
    ["a", "He"],
    ["b", "x"],
    ["a", "llo"],
  ];
  for (const [messageId, delta] of parts) take("message_streamed", { messageId, kind: "text", delta });
  const content = texts.map((words) => ({ type: "text", text: words }));
  take("message_received", { messageId: "a", content });
  for (const chunk of fold.end()) shown.take(chunk);
  expect(shown.parts().flatMap(({ text: words }) => words ?? [])).toEqual(["He", "x", "llo"]);
});

/**
 * The first attempt is left by a killed process; the second one belongs to another process, and streams these parts.
 */
async function secondAttempt(
  first: readonly object[],
  second: readonly string[],
  comes: "before" | "after" = "before",
): Promise<string[]> {
  const agent = new ScriptedAgent({ turns: [[{ stream: second, messageId: "m2" }]] });
  c = await openContinuo("memory:", { agents: [agent], pollMs: 10, recover: "retry", work: false });
  const session = c.session("s", { create: true });
  const { runId } = await session.send("Say words.", { id: "q1" });
  const events = [{ type: "run_started", data: { runId } }, ...first] as { type: string; data: unknown }[];
  const append = async (some: typeof events, to?: "running"): Promise<void> => {
    const also = to === undefined ? [] : [{ type: "run", runId, to } as const];
    await c.store.append(
      "s",
      some.map((event) => ({ ...event, runId })),
      { also },
    );
  };
  await append(comes === "before" ? events.slice(0, 1) : events, "running");
  const shown: string[] = [];
  const isReading = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const words of session.run("q1").textStream()) {
      shown.push(words);
      isReading.resolve();
    }
  })();
  if (comes === "before") {
    await append(events.slice(1));
    await isReading.promise;
  }
  const stop = new AbortController();
  const working = c.work({ signal: stop.signal });
  await reading;
  stop.abort();
  await working;
  return shown;
}

function streamed(delta: string): object {
  return { type: "message_streamed", data: { delta, messageId: "m1", kind: "text" } };
}

test.each([
  ["continues where the text of the first attempt ends", ["It is ", "there."], "It is there."],
  ["repeats the text of the first attempt", ["It ", "is"], "It is"],
  [
    "begins with a mark if its text differs",
    ["The parcel ", "is there."],
    "It is\n\n[The answer begins again.]\n\nThe parcel is there.",
  ],
  ["begins with a mark if its text is shorter", ["It "], "It is\n\n[The answer begins again.]\n\nIt "],
  ["says nothing", [], "It is"],
])("for a reader of strings, the next attempt %s", async (_, second, expected) => {
  const shown = await secondAttempt([streamed("It is")], second);
  expect(shown.join("")).toBe(expected);
  // A later reader never sees text that another attempt has replaced.
  const words = second.join("");
  expect(await readers()).toEqual(all(words));
});

test.each([
  ["continues with the same text", ["It is ", "there."], "It is there."],
  ["differs", ["The parcel ", "is there."], "The parcel is there."],
  ["is shorter", ["It "], "It "],
])(
  "a reader who comes after the crash gets no words of the dead attempt, if the next one %s",
  async (_, second, expected) => {
    expect((await secondAttempt([streamed("It is")], second, "after")).join("")).toBe(expected);
    expect(await readers()).toEqual(all(expected));
  },
);

test("a reader who comes after the crash gets the words before a call at once, because they stay", async () => {
  const call = { toolCallId: "c1", toolName: "look", toolInput: {}, messageId: "m1" };
  const first = [streamed("I look."), { type: "tool_call_started", data: call }];
  const shown = await secondAttempt(first, ["It is there."], "after");
  expect(shown.join("")).toBe("I look.\n\nIt is there.");
  expect(shown[0]).toBe("I look.");
});

test("a reader who comes while an answer is written gets all of it with its next word", async () => {
  const script = [
    { stream: ["It is "], messageId: "m1" },
    { wait: 300 },
    { stream: ["there."], messageId: "m1" },
    { wait: "abort" },
  ] as const;
  c = await openContinuo("memory:", { agents: [new ScriptedAgent({ turns: [script] })], pollMs: 10 });
  const session = c.session("s", { create: true });
  await session.send("Where is it?", { id: "q1" });
  await expect.poll(async () => JSON.stringify((await session.chat()).messages)).toContain("It is ");
  let shown = "";
  for await (const words of session.run("q1").textStream()) {
    shown += words;
    if (shown.includes("there.")) break;
  }
  expect(shown).toBe("It is there.");
});

test("text before a call of an attempt stays, and the next attempt follows in a separate paragraph", async () => {
  const call = { toolCallId: "c1", toolName: "look", toolInput: {}, messageId: "m1" };
  const first = [
    streamed("I look."),
    { type: "tool_call_started", data: call },
    { type: "tool_call_completed", data: { toolCallId: "c1", toolOutput: "a parcel" } },
  ];
  const expected = "I look.\n\nIt is there.";
  expect((await secondAttempt(first, ["It is there."])).join("")).toBe(expected);
  expect((await Array.fromAsync(c.session("s").run("q1").textStream())).join("")).toBe(expected);
});
