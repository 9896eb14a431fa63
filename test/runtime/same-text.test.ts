/** The text of an answer is the same for each of its readers: one text is one block, and blocks are paragraphs. */

import { type Agent, type Block, textOf } from "@continuo/core/model";
import { toAnthropicMessages, toOpenAIMessages, toShareGpt } from "@continuo/core/transcript";
import { type AgentDefinition, defineAgent, openContinuo } from "@continuo/server/runtime";
import { jsonSchema, tool } from "ai";
import { expect, test } from "vitest";
import { EMPTY_LIST, foldFrame } from "../../packages/core/src/client/chat/message-list.ts";
import { type ModelScript, ScriptedAgent, ScriptedModel } from "../../packages/store/src/testing/index.ts";

interface Texts {
  /** The content of each answer, as blocks. */
  readonly blocks: readonly (readonly Block[])[];
  readonly result: string;
  readonly stream: string;
  readonly chat: string | undefined;
  readonly openai: readonly unknown[];
  readonly anthropic: readonly unknown[];
  readonly shareGpt: readonly string[];
}

/** The answer to one question, as each reader gets it. */
async function read(agent: Agent | AgentDefinition<unknown>): Promise<Texts> {
  await using c = await openContinuo("memory:", { agents: [agent], pollMs: 10 });
  const session = c.session("s", { create: true });
  const run = session.send("go", { id: "q" });
  const { text: result } = await run.result();
  const { messages: shown } = await session.chat();
  const { messages } = foldFrame(EMPTY_LIST, { type: "chat", messages: shown, open: [] });
  const answers = (await session.messages()).filter(({ role }) => role !== "user");
  const { conversations } = toShareGpt(answers);
  return {
    blocks: answers.filter(({ role }) => role === "assistant").map(({ content }) => content),
    result,
    stream: (await Array.fromAsync(run.textStream())).join(""),
    chat: messages.at(-1)?.text,
    openai: toOpenAIMessages(answers).messages.flatMap((one) =>
      one.role === "assistant" ? [one.content] : [],
    ),
    anthropic: toAnthropicMessages(answers).messages.flatMap(({ role, content }) =>
      role === "assistant" ? content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
    ),
    shareGpt: conversations.flatMap(({ from, value }) => (from === "gpt" ? [value] : [])),
  };
}

const look = tool({ inputSchema: jsonSchema({ type: "object" }), execute: () => "found" });
const desk = (...turns: ModelScript[]): AgentDefinition<unknown> =>
  defineAgent({ name: "desk", model: new ScriptedModel({ turns }), tools: { look } });

test("a text that a model streams in pieces is one block, and the same text for every reader", async () => {
  const pieces = [{ stream: ["I "] }, { wait: 5 }, { stream: ["am "] }, { stream: ["here."] }];
  const { blocks, ...texts } = await read(desk(pieces));
  expect(blocks).toEqual([[{ type: "text", text: "I am here." }]]);
  const text = "I am here.";
  expect(texts).toEqual({
    result: text,
    stream: text,
    chat: text,
    openai: [text],
    anthropic: [text],
    shareGpt: [text],
  });
});

test("two parts of one text, such as at a citation, are one block", async () => {
  const { blocks, result, stream, chat } = await read(desk([{ say: "It rains " }, { say: "in Ulm." }]));
  expect(blocks).toEqual([[{ type: "text", text: "It rains in Ulm." }]]);
  expect([result, stream, chat]).toEqual(Array(3).fill("It rains in Ulm."));
});

test("texts before and after thinking are two paragraphs for every reader", async () => {
  const { blocks, ...texts } = await read(desk([{ say: "Hm." }, { think: "But …" }, { say: "Yes." }]));
  expect(blocks.map(textOf)).toEqual(["Hm.\n\nYes."]);
  const both = "Hm.\n\nYes.";
  expect(texts).toEqual({
    result: both,
    stream: both,
    chat: both,
    openai: [both],
    anthropic: ["Hm.", "Yes."],
    shareGpt: [both],
  });
});

test("the blocks of a message that came at once are paragraphs for every reader", async () => {
  const content: readonly Block[] = ["One.", "", "Two."].map((text) => ({ type: "text", text }));
  const { result, stream, chat, openai, shareGpt } = await read(
    new ScriptedAgent({ turns: [[{ event: { type: "message", content } }]] }),
  );
  expect([result, stream, chat, ...openai, ...shareGpt]).toEqual(Array(5).fill("One.\n\nTwo."));
});

test.each([
  ["the beginning of its first block", ["On"]],
  ["its first block", ["One."]],
])("a message of two blocks whose parts had only %s is paragraphs for every reader", async (_, deltas) => {
  const content: readonly Block[] = ["One.", "Two."].map((text) => ({ type: "text", text }));
  const parts = deltas.map((delta) => ({ event: { type: "text", delta, messageId: "m" } }) as const);
  const { result, stream, chat } = await read(
    new ScriptedAgent({ turns: [[...parts, { event: { type: "message", messageId: "m", content } }]] }),
  );
  expect([result, stream, chat]).toEqual(Array(3).fill("One.\n\nTwo."));
});

test("the text of a result is the last message, and the stream and the chat have what came before a call too", async () => {
  const said = await read(desk([{ say: "Let me look." }, { call: "look" }], [{ say: "It is sent." }]));
  expect(said.result).toBe("It is sent.");
  expect([said.stream, said.chat]).toEqual(Array(2).fill("Let me look.\n\nIt is sent."));
});

test("a scripted agent that streams a text and then says another one keeps both, as a scripted model does", async () => {
  const said = await read(
    new ScriptedAgent({ turns: [[{ stream: ["Let me ", "look."] }, { say: "It is sent." }]] }),
  );
  expect(said.blocks.map(textOf)).toEqual(["Let me look.", "It is sent."]);
  expect([said.stream, said.chat]).toEqual(Array(2).fill("Let me look.\n\nIt is sent."));
  const ended = await read(new ScriptedAgent({ turns: [[{ stream: ["It is "] }, { say: "It is sent." }]] }));
  expect(ended.blocks.map(textOf)).toEqual(["It is sent."]);
  expect(ended.stream).toBe("It is sent.");
});
