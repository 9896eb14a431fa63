/**
 * Two bots that mention each other, written as in docs/channels.md: they stop by themselves, and a person starts them
 * again.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { AgenticClient } from "@continuo/core/client";
import type { MessagesWindow } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openChannelServer } from "./open-channel.ts";

/** A bot that answers each message that is addressed to it with a mention of the other bot. */
async function answerAll(bot: AgenticClient, other: string, maxTurns?: number): Promise<void> {
  const options = maxTurns === undefined ? {} : { maxTurns };
  for await (const event of bot.events({ targetedOnly: true, ...options })) {
    if (event.type !== "message" || event.sequence === undefined) continue;
    await bot.send(`@${other} I agree. And you?`, { replyTo: event.id });
    await bot.commitCheckpoint(event.sequence);
  }
}

test("two bots that mention each other end after 20 messages, and a person starts the count again", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const warnings: string[] = [];
  const onWarning = (line: string): void => void warnings.push(line);
  const [ada, bob] = await Promise.all([
    server.join("ada", { type: "agent", onWarning }),
    server.join("bob", { type: "agent", onWarning }),
  ]);
  const talks = [answerAll(ada, "bob"), answerAll(bob, "ada")];
  const ann = await server.join("ann");
  const authors: string[] = [];
  const reading = (async () => {
    for await (const event of ann.events()) if (event.type === "message") authors.push(event.kind);
  })();
  await ann.send("@ada is the bridge open?");
  await expect.poll(() => authors.length).toBe(21);
  expect(warnings).toEqual(["agents sent 20 messages since a person did: the next ones are not answered"]);
  await ann.send("@bob and you?");
  await expect.poll(() => authors.length).toBe(42);
  const agents = Array.from({ length: 20 }, () => "agent");
  expect(authors).toEqual(["person", ...agents, "person", ...agents]);
  await Promise.all([ada.close(), bob.close(), ann.close()]);
  // A bot may be closed between its last answer and its checkpoint.
  await Promise.allSettled([...talks, reading]);
  // No message came after the last one.
  expect((await store.read("channels/team", { types: ["message_sent"] })).events).toHaveLength(42);
});

test("a bot can set the number itself", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const [ada, bob] = await Promise.all([
    server.join("ada", { type: "agent", onWarning: () => undefined }),
    server.join("bob", { type: "agent", onWarning: () => undefined }),
  ]);
  const talks = [answerAll(ada, "bob", 3), answerAll(bob, "ada", 3)];
  const ann = await server.join("ann");
  await ann.send("@ada hello");
  const count = async (): Promise<number> =>
    (await store.read("channels/team", { types: ["message_sent"] })).events.length;
  await expect.poll(count).toBe(4);
  await Promise.all([ada.close(), bob.close()]);
  await Promise.allSettled(talks);
  expect(await count()).toBe(4);
});

test("a bot that reads and writes over HTTP is an agent if it says so, and its messages count like those of others", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const ada = await server.join("ada", { type: "agent", onWarning: () => undefined });
  const talk = answerAll(ada, "bob", 5);
  const place = `${server.url}/v1/channels/team/messages`;
  const post = async (body: object): Promise<Response> =>
    await fetch(place, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const refused = await post({ handle: "bob", content: "@ada hello", participantType: 7 });
  expect([refused.status, await refused.json()]).toMatchObject([400, { error: { code: "invalid" } }]);
  await post({ handle: "ann", content: "@ada is the bridge open?" });
  const kinds = async (): Promise<readonly string[]> => {
    const answer = (await (await fetch(place)).json()) as MessagesWindow;
    return answer.messages.map(({ kind }) => kind).filter((kind) => kind !== "system");
  };
  // Bob answers each message of Ada, until she stops.
  for (const length of [2, 4]) {
    await expect.poll(async () => (await kinds()).length).toBe(length);
    await post({ handle: "bob", content: "@ada and you?", participantType: "agent" });
  }
  await expect.poll(async () => (await kinds()).length).toBe(6);
  await post({ handle: "bob", content: "@ada and you?", participantType: "agent" });
  // A message of a person starts the count again: her answer is the first after it.
  await post({ handle: "ann", content: "@ada go ahead" });
  await expect.poll(async () => (await kinds()).length).toBe(9);
  const agents = Array.from({ length: 6 }, () => "agent");
  expect(await kinds()).toEqual(["person", ...agents, "person", "agent"]);
  await ada.close();
  await Promise.allSettled([talk]);
});

const MODES = ["stream", "collect", "skip"] as const;
const WAYS = MODES.flatMap((mode) => [[mode, "answer"] as const, [mode, "send"] as const]);

test.each(WAYS)(
  "two bots that are started again, in their talk or after it, send no more than their limit (%s, %s)",
  async (replayMode, way) => {
    await using store = await openStore("memory:");
    await using server = await openChannelServer(store);
    const said = async (): Promise<number> => {
      const { events } = await store.read("channels/team", { types: ["message_sent", "message_completed"] });
      return events.filter(({ actor, type, data }) => {
        const isWhole = type === "message_completed" || (data as { state?: string }).state !== "open";
        return actor.kind === "agent" && isWhole;
      }).length;
    };
    const start = async () => {
      const join = (handle: string) =>
        server.join(handle, { type: "agent", replayMode, onWarning: () => undefined });
      const [ada, bob] = await Promise.all([join("ada"), join("bob")]);
      const talk = async (bot: AgenticClient, other: string): Promise<void> => {
        if (way === "send") return await answerAll(bot, other, 6);
        for await (const event of bot.events({ targetedOnly: true, maxTurns: 6 }))
          await bot.answer(event, () => `@${other} I agree. And you?`);
      };
      const talks = Promise.allSettled([talk(ada, "bob"), talk(bob, "ada")]);
      return async (): Promise<void> => {
        await Promise.all([ada.close(), bob.close()]);
        await talks;
      };
    };
    const ann = await server.join("ann");
    let stop = await start();
    await ann.send("@ada is the bridge open?");
    await expect.poll(said, { interval: 1 }).toBeGreaterThanOrEqual(3);
    for (const _ of [1, 2, 3]) {
      await stop();
      stop = await start();
      await expect.poll(said).toBeGreaterThanOrEqual(6);
      await sleep(100);
    }
    const first = await said();
    // A bot that sends without an id may repeat what it had not committed.
    if (way === "answer") expect(first).toBe(6);
    expect(first).toBeLessThanOrEqual(7);
    await stop();
    for (const handle of ["ada", "bob"]) {
      const bot = await server.join(handle, { type: "agent" });
      const inputs = await Array.fromAsync(bot.events({ signal: AbortSignal.timeout(100) }));
      // The skipped input is settled: it is not delivered again.
      expect(inputs.filter(({ addressed }) => addressed)).toEqual([]);
      await bot.close();
    }
    stop = await start();
    await ann.send("@bob and you?");
    await expect.poll(said).toBe(first + 6);
    await sleep(100);
    expect(await said()).toBe(first + 6);
    await stop();
  },
);
