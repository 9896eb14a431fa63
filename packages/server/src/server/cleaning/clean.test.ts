import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { cleanAll } from "./clean.ts";

const DAY_MS = 86_400_000;

test("a released lease is removed after a day, in every workspace", async () => {
  let nowMs = Date.parse("2026-01-01T00:00:00Z");
  await using store = await openStore("memory:", { now: () => nowMs });
  const workspaces = [store, store.forWorkspace("other")];
  for (const one of workspaces) {
    await one.createLog({ logId: "streams/a" });
    const lease = await one.acquireLease("channel/team/bot", { owner: "x", ttlMs: 1_000 });
    await one.releaseLease(lease);
  }
  const kept = async (): Promise<readonly number[]> =>
    await Promise.all(
      workspaces.map(async (one) => (await one.listLeases({ prefix: "channel/" })).items.length),
    );
  nowMs += DAY_MS / 2;
  await cleanAll(store, { now: nowMs });
  const early = await kept();
  nowMs += DAY_MS;
  expect((await cleanAll(store, { now: nowMs })).leases).toBe(2);
  expect([early, await kept()]).toEqual([
    [0, 0],
    [0, 0],
  ]);
});
