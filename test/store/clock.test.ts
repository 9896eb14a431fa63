/** A store in memory or on SQLite takes its time from the program that opens it. */

import { join } from "node:path";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const DAY_MS = 86_400_000;

test.each(["memory", "sqlite"])(
  "on %s every time comes from the clock that the store was opened with",
  async (engine) => {
    const folder = scratchFolder("clock");
    let nowMs = Date.parse("2001-02-03T04:05:06.789Z");
    const url = engine === "memory" ? "memory:" : `sqlite:${join(folder, "clock.db")}`;
    await using store = await openStore(url, { now: () => nowMs });
    const iso = (): string => new Date(nowMs).toISOString();
    const { logId } = await store.createLog({ ttl: (2 * DAY_MS) / 1_000 });
    const [event] = await store.append(logId, [{ type: "message_sent", data: { text: "early" } }]);
    expect(event?.recordedAt).toBe(iso());
    const lease = await store.acquireLease("work", { owner: "a", ttlMs: DAY_MS });
    const expiresAt = new Date(nowMs + DAY_MS).toISOString();
    const { hash } = await store.putBlob(Buffer.from("bytes"), { mediaType: "text/plain", expiresAt });
    nowMs += DAY_MS - 1;
    expect(await store.statBlob(hash)).not.toBeNull();
    await expect(store.acquireLease("work", { owner: "b", ttlMs: 1 })).rejects.toMatchObject({
      code: "lease_held",
    });
    nowMs += 1;
    expect(await store.statBlob(hash)).toBeNull();
    expect((await store.acquireLease("work", { owner: "b", ttlMs: 1 })).token).toBeGreaterThan(lease.token);
    nowMs += DAY_MS;
    expect(await store.getLog(logId)).toBeNull();
    const session = await store.createSession({});
    expect(session.createdAt).toBe(iso());
  },
);

test("two stores of one process have a clock each", async () => {
  await using early = await openStore("memory:", { now: () => 1_000 });
  await using late = await openStore("memory:", { now: () => 2_000 });
  await using real = await openStore("memory:");
  const began = Date.now();
  const times = [early, late, real].map(async (store) =>
    Date.parse((await store.createSession({})).createdAt),
  );
  const [first, second, third] = await Promise.all(times);
  expect([first, second]).toEqual([1_000, 2_000]);
  expect(third).toBeGreaterThanOrEqual(began - 1);
});

test("on Postgres the clock is that of the database", async () => {
  await expect(openStore("postgres://127.0.0.1:1/none", { now: Date.now })).rejects.toMatchObject({
    code: "unsupported",
  });
});
