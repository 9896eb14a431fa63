/** The nights of the nightly replay. */

import { type OpenedStore, openStore } from "@continuo/store";
import { expect, onTestFinished, test, vi } from "vitest";
import { LIMITS } from "../kit/index.ts";
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

/** A store with one session whose replay disagrees: an event of a note has no decision. */
async function storeOfDisagreement(): Promise<OpenedStore> {
  vi.useFakeTimers({ toFake: ["Date", "performance"] });
  vi.setSystemTime("2026-03-01T03:00:00Z");
  const store = await openStore("memory:", { now: () => Date.now() });
  onTestFinished(async () => {
    await store.close();
    vi.useRealTimers();
  });
  const { sessionId } = await store.createSession({ status: "active", metadata: { live: { videoId: "v" } } });
  await store.append(sessionId, [
    { type: "note_written", data: { noteId: "n", content: "x", decisionId: "none" } },
  ]);
  return store;
}

const CLOCK = { now: () => Date.now(), after: () => () => undefined };

test("a server that stood still for longer than its lease reports nothing, because another one took over its night", async () => {
  const store = await storeOfDisagreement();
  const lines: string[] = [];
  const options = (name: string) => ({
    clock: CLOCK,
    report: (line: string) => lines.push(`${name}: ${line.split(" ").slice(0, 4).join(" ")}`),
    onDisagreement: async () => undefined,
  });
  const goOn = Promise.withResolvers<void>();
  const putClaim = vi.fn(async (claim: Parameters<OpenedStore["putClaim"]>[0]) => {
    // The server stands still before it stores its report.
    if (putClaim.mock.calls.length > 1) await goOn.promise;
    return await store.putClaim(claim);
  });
  const still = new NightlyReplay({ store: { ...store, putClaim }, ...options("still") });
  const other = new NightlyReplay({ store, ...options("other") });
  const stood = still.runIfDue();
  await vi.waitFor(() => expect(putClaim).toHaveBeenCalledTimes(2));
  expect(await other.runIfDue()).toBe(0);
  vi.advanceTimersByTime(LIMITS.cleanUpLeaseMs + 1);
  expect(await other.runIfDue()).toBe(1);
  goOn.resolve();
  expect(await stood).toBe(0);
  expect(lines).toEqual(["other: live: the replay of"]);
  expect([await still.runIfDue(), await other.runIfDue()]).toEqual([0, 0]);
});

test("a replay that is repeated because it failed degrades the session, and does not report it again", async () => {
  const store = await storeOfDisagreement();
  const lines: string[] = [];
  const onDisagreement = vi.fn().mockRejectedValueOnce(new Error("no store")).mockResolvedValue(undefined);
  const replay = (): NightlyReplay =>
    new NightlyReplay({ store, clock: CLOCK, report: (line) => lines.push(line), onDisagreement });
  await expect(replay().runIfDue()).rejects.toThrow("no store");
  expect(await replay().runIfDue()).toBe(1);
  expect(onDisagreement).toHaveBeenCalledTimes(2);
  expect(lines).toEqual([expect.stringContaining("agrees in 0 %")]);
  expect(await replay().runIfDue()).toBe(0);
});
