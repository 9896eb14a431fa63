/** An agent of a program takes part in a channel by `join`; its processes are killed and closed at any moment. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "@continuo/core/client";
import type { Agent } from "@continuo/core/model";
import { CHANNEL_LIMITS, type ChannelMessage } from "@continuo/core/wire";
import { type Continuo, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";

const PROGRAM = join(import.meta.dirname, "processes/team-bot.ts");
const PATIENT = { timeout: 120_000 };

let folder: string;
let url: string;
let store: OpenedStore;
let reader: Continuo;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "continuo-members-"));
  await use(`sqlite:${join(folder, "chat.db")}`);
});
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL");
  children.clear();
  await reader.close();
  await store.close();
  rmSync(folder, { recursive: true });
});

async function use(given: string): Promise<void> {
  url = given;
  store = await openStore(url, { migrate: true });
  reader = await openContinuo(store);
}

interface Program {
  readonly url: string;
  end(signal: NodeJS.Signals): Promise<void>;
}

async function start(pauseMs = 50): Promise<Program> {
  const args = [PROGRAM, url, `${pauseMs}`];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  children.add(child);
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const port = await new Promise<string>((resolve) =>
    createInterface(child.stdout).on("line", (line) => resolve(line.replace("port ", ""))),
  );
  return {
    url: `http://127.0.0.1:${port}`,
    async end(signal) {
      child.kill(signal);
      await exited;
    },
  };
}

async function answers(): Promise<readonly ChannelMessage[]> {
  const messages = await reader.channel("team").messages({ limit: 1_000 });
  return messages.filter(({ handle, state }) => handle === "bot" && state !== "deleted");
}

const whole = async (): Promise<readonly string[]> =>
  (await answers()).filter(({ state }) => state === "complete").map(({ content }) => content);

function say(text: string, from = "ann", id?: string): Promise<unknown> {
  return reader.channel("team").post(text, { from, type: "person", ...(id === undefined ? {} : { id }) });
}

test(
  "an agent in a channel receives what others said since its last answer, and answers once over kills and ends",
  PATIENT,
  async () => {
    // The answers last long enough for the test to see their beginning on a busy machine.
    let bot = await start(300);
    await say("We ship on Monday.");
    await say("@bot when do we ship?", "ben");
    await expect.poll(whole, PATIENT).toHaveLength(1);
    await say("No, on Tuesday.", "ann", "day");
    await say("@bot and now, and why, and what does that mean for all of us?", "ben");
    for (const [signal, pauseMs] of [
      ["SIGKILL", 300],
      ["SIGTERM", 300],
      ["SIGKILL", 50],
    ] as const) {
      // Part of the answer is there.
      await expect
        .poll(
          async () => (await answers()).some(({ state, content }) => state === "open" && content !== ""),
          PATIENT,
        )
        .toBe(true);
      await bot.end(signal);
      await say(`${signal} came in between.`);
      bot = await start(pauseMs);
      if (signal !== "SIGKILL") continue;
      // The next attempt has the prompt of the first.
      const ann = await connect({ serverUrl: bot.url, channel: "team", handle: "ann", token: "ann" });
      await ann.edit("day", "No, on Wednesday.");
      await ann.close();
    }
    await expect.poll(whole, PATIENT).toHaveLength(2);
    const [first = "", second = ""] = await whole();
    expect(first).toContain("We ship on Monday.");
    expect(first).toMatch(/ben in the channel team:\n\n@bot when do we ship\?$/u);
    expect(second).toContain("No, on Tuesday.");
    expect(second).not.toMatch(/Monday|Wednesday/u);
    expect(second).not.toContain("in between");
    expect(second).toMatch(/@bot and now, and why, and what does that mean for all of us\?$/u);
    await say("@bot what happened?", "ben");
    await expect.poll(whole, PATIENT).toHaveLength(3);
    const [, , third = ""] = await whole();
    expect(third.match(/SIG\w+ came in between\./gu)).toHaveLength(3);
    expect(third).not.toContain("Tuesday");
    const { events } = await store.read("bot-in-team", { types: ["message_sent"] });
    expect(events).toHaveLength(3);
  },
);

test("a question that is edited after a crash is answered once, with its new text", PATIENT, async () => {
  const first = await start(200);
  const people = { serverUrl: first.url, channel: "team", handle: "ann", token: "ann", reconnect: false };
  const ann = await connect(people);
  const { messageId } = await ann.send("@bot what is the whether going to be like tomorrow?");
  await expect.poll(async () => (await answers()).length, PATIENT).toBe(1);
  await first.end("SIGKILL");
  const second = await start(20);
  const again = await connect({ ...people, serverUrl: second.url });
  await again.edit(messageId, "@bot what is the weather going to be like tomorrow?");
  await expect
    .poll(whole, PATIENT)
    .toEqual([expect.stringMatching(/what is the weather going to be like tomorrow\?$/u)]);
  await again.close();
});

test.each(["sqlite", "postgres"])(
  "on %s, a second process waits for the handle of an agent, and answers after a kill before its lease is over",
  PATIENT,
  async (engine) => {
    if (engine === "postgres") {
      await reader.close();
      await store.close();
      await use(await newPostgresDatabase());
    }
    const first = await start(0);
    await say("@bot are you there?");
    await expect.poll(whole, PATIENT).toHaveLength(1);
    await start(0);
    await sleep(1_000);
    await first.end("SIGKILL");
    const killed = Date.now();
    await say("@bot and now?");
    await expect.poll(whole, { ...PATIENT, interval: 20 }).toHaveLength(2);
    const [, answer] = await answers();
    expect(Date.parse(answer?.timestamp ?? "") - killed).toBeLessThan(CHANNEL_LIMITS.silenceMs);
  },
);

test(
  "two agents in one program that mention each other end after the limit, also after a restart",
  PATIENT,
  async () => {
    const talk = (name: string, other: string): Agent => ({
      name,
      async execute(_, { onEvent }) {
        await onEvent({ type: "text", delta: `@${other} go on` });
        return {};
      },
    });
    const agents = [talk("one", "two"), talk("two", "one")];
    const counts: number[] = [];
    for (let time = 0; time < 2; time++) {
      const errors: unknown[] = [];
      const c = await openContinuo(store, {
        agents,
        recover: "retry",
        onError: (error) => errors.push(error),
      });
      for (const { name } of agents) void c.channel("team").join(name, { agent: name, maxTurns: 4 });
      if (time === 0) await say("@one begin");
      await expect.poll(async () => (await reader.channel("team").messages()).length, PATIENT).toBe(5);
      await sleep(500);
      counts.push((await reader.channel("team").messages()).length);
      await expect(c.channel("team").join("bot", { agent: "nobody" })).rejects.toMatchObject({
        code: "not_found",
      });
      await c.close();
      expect(errors).toEqual([]);
    }
    expect(counts).toEqual([5, 5]);
  },
);
