import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { Ownership } from "./ownership.ts";

test("two take-overs of a session at the same time, one by the periodic check and one by a request, count as one", async () => {
  await using store = await openStore("memory:");
  const gone = await store.acquireLease("live/session/s", { owner: "gone", ttlMs: 1_000_000 });
  const options = { store, serverId: "here", onTakeOver: () => undefined, report: () => undefined };
  const ownership = new Ownership(options);
  const first = await ownership.own("s");
  const second = await ownership.own("s");
  expect([first?.takenFrom, second?.takenFrom]).toEqual([gone.token, gone.token]);
  expect(second?.token).toBeGreaterThan(first?.token ?? 0);
  const free = await ownership.own("another");
  expect(free?.takenFrom).toBeNull();
});

test("a session whose lease ended with the machine is taken from its former server", async () => {
  let nowMs = 1_000;
  await using store = await openStore("memory:", { now: () => nowMs });
  const left = await store.acquireLease("live/session/s", { owner: "gone", ttlMs: 1_000 });
  nowMs += 1_000;
  const ownership = new Ownership({
    store,
    serverId: "here",
    onTakeOver: () => undefined,
    report: () => undefined,
  });
  expect((await ownership.own("s"))?.takenFrom).toBe(left.token);
});

test("a session of a server that is alive is taken only by a request that takes it from anybody", async () => {
  await using store = await openStore("memory:");
  await store.acquireLease("live/server/other", { owner: "other", ttlMs: 1_000_000 });
  const theirs = await store.acquireLease("live/session/s", { owner: "other", ttlMs: 1_000_000 });
  const ownership = new Ownership({
    store,
    serverId: "here",
    onTakeOver: () => undefined,
    report: () => undefined,
  });
  expect(await ownership.own("s")).toBeNull();
  const taken = await ownership.own("s", "anybody");
  expect(taken).toMatchObject({ sessionId: "s", takenFrom: null });
  expect(taken?.token).toBeGreaterThan(theirs.token);
});
