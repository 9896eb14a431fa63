/**
 * `client.answer()`: a claimed answer in parts for readers of both kinds, its failures, and the inputs that it skips.
 */

import type { AgenticClient, AnswerInput, AnswerResult, ClientEvent } from "@continuo/core/client";
import { openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import { readMessages } from "@continuo/store/channels";
import { wakeAll } from "@continuo/store/sessions";
import { EchoAgent } from "@continuo/store/testing";
import { expect, test } from "vitest";
import { openChannelServer, take } from "./open-channel.ts";

async function* spoken(...parts: readonly string[]): AsyncGenerator<string> {
  for (const part of parts) {
    yield part;
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
}

const isMessage = (event: ClientEvent): boolean => event.type === "message";

async function nextInput(client: AgenticClient): Promise<ClientEvent> {
  for await (const event of client.events({ targetedOnly: true })) if (isMessage(event)) return event;
  throw new Error("the channel ended");
}

async function open() {
  const store = await openStore("memory:");
  const server = await openChannelServer(store);
  const warnings: string[] = [];
  const join = () => server.join("bot", { type: "agent", onWarning: (line) => void warnings.push(line) });
  const said = async () =>
    (await readMessages(store, "team", { limit: 100 })).messages
      .filter(({ handle, state }) => handle === "bot" && state !== "deleted")
      .map(({ content, state, replyTo }) => ({ content, state, replyTo }));
  return { store, server, join, said, warnings };
}

test("an answer arrives in parts, and its input does not come again", async () => {
  const { store, server, join, said } = await open();
  const [bot, ann] = await Promise.all([join(), server.join("ann")]);
  const { messageId: replyTo } = await ann.send("@bot hello");
  const result = await bot.answer(await nextInput(bot), ({ content }) => spoken("to ", content));
  expect(result).toMatchObject({ status: "completed", text: "to @bot hello" });
  const events = await take(ann, 4, ({ from, type }) => from === "bot" && type !== "presence");
  expect(events.map(({ type }) => type)).toEqual(["message", "update", "update", "complete"]);
  await bot.close();
  const again = await join();
  await ann.send("@bot next");
  const next = await nextInput(again);
  expect(next).toMatchObject({ content: "@bot next" });
  expect(await again.answer(next, "a text")).toMatchObject({ status: "completed", text: "a text" });
  expect(await again.answer(next, "another text")).toEqual({ status: "skipped" });
  expect(await said()).toEqual([
    { content: "to @bot hello", state: "complete", replyTo },
    { content: "a text", state: "complete", replyTo: next.id },
  ]);
  await server.stop();
  await store.close();
});

test("a program that looks for runs of dead processes does not end the answer of a connected bot", async () => {
  const { store, server, join, said } = await open();
  const [bot, ann] = await Promise.all([join(), server.join("ann")]);
  await ann.send("@bot hello");
  const result = await bot.answer(await nextInput(bot), async function* () {
    yield "half, ";
    expect(await Array.fromAsync(wakeAll(store, { leaseMs: 1 }))).toEqual([]);
    yield "whole";
  });
  expect(result).toMatchObject({ status: "completed", text: "half, whole" });
  expect(await said()).toMatchObject([{ content: "half, whole", state: "complete" }]);
  await server.stop();
  await store.close();
});

test("after a lost process, the answer takes the place of the unfinished one", async () => {
  const { store, server, join, said } = await open();
  const ann = await server.join("ann");
  await ann.send("@bot hello");
  const first = await join();
  let asked = 0;
  const until = Promise.withResolvers<void>();
  const lost = first.answer(await nextInput(first), async function* () {
    asked += 1;
    yield "half of ";
    until.resolve();
    await new Promise(() => undefined);
  });
  lost.catch(() => undefined);
  await until.promise;
  await expect.poll(said).toMatchObject([{ content: "half of ", state: "open" }]);
  await first.close();
  const second = await join();
  const event = await nextInput(second);
  expect(event.redelivered).toBe(true);
  const result = await second.answer(event, (input) => {
    asked += input.attempt;
    return "all of it";
  });
  expect(result).toMatchObject({ status: "completed" });
  expect(asked).toBe(3);
  expect(await said()).toMatchObject([{ content: "all of it", state: "complete" }]);
  await server.stop();
  await store.close();
});

test("a question that is edited while its bot is away is asked with another id, and its new text is answered", async () => {
  const { store, server, join, said } = await open();
  const c = await openContinuo(store, { agents: [new EchoAgent()] });
  const ids: string[] = [];
  const think = ({ content, id }: AnswerInput) => {
    ids.push(id);
    return c.session("bot-in-team", { create: true }).send(content, { id }).textStream();
  };
  const ann = await server.join("ann");
  const { messageId } = await ann.send("@bot four");
  const fall = async (): Promise<void> => {
    const begun = Promise.withResolvers<void>();
    const bot = await join();
    const lost = bot.answer(await nextInput(bot), async function* (input) {
      yield* think(input);
      begun.resolve();
      await new Promise(() => undefined);
    });
    lost.catch(() => undefined);
    await begun.promise;
    await bot.close();
  };
  // The same text has the same id, however often it comes again.
  await fall();
  await fall();
  await ann.edit(messageId, "@bot forty");
  const bot = await join();
  const result = await bot.answer(await nextInput(bot), think);
  expect(result).toMatchObject({ status: "completed", text: "@bot forty" });
  expect(await said()).toEqual([{ content: "@bot forty", state: "complete", replyTo: messageId }]);
  expect(ids).toEqual([messageId, messageId, expect.any(String)]);
  expect(ids[2]).not.toBe(messageId);
  await c.close();
  await server.stop();
  await store.close();
});

test("an error while an answer is written ends the message with a sentence, and the bot continues", async () => {
  const { store, server, join, said, warnings } = await open();
  const [bot, ann] = await Promise.all([join(), server.join("ann")]);
  await ann.send("@bot one");
  const failed = await bot.answer(await nextInput(bot), async function* () {
    yield "I think";
    throw new Error("key sk-1 is over its limit");
  });
  expect(failed).toMatchObject({ status: "failed", error: { message: "key sk-1 is over its limit" } });
  expect(warnings).toEqual(["an answer failed: Error: key sk-1 is over its limit"]);
  await ann.send("@bot two");
  const none = await bot.answer(await nextInput(bot), "");
  expect(none).toMatchObject({ status: "completed", text: "" });
  await ann.send("@bot three");
  await bot.answer(await nextInput(bot), "three");
  expect((await said()).map(({ content }) => content)).toEqual(["I think\n\nThe answer failed.", "three"]);
  expect((await store.listRuns({})).items.map(({ status }) => status).sort()).toEqual([
    "completed",
    "completed",
    "failed",
  ]);
  await server.stop();
  await store.close();
});

test("a client answers its inputs in order, and an input that it skips does not hold up the next one", async () => {
  const { store, server, join, said } = await open();
  const [bot, ann] = await Promise.all([join(), server.join("ann")]);
  for (const text of ["@bot one", "@bot two", "@bot three"]) await ann.send(text);
  const events: ClientEvent[] = [];
  for await (const event of bot.events({ targetedOnly: true })) {
    events.push(event);
    if (events.length === 3) break;
  }
  const [, ...answered] = events;
  const results: Promise<AnswerResult>[] = answered.map((event) =>
    bot.answer(event, ({ content }) => spoken("to ", content)),
  );
  expect((await Promise.all(results)).map(({ status }) => status)).toEqual(["completed", "completed"]);
  expect((await said()).map(({ content }) => content)).toEqual(["to @bot two", "to @bot three"]);
  const [first] = events;
  expect(first && (await bot.answer(first, "late"))).toEqual({ status: "skipped" });
  await expect(first && ann.answer(first, "as a person")).rejects.toMatchObject({ code: "invalid" });
  await server.stop();
  await store.close();
});
