/** Cases for cursors, sessions, history, and the inputs of agents. */

import type { AgenticClient } from "@continuo/core/client";
import type { Store } from "@continuo/core/model";
import { CHANNEL_LIMITS } from "@continuo/core/wire";
import { expect } from "vitest";
import { take } from "../open-channel.ts";
import { type ChannelCase, LOG, typesIn, until } from "./case.ts";
import { hello, openRaw } from "./raw.ts";

const SESSION = "participant:team:bot";

async function runsOf(store: Store): Promise<readonly string[]> {
  return (await store.listRuns({ sessionId: SESSION })).items.map(({ status }) => status);
}

/** Ends the client as if its process was killed: its socket closes, and it sends no last frame. */
async function die(client: AgenticClient, store: Store): Promise<void> {
  const lease = await store.getLease("channel/team/bot");
  if (lease !== null) await store.releaseLease(lease);
  // From now on, the server treats this client as one that lost its handle.
  await store.releaseLease(await store.acquireLease("channel/team/bot", { owner: "nobody" }));
  await client.close();
}

export const sessionCases: readonly ChannelCase[] = [
  {
    id: "CUR-6",
    title:
      "the connections of a person share a checkpoint that only moves forward, and each device has its own cursor",
    run: async ({ join }, store) => {
      const bob = await join("bob", { type: "agent" });
      for (const word of ["one", "two", "three"]) await bob.send(`@ann ${word}`);
      const phone = await join("ann", { device: "phone" });
      const laptop = await join("ann", { device: "laptop" });
      await take(phone, 3, ({ addressed }) => addressed);
      await take(laptop, 1, ({ addressed }) => addressed);
      const received = async (device: string): Promise<number | undefined> =>
        (await store.getCursor({ logId: LOG, name: `received/ann/${device}` }))?.sequence;
      await until(async () => (await received("phone")) === 3, "what the phone received");
      await until(async () => (await received("laptop")) === 1, "what the laptop received");
      await phone.commitCheckpoint(2);
      await until(() => laptop.checkpoint === 2, "the checkpoint of the phone, on the laptop");
      await laptop.commitCheckpoint(1);
      expect([phone.checkpoint, laptop.checkpoint]).toEqual([2, 2]);
      await laptop.close();
      const again = await join("ann", { device: "laptop" });
      const [three] = await take(again, 1, ({ addressed }) => addressed);
      expect([again.checkpoint, three?.sequence, three?.redelivered]).toEqual([2, 3, false]);
      await expect(join("bot", { type: "agent", device: "phone" })).rejects.toMatchObject({
        code: "invalid",
      });
    },
  },
  {
    id: "CUR-8",
    title: "a person has a limited number of devices in a channel, and each of them can reconnect",
    run: async ({ join }, store) => {
      const most = CHANNEL_LIMITS.devices;
      const [first] = await Promise.all(
        Array.from({ length: most }, async (_, index) => await join("ann", { device: `device ${index}` })),
      );
      const many = Array.from(
        { length: 4 },
        async (_, index) => await join("ann", { device: `more ${index}` }),
      );
      for (const one of await Promise.allSettled(many)) {
        expect(one).toMatchObject({
          status: "rejected",
          reason: { code: "too_large", details: { limit: most } },
        });
      }
      await first?.close();
      await join("ann", { device: "device 0" });
      await join("ann");
      await join("eve", { device: "more 0" });
      const { items } = await store.listCursors({ logId: LOG });
      expect(items.filter(({ name }) => name.startsWith("received/ann/more"))).toEqual([]);
    },
  },
  {
    id: "RUN-7",
    title: "a participant with several connections cannot claim an input",
    run: async ({ join }) => {
      const bob = await join("bob", { type: "agent" });
      await bob.send("@ann hello");
      const phone = await join("ann");
      const laptop = await join("ann");
      await expect(phone.claimInput(1, { agent: "echo" })).rejects.toMatchObject({ code: "conflict" });
      await laptop.close();
      expect(await phone.claimInput(1, { agent: "echo" })).toMatchObject({ state: "claimed" });
    },
  },
  {
    id: "CUR-1",
    title: "cursors only move forward, and never beyond the end of the log",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      for (const word of ["a", "b", "c"]) await ann.send(word);
      await ann.commitCheckpoint(2);
      expect(ann.checkpoint).toBe(2);
      await ann.commitCheckpoint(1);
      expect(ann.checkpoint).toBe(2);
      await expect(ann.commitCheckpoint(9)).rejects.toMatchObject({ code: "out_of_range" });
      expect(await store.getCursor({ logId: LOG, name: "processed/ann" })).toMatchObject({ sequence: 2 });
    },
  },
  {
    id: "CUR-2",
    title: "a new session is active, and its values are known when connect resolves",
    run: async ({ join }, { workspaceId }) => {
      const ann = await join("ann");
      expect([ann.sessionKey, ann.checkpoint, ann.sdkSessionId, ann.status, ann.degraded]).toEqual([
        `${workspaceId}:team:ann`,
        0,
        undefined,
        "active",
        undefined,
      ]);
      await ann.updateSdkSession("native-1");
      await ann.close();
      const again = await join("ann");
      expect(again.sdkSessionId).toBe("native-1");
      await again.clearSdkSession();
      expect(again.sdkSessionId).toBeUndefined();
    },
  },
  {
    id: "CUR-3",
    title: "a message that was received and not committed comes again, with a mark",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      for (const word of ["one", "two", "three"]) await ann.send(`@bot ${word}`);
      await ann.send("not for the bot");
      const bot = await join("bot", { type: "agent" });
      const first = await take(bot, 2, ({ addressed }) => addressed);
      expect(first.map(({ redelivered }) => redelivered)).toEqual([false, false]);
      await bot.commitCheckpoint(1);
      await until(async () => {
        const cursor = await store.getCursor({ logId: LOG, name: "received/bot" });
        return cursor?.sequence === 2;
      }, "received");
      await die(bot, store);
      for (const replayMode of ["collect", "skip", "stream"] as const) {
        const next = await join("bot", { type: "agent", replayMode });
        const seen = await take(next, 2, ({ addressed }) => addressed);
        expect(seen.map(({ sequence, redelivered }) => [sequence, redelivered])).toEqual([
          [2, true],
          // It was delivered in the first round, so it counts as received.
          [3, replayMode !== "collect"],
        ]);
        const missed = next.missedMessages.map(({ content }) => content);
        expect(missed).toEqual(replayMode === "skip" ? [] : ["not for the bot"]);
        await next.close();
      }
    },
  },
  {
    id: "CUR-4",
    title: "methods of the session are refused if there is no session",
    run: async ({ join, url }) => {
      const ann = await join("ann", { workspaceId: undefined });
      expect([ann.sessionKey, ann.checkpoint, ann.status]).toEqual([undefined, undefined, undefined]);
      expect([ann.sdkSessionId, ann.degraded]).toEqual([undefined, undefined]);
      for (const member of [
        () => ann.commitCheckpoint(0),
        () => ann.updateSdkSession("x"),
        () => ann.clearSdkSession(),
        () => ann.storeMessage("user", "x"),
        () => ann.getHistory(),
        () => ann.clearHistory(),
      ])
        await expect(member()).rejects.toMatchObject({ code: "session_disabled" });
      using raw = await openRaw(url);
      raw.send(hello({ handle: "raw" }));
      await raw.next("ready");
      raw.send({ type: "commit", request: 1, sequence: 0 });
      expect(await raw.next("error")).toMatchObject({ request: 1, error: { code: "session_disabled" } });
    },
  },
  {
    id: "HIST-1",
    title: "history comes oldest first, without anything from before it was cleared",
    run: async ({ join }) => {
      const ann = await join("ann");
      await ann.storeMessage("user", "forgotten");
      await ann.clearHistory();
      for (let n = 0; n < 5; n++) await ann.storeMessage(n % 2 === 0 ? "user" : "assistant", `m${n}`);
      const history = await ann.getHistory(3);
      expect(history.map(({ role, content }) => `${role} ${content}`)).toEqual([
        "user m2",
        "assistant m3",
        "user m4",
      ]);
      expect((await ann.getHistory()).length).toBe(5);
      await expect(ann.storeMessage("robot", "x")).rejects.toMatchObject({ code: "invalid" });
    },
  },
  {
    id: "RUN-1",
    title:
      "a claim makes the run and moves the received cursor, and the same connection gets the same run again",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      await ann.send("@bot hello");
      const bot = await join("bot", { type: "agent" });
      const claim = await bot.claimInput(1, { agent: "echo" });
      expect(claim).toMatchObject({ state: "claimed", attempt: 1, content: "@bot hello", from: "ann" });
      expect(await bot.claimInput(1, { agent: "echo" })).toEqual(claim);
      expect(await runsOf(store)).toEqual(["running"]);
      const { events } = await store.read(SESSION);
      expect(events.map(({ type }) => type)).toEqual([
        "session_created",
        "run_created",
        "run_started",
        "message_sent",
      ]);
      expect(await store.getCursor({ logId: LOG, name: "received/bot" })).toMatchObject({ sequence: 1 });
      await expect(bot.claimInput(7, { agent: "echo" })).rejects.toMatchObject({ code: "not_found" });
    },
  },
  {
    id: "RUN-2",
    title: "a run of a process that ended is interrupted, and its input is delivered once more",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      await ann.send("@bot hello");
      const bot = await join("bot", { type: "agent" });
      const first = await bot.claimInput(1, { agent: "echo" });
      await die(bot, store);
      const next = await join("bot", { type: "agent" });
      const second = await next.claimInput(1, { agent: "echo" });
      expect(second).toMatchObject({ state: "claimed", attempt: 2, content: "@bot hello" });
      expect(second).not.toMatchObject({ runId: first.runId });
      expect(await runsOf(store)).toEqual(["interrupted", "running"]);
      await next.endRun(second.runId ?? "", { status: "completed", answer: "x" });
      expect(await next.claimInput(1, { agent: "echo" })).toMatchObject({ state: "done" });
    },
  },
  {
    id: "RUN-3",
    title: "a run whose answer is whole becomes completed, and its input is not answered again",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      await ann.send("@bot hello");
      const bot = await join("bot", { type: "agent" });
      const claim = await bot.claimInput(1, { agent: "echo" });
      if (claim.state !== "claimed") throw new Error("not claimed");
      await bot.openMessage({ messageId: claim.answerId });
      await bot.update(claim.answerId, "answer");
      await bot.complete(claim.answerId);
      await die(bot, store);
      const next = await join("bot", { type: "agent" });
      expect(await next.claimInput(1, { agent: "echo" })).toEqual({ state: "done", runId: claim.runId });
      expect(await runsOf(store)).toEqual(["completed"]);
      expect(next.checkpoint).toBe(0);
      await next.close();
      expect((await join("bot", { type: "agent" })).checkpoint).toBe(1);
    },
  },
  {
    id: "RUN-4",
    title: "the end of a run moves the processed cursor too, and repeating it changes nothing",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      await ann.send("@bot hello");
      const bot = await join("bot", { type: "agent" });
      const claim = await bot.claimInput(1, { agent: "echo" });
      for (let n = 0; n < 2; n++) await bot.endRun(claim.runId ?? "", { status: "completed", answer: "hi" });
      expect(bot.checkpoint).toBe(1);
      await expect(bot.endRun(claim.runId ?? "", { status: "failed" })).rejects.toMatchObject({
        code: expect.stringMatching(/invalid_transition|conflict/),
      });
      expect((await store.read(SESSION)).events.filter(({ type }) => type === "run_completed").length).toBe(
        1,
      );
      expect((await bot.getHistory()).map(({ content }) => content)).toEqual(["@bot hello", "hi"]);
    },
  },
  {
    id: "RUN-5",
    title: "inputs are claimed in their order",
    run: async ({ join }) => {
      const ann = await join("ann");
      await ann.send("@bot one");
      await ann.send("between");
      await ann.send("@bot two");
      const bot = await join("bot", { type: "agent" });
      await expect(bot.claimInput(3, { agent: "echo" })).rejects.toMatchObject({
        code: "conflict",
        details: { sequence: 1 },
      });
      await expect(bot.claimInput(2, { agent: "echo" })).rejects.toMatchObject({ code: "invalid" });
    },
  },
  {
    id: "RUN-6",
    title: "an input that crashes its agent again and again is given up, and the channel reports this",
    run: async ({ join }, store) => {
      const ann = await join("ann");
      await ann.send("@bot poison");
      for (let n = 1; n <= 5; n++) {
        const bot = await join("bot", { type: "agent" });
        expect(await bot.claimInput(1, { agent: "echo" })).toMatchObject({ attempt: n });
        await die(bot, store);
      }
      const bot = await join("bot", { type: "agent" });
      expect(await bot.claimInput(1, { agent: "echo" })).toEqual({ state: "done", runId: null });
      expect(await typesIn(store)).toEqual(["message_sent", "error_raised"]);
    },
  },
];
