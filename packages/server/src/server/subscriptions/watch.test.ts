import { ContinuoError, type Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import type { ServerContext } from "../context/index.ts";
import { insertSubscription, removeSubscription, type Subscription } from "./documents.ts";
import { Watch } from "./watch.ts";

const AWAY = new ContinuoError("unavailable", "the store does not answer");

const SUBSCRIPTION = {
  id: "all",
  config: { type: "pull-wake", pattern: "**", wakeStream: null },
  explicit: [],
  createdAt: "2026-01-01T00:00:00.000Z",
  baseUrl: "http://127.0.0.1",
  generation: 0,
  wake: null,
  status: "active",
  retries: 0,
  nextAttemptAt: null,
} as unknown as Subscription;

/** Two pages of one log each, and a second page that fails once on demand. */
function flaky(store: Store): { readonly store: Store; fail: number } {
  const state = { store, fail: 0 };
  state.store = {
    ...store,
    listLogs: async (options = {}) => {
      if (options.cursor !== undefined && options.cursor !== null && state.fail-- > 0) throw AWAY;
      return await store.listLogs({ ...options, limit: 1 });
    },
  };
  return state;
}

test.each(["when it is new to the server", "after changes"])(
  "a check that the store did not answer completely hides no log of a subscription %s",
  async (when) => {
    await using memory = await openStore("memory:");
    const state = flaky(memory);
    const context = { store: () => state.store, report: () => undefined } as unknown as ServerContext;
    const watch = new Watch(context);
    await insertSubscription(memory, SUBSCRIPTION);
    if (when === "after changes") expect(await watch.pendingOf("default", "all")).toEqual([]);
    for (const logId of ["one", "two", "three"]) {
      await memory.createLog({
        logId: `streams/${logId}`,
        events: [{ type: "custom", data: { name: "e" } }],
      });
    }
    state.fail = 1;
    await expect(watch.pendingOf("default", "all")).rejects.toBe(AWAY);
    const pending = await watch.pendingOf("default", "all");
    expect(pending.map(({ path }) => path).sort()).toEqual(["one", "three", "two"]);
  },
);

test("a log stays pending if the store did not answer for it", async () => {
  await using memory = await openStore("memory:");
  let fail = 0;
  const store: Store = {
    ...memory,
    getLog: async (logId, options) => {
      if (fail-- > 0) throw AWAY;
      return await memory.getLog(logId, options);
    },
  };
  const watch = new Watch({ store: () => store, report: () => undefined } as unknown as ServerContext);
  await insertSubscription(memory, SUBSCRIPTION);
  expect(await watch.pendingOf("default", "all")).toEqual([]);
  await memory.createLog({ logId: "streams/one", events: [{ type: "custom", data: { name: "e" } }] });
  fail = 1;
  await expect(watch.pendingOf("default", "all")).rejects.toBe(AWAY);
  expect((await watch.pendingOf("default", "all")).map(({ path }) => path)).toEqual(["one"]);
});

test("a subscription that was deleted and created again is woken for logs that only the later one links", async () => {
  await using store = await openStore("memory:");
  const watch = new Watch({ store: () => store, report: () => undefined } as unknown as ServerContext);
  await store.createLog({ logId: "streams/b/1", events: [{ type: "custom", data: { name: "e" } }] });
  await insertSubscription(store, { ...SUBSCRIPTION, config: { ...SUBSCRIPTION.config, pattern: "a/**" } });
  expect(await watch.pendingOf("default", "all")).toEqual([]);
  await removeSubscription(store, "all");
  await insertSubscription(store, { ...SUBSCRIPTION, createdAt: "2026-01-02T00:00:00.000Z" });
  expect((await watch.pendingOf("default", "all")).map(({ path }) => path)).toEqual(["b/1"]);
});

test("the keys of webhooks are read again after a failure, and once after a success", async () => {
  await using memory = await openStore("memory:");
  let asked = 0;
  const store: Store = {
    ...memory,
    listWebhookKeys: async (...given) => {
      if (++asked === 1) throw AWAY;
      return await memory.listWebhookKeys(...given);
    },
  };
  const watch = new Watch({ store: () => store, report: () => undefined } as unknown as ServerContext);
  await expect(watch.keys()).rejects.toBe(AWAY);
  const keys = await watch.keys();
  const before = asked;
  expect([await watch.keys(), asked]).toEqual([keys, before]);
});

test("a failure to check the subscriptions that lasts is reported once, and again after it had ended", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
  try {
    await using memory = await openStore("memory:");
    let isAway = true;
    const store: Store = {
      ...memory,
      listClaims: async (...given) => {
        if (isAway) throw AWAY;
        return await memory.listClaims(...given);
      },
    };
    const reports: string[] = [];
    const draining = new AbortController();
    const report = (line: string): void => void reports.push(line);
    const context = { store: () => store, report, draining: draining.signal } as unknown as ServerContext;
    const watch = new Watch(context);
    watch.start();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(reports).toHaveLength(1);
    isAway = false;
    await vi.advanceTimersByTimeAsync(3_000);
    isAway = true;
    await vi.advanceTimersByTimeAsync(3_000);
    expect(reports).toHaveLength(2);
    draining.abort();
    await watch.close();
  } finally {
    vi.useRealTimers();
  }
});
