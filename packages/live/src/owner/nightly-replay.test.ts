/** The nights of the nightly replay. */

import { openStore } from "@continuo/store";
import { expect, onTestFinished, test } from "vitest";
import { NightlyReplay } from "./nightly-replay.ts";

test("every night has one replay of its own for all servers, and no replay begins before 02:00 UTC", async () => {
  const store = await openStore("memory:");
  onTestFinished(() => store.close());
  let now = 0;
  const clock = { now: () => now, after: () => () => undefined };
  const server = (): NightlyReplay =>
    new NightlyReplay({ store, clock, report: () => undefined, onDisagreement: async () => undefined });
  const [one, other] = [server(), server()];
  const nights: string[] = [];
  for (const at of [
    "2026-03-01T01:59:00Z",
    "2026-03-01T02:00:00Z",
    "2026-03-01T03:00:00Z",
    "2026-03-02T01:00:00Z",
    "2026-03-02T02:30:00Z",
  ]) {
    now = Date.parse(at);
    await Promise.all([one.runIfDue(), other.runIfDue()]);
    const { items } = await store.listClaims({ prefix: "live/replayed/" });
    nights.push(items.map(({ name }) => name.slice("live/replayed/".length)).join(" "));
  }
  expect(nights).toEqual(["", "2026-03-01", "2026-03-01", "2026-03-01", "2026-03-01 2026-03-02"]);
});
