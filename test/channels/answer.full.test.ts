/** `client.answer()` in a process that is killed at any of its steps: each reader has each answer once. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type AgenticClient, type ClientEvent, connect } from "@continuo/core/client";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { readMessages } from "@continuo/store/channels";
import { afterEach, expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
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
    expect(await answersIn(store)).toEqual([first, second]);
  },
);

test.each([
  ["append", "after"],
  ["complete", "before"],
  ["end_run", "before"],
])(
  "a bot on standby takes over from one that is killed at the frame %s, %s the frame is stored, and answers once",
  { timeout: 120_000 },
  async (frame, side) => {
    await using store = await openStore("memory:");
    await using server = await openChannelServer(store);
    const ann = await server.join("ann");
    const screen = screenOf(ann, true);
    const killed = startBot(server.url, "team", [frame, side]);
    const wait = { timeout: 60_000 };
    await expect.poll(() => store.getLease("channel/team/bot"), wait).not.toBeNull();
    void startBot(server.url, "team");
    await ann.send("@bot is the bridge open today");
    expect(await killed).toBe("SIGKILL");
    const first = { state: "complete", text: "You asked: @bot is the bridge open today" };
    await expect.poll(() => [...screen.values()], wait).toEqual([first]);
    await ann.send("@bot and tomorrow");
    const second = { state: "complete", text: "You asked: @bot and tomorrow" };
    await expect.poll(() => [...screen.values()], wait).toEqual([first, second]);
    expect(await answersIn(store)).toEqual([first, second]);
  },
);

async function startServer(
  storeUrl: string,
): Promise<{ readonly url: string; readonly child: ChildProcess }> {
  const program = await bundledProgram("test/channels/chaos-server.ts");
  const child = spawn(process.execPath, [program, storeUrl, "default", "none"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  bots.add(child);
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return { url, child };
}

test("an answer whose server is killed in the middle of it, several times, is complete and said once", {
  timeout: 180_000,
}, async () => {
  const storeUrl = `sqlite:${join(scratchFolder("answer"), "store.db")}`;
  await using store = await openStore(storeUrl);
  let server = await startServer(storeUrl);
  await using proxy = await cuttingProxy(server.url);
  const ann = await connect({
    serverUrl: proxy.url,
    channel: "team",
    handle: "ann",
    workspaceId: "default",
  });
  const screen = screenOf(ann, true);
  void startBot(proxy.url, "team");
  const wait = { timeout: 60_000, interval: 10 };
  const whole: Shown[] = [];
  for (const [round, words] of [1, 3, 6].entries()) {
    const question = `@bot is bridge number ${round} open today`;
    await ann.send(question);
    const hasBegun = async (): Promise<boolean> => {
      const last = (await answersIn(store)).at(-1);
      return last?.state === "open" && last.text.split(" ").length >= words;
    };
    await expect.poll(hasBegun, wait).toBe(true);
    server.child.kill("SIGKILL");
    await once(server.child, "exit");
    server = await startServer(storeUrl);
    proxy.retarget(server.url);
    whole.push({ state: "complete", text: `You asked: ${question}` });
    await expect.poll(() => [...screen.values()], wait).toEqual(whole);
  }
  expect(await answersIn(store)).toEqual(whole);
  // The run ends after its message.
  const completed = async () =>
    (await store.listRuns({ sessionId: "participant:team:bot", status: "completed" })).items;
  await expect.poll(completed, wait).toHaveLength(whole.length);
  await ann.close();
});

/** The messages of the bot in the store, except those that it deleted. */
async function answersIn(store: Store): Promise<readonly Shown[]> {
  const { messages } = await readMessages(store, "team", { limit: 100 });
  return messages
    .filter(({ handle, state }) => handle === "bot" && state !== "deleted")
    .map(({ content, state }) => ({ state, text: content }));
}
