/**
 * Random chats of the AI SDK's own chat object over our transport: tabs send, reload, close, stop the answer, and
 * further tabs open, while the network loses requests, answers and connections. In the end every tab has the messages
 * of the log. `CONTINUO_CHATS` is the number of acts (1,000 by default).
 */

import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { ContinuoChatTransport } from "../../packages/ai-sdk/src/index.ts";
import type { Agent } from "../../packages/core/src/model/index.ts";
import { type Continuo, type FetchHandler, openContinuo } from "../../packages/server/src/runtime/index.ts";
import { randomFrom } from "../../test/store/harness/random.ts";
import { badNetwork } from "../bad-network.ts";
import { shown, Tab } from "./tab.ts";

const ACTS = Number(process.env.CONTINUO_CHATS ?? 1_000);
const ACTS_OF_A_CHAT = 20;

/** The agent says some words with pauses, and calls a tool in the middle of them. */
const desk: Agent = {
  name: "desk",
  async execute({ run, input }, { onEvent, signal }) {
    const random = randomFrom(Number.parseInt(run.runId.slice(0, 8), 16));
    for (let step = 0; step < 1 + 2 * random(); step++) {
      for (let word = 0; word < 1 + 4 * random(); word++) {
        await pause(40 * random(), undefined, { signal });
        await onEvent({ type: "text", delta: `word ${word} of ${step}. `, messageId: `m${step}` });
      }
      const toolCallId = `${run.runId}-${step}`;
      await onEvent({ type: "tool_call", toolCallId, toolName: "look", toolInput: { step } });
      await pause(20 * random(), undefined, { signal });
      await onEvent({ type: "tool_result", toolCallId, content: "a parcel", status: "ok" });
    }
    if (random() < 0.1) throw new Error("no power");
    await onEvent({ type: "message", content: input });
    return { stopReason: "end_turn" };
  },
};

interface Counts {
  sent: number;
  reloads: number;
  aborts: number;
  stops: number;
  tabs: number;
}

async function randomChat(c: Continuo, handler: FetchHandler, seed: number, counts: Counts): Promise<void> {
  const random = randomFrom(seed);
  const chatId = `chat-${seed}`;
  const open = (): Promise<Tab> => {
    const url = "http://desk.example";
    return Tab.open(chatId, new ContinuoChatTransport({ url, fetch: badNetwork(handler, random) }));
  };
  const stopping = new ContinuoChatTransport({
    url: "http://desk.example",
    fetch: badNetwork(handler, random),
  });
  const tabs = [await open()];
  const gone: Tab[] = [];
  for (let act = 0; act < ACTS_OF_A_CHAT; act++) {
    const at = Math.floor(tabs.length * random());
    const tab = tabs[at] as Tab;
    const choice = random();
    if (choice < 0.4) {
      // A person cannot send while the answer is written.
      if (tab.isBusy) await pause(100 * random());
      else {
        counts.sent++;
        tab.do(() => tab.sendMessage({ text: `Where is parcel ${act}?` }));
      }
    } else if (choice < 0.6) {
      counts.reloads++;
      gone.push(tab);
      tab.do(() => tab.stop());
      tabs[at] = await open();
    } else if (choice < 0.75) {
      counts.aborts++;
      tab.do(() => tab.stop());
    } else if (choice < 0.9) {
      counts.stops++;
      if ((await c.store.getSession(chatId)) !== null) await stopping.stop(chatId, { reason: "enough" });
    } else {
      counts.tabs++;
      tabs.push(await open());
    }
    await pause(60 * random());
  }
  for (const tab of [...gone, ...tabs]) {
    await Promise.all(tab.work);
    // A message can arrive after its page was closed, so a connection waits until all messages in flight have arrived.
    await tab.resumeStream();
  }
  const session = c.session(chatId, { create: true });
  await expect.poll(async () => (await session.chat()).open, { timeout: 60_000 }).toEqual([]);
  const fold = (await session.chat()).messages as unknown as Tab["messages"];
  const byId = new Map(fold.map((message) => [message.id, message]));
  expect(byId.size).toBe(fold.length);
  const answers = new Map(fold.map(({ id }, place) => [id, fold[place + 1]?.id]));
  for (const tab of tabs) {
    await tab.resumeStream();
    const had = shown(tab.messages);
    const ids = had.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(had).toEqual(ids.map((id) => byId.get(id)));
    const asked = had.filter(({ role }) => role === "user");
    expect(asked.filter(({ id }) => !ids.includes(answers.get(id) ?? ""))).toEqual([]);
  }
  const fresh = await open();
  await Promise.all(fresh.work);
  expect(shown(fresh.messages)).toEqual(fold);
}

test("after random acts the messages of every tab are the fold of the log", async () => {
  await using c = await openContinuo("memory:", {
    agents: [desk],
    parallel: 64,
    pollMs: 20,
    onError: () => undefined,
  });
  const handler = c.handler({ authorize: () => ({ sessions: "*", access: "write", by: "ann" }) });
  const counts: Counts = { sent: 0, reloads: 0, aborts: 0, stops: 0, tabs: 0 };
  const chats = Array.from({ length: Math.ceil(ACTS / ACTS_OF_A_CHAT) }, (_, seed) => seed);
  for (let place = 0; place < chats.length; place += 10) {
    await Promise.all(chats.slice(place, place + 10).map((seed) => randomChat(c, handler, seed, counts)));
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(ACTS / 40);
}, 600_000);
