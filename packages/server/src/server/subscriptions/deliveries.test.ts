import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { deliver } from "./deliveries.ts";
import { insertSubscription, loadSubscription, type Subscription } from "./documents.ts";
import { openSigningKeys } from "./keys.ts";
import { linkOf } from "./links.ts";
import { makeWake } from "./wakes.ts";

const LOG = "streams/a";

let store: Awaited<ReturnType<typeof openStore>>;
let hook: Server;
/** The status that the webhook answers. */
let answers: number;

beforeEach(async () => {
  answers = 200;
  hook = createServer((_, answer) => answer.writeHead(answers).end("{}"));
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

test("after a delivery that succeeded, a later failure counts as the first one again", async () => {
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
  const link = await linkOf(store, made, LOG);
  await makeWake(store, "s", link === null ? [] : [link]);
  const keys = await openSigningKeys(store);
  const allowed = { named: new Set(["127.0.0.1"]), others: "none" } as const;
  const states: unknown[] = [];
  for (answers of [500, 503, 200, 500]) {
    const subscription = await present();
    await deliver({ store, workspaceId: "default", subscription, links: [], keys, allowed });
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
