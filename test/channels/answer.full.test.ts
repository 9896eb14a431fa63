/** `client.answer()` in a process that is killed at any of its steps: each reader has each answer once. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type { AgenticClient, ClientEvent } from "@continuo/core/client";
import { openStore } from "@continuo/store";
import { readMessages } from "@continuo/store/channels";
import { afterEach, expect, test } from "vitest";
import { openChannelServer } from "./open-channel.ts";

const BOT = join(import.meta.dirname, "answering-bot.ts");

const bots = new Set<ChildProcess>();
afterEach(() => {
  for (const bot of bots) bot.kill("SIGKILL");
  bots.clear();
});

function startBot(url: string, channel: string, death: readonly string[] = []): Promise<unknown> {
  const bot = spawn(process.execPath, [BOT, url, channel, ...death], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  bots.add(bot);
  return new Promise((resolve) => bot.once("exit", (_, signal) => resolve(signal)));
}

interface Shown {
  readonly text: string;
  readonly state: string;
}

/** The messages of the bot as a reader shows them, updated by its events. */
function screenOf(client: AgenticClient, parts: boolean): ReadonlyMap<string, Shown> {
  const shown = new Map<string, Shown>();
  const show = (event: ClientEvent): void => {
    if (event.type === "message" && event.from === "bot")
      shown.set(event.messageId, { text: event.content, state: event.state });
    const id = "messageId" in event ? event.messageId : undefined;
    const before = id === undefined ? undefined : shown.get(id);
    if (id === undefined || before === undefined) return;
    if (event.type === "update")
      shown.set(id, { ...before, text: event.content ?? before.text + (event.delta ?? "") });
    if (event.type === "complete") shown.set(id, { text: event.content, state: "complete" });
    if (event.type === "error") shown.set(id, { ...before, state: "interrupted" });
    if (event.type === "deleted") shown.delete(id);
  };
  void (async () => {
    for await (const event of client.events({ parts })) show(event);
  })();
  return shown;
}

const FRAMES = ["claim", "send", "append", "complete", "end_run"];
const MOMENTS = FRAMES.flatMap((frame) => [
  [frame, "before"],
  [frame, "after"],
]);

test.each(MOMENTS)(
  "a bot that is killed at the frame %s, %s the frame is stored, answers once",
  { timeout: 120_000 },
  async (frame, side) => {
    await using store = await openStore("memory:");
    await using server = await openChannelServer(store);
    const [ann, ben] = await Promise.all([server.join("ann"), server.join("ben")]);
    const screens = [screenOf(ann, true), screenOf(ben, false)];
    const killed = startBot(server.url, "team", [frame, side]);
    await ann.send("@bot is the bridge open today");
    expect(await killed).toBe("SIGKILL");
    void startBot(server.url, "team");
    const whole = { state: "complete" };
    const first = { ...whole, text: "You asked: @bot is the bridge open today" };
    const wait = { timeout: 60_000 };
    for (const screen of screens) await expect.poll(() => [...screen.values()], wait).toEqual([first]);
    // Inputs are answered in their order, so a second answer to the first input would come before this answer.
    await ben.send("@bot and tomorrow");
    const second = { ...whole, text: "You asked: @bot and tomorrow" };
    for (const screen of screens)
      await expect.poll(() => [...screen.values()], wait).toEqual([first, second]);
    const { messages } = await readMessages(store, "team", { limit: 100 });
    const later = messages.filter((one) => one.handle === "bot" && one.state !== "deleted");
    expect(later.map(({ content, state }) => ({ state, text: content }))).toEqual([first, second]);
  },
);
