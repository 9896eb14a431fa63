import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deliver, takeAttempt } from "./deliveries.ts";
import { changeSubscription, insertSubscription, loadSubscription, type Subscription } from "./documents.ts";
import { openSigningKeys } from "./keys.ts";
import { linkOf } from "./links.ts";
import { WakeClock } from "./wake-clock.ts";
import { makeWake } from "./wakes.ts";

const LOG = "streams/a";

let store: Awaited<ReturnType<typeof openStore>>;
let hook: Server;
/** The status that the webhook answers. */
let answers: number;
/** The body that the webhook answers. */
let answer: object;
/** Called before the webhook answers. */
let beforeAnswer: () => Promise<void>;

beforeEach(async () => {
  [answers, answer] = [200, {}];
  beforeAnswer = async () => undefined;
  hook = createServer(async (_, response) => {
    await beforeAnswer();
    response.writeHead(answers).end(JSON.stringify(answer));
  });
  await once(hook.listen(0, "127.0.0.1"), "listening");
  store = await openStore("memory:");
  await store.createLog({ logId: LOG, events: [{ type: "custom", data: { name: "e" } }] });
});
afterEach(async () => {
  hook.close();
  await store.close();
});

async function present(): Promise<Subscription> {
  const found = await loadSubscription(store, "s");
  if (found === null) throw new Error("there is no subscription");
  return found.subscription;
}

const ALLOWED = { named: new Set(["127.0.0.1"]), others: "none" } as const;

/** Inserts a subscription of the webhook. */
async function subscribed(): Promise<Subscription> {
  const webhookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
  const config = {
    type: "webhook",
    pattern: "**",
    streams: [],
    webhookUrl,
    wakeStream: null,
    leaseTtlMs: 30_000,
    description: null,
  } as const;
  const createdAt = "2026-01-01T00:00:00.000Z";
  const began = { id: "s", config, explicit: [], createdAt, baseUrl: "http://127.0.0.1", generation: 0 };
  const made = { ...began, wake: null, status: "active", retries: 0, nextAttemptAt: null } as const;
  await insertSubscription(store, made);
  return made;
}

async function wake(subscription: Subscription): Promise<void> {
  const link = await linkOf(store, subscription, LOG);
  await makeWake(store, "s", link === null ? [] : [link]);
}

test("after a delivery that succeeded, a later failure counts as the first one again", async () => {
  await wake(await subscribed());
  const keys = await openSigningKeys(store);
  const states: unknown[] = [];
  for (answers of [500, 503, 200, 500]) {
    const subscription = await present();
    await deliver({ store, workspaceId: "default", subscription, links: [], keys, allowed: ALLOWED });
    const { status, retries } = await present();
    states.push([status, retries]);
  }
  expect(states).toEqual([
    ["failed", 1],
    ["failed", 2],
    ["active", 0],
    ["failed", 1],
  ]);
});

test("the answer to an earlier wake ends no later one", async () => {
  await wake(await subscribed());
  const keys = await openSigningKeys(store);
  const subscription = await present();
  answer = { done: true };
  beforeAnswer = async () => {
    await changeSubscription(store, "s", async (one) => ({
      subscription: { ...one, wake: null },
      result: null,
    }));
    await wake(subscription);
  };
  await deliver({ store, workspaceId: "default", subscription, links: [], keys, allowed: ALLOWED });
  const { wake: later, generation } = await present();
  expect([later === null, generation]).toEqual([false, 2]);
  expect((await linkOf(store, subscription, LOG))?.acked).toBeNull();
});

test("one of several servers takes the next try of a webhook, and only when it is due", async () => {
  await wake(await subscribed());
  const keys = await openSigningKeys(store);
  answers = 500;
  const subscription = await present();
  await deliver({ store, workspaceId: "default", subscription, links: [], keys, allowed: ALLOWED });
  const failed = await present();
  const wakeId = failed.wake?.id ?? "";
  let nowMs = 0;
  const clocks = [new WakeClock(() => nowMs), new WakeClock(() => nowMs)];
  for (const clock of clocks) clock.observe("default", failed);
  const taken = async (): Promise<readonly boolean[]> => {
    const tries: boolean[] = [];
    for (const clock of clocks) tries.push((await takeAttempt(store, "s", { wakeId, clock })) !== null);
    return tries;
  };
  expect(await taken()).toEqual([false, false]);
  nowMs = 60_000;
  expect(await taken()).toEqual([true, false]);
});
