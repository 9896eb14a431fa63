/**
 * Calls that are repeated, or made by several processes at the same time: sessions, runs, claims and the recovery of
 * all sessions.
 */

import { type OpenedStore, openStore } from "@continuo/store";
import {
  executeRun,
  openSession,
  runOnce,
  startRun,
  startSession,
  wake,
  wakeAll,
} from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { withMethods } from "../intercepted.ts";
import { eventsOf } from "./harness/log.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

test("a session that several callers open at the same time is created once, and does not change afterwards", async () => {
  const opened = await Promise.all(
    ["a", "b", "c"].map((title) => openSession(store, "customer", { title, metadata: { title } })),
  );
  const again = await openSession(store, "customer", { title: "d" });
  expect(new Set([...opened, again].map(({ title }) => title)).size).toBe(1);
  expect((await eventsOf(store, "customer")).map(({ type }) => type)).toEqual(["session_created"]);
});

test("a session that was forked at one place is not returned for a fork at another place", async () => {
  await startSession(store, { sessionId: "origin" });
  await startRun(store, "origin", "hello");
  const fork = (sequence?: number) =>
    openSession(store, "fork", { forkedFrom: { logId: "origin", ...(sequence && { sequence }) } });
  expect((await fork(1)).forkedFrom).toEqual({ logId: "origin", sequence: 1 });
  expect((await fork()).sessionId).toBe("fork");
  await expect(fork(2)).rejects.toMatchObject({ code: "conflict" });
});

test("a session is not returned to a caller who gives another folder, or the first one", async () => {
  const open = (sessionId: string, cwd?: string) =>
    openSession(store, sessionId, { title: "t", ...(cwd !== undefined && { cwd }) });
  await open("job", "/srv/a");
  expect(await open("job", "/srv/a/")).toMatchObject({ cwd: "/srv/a" });
  expect(await open("job")).toMatchObject({ cwd: "/srv/a" });
  await open("none");
  for (const [sessionId, cwd] of [
    ["job", "/srv/b"],
    ["none", "/srv/a"],
  ] as const) {
    await expect(open(sessionId, cwd)).rejects.toMatchObject({ code: "conflict", details: { sessionId } });
  }
  const atOnce = await Promise.allSettled(["/srv/a", "/srv/b"].map((cwd) => open("new", cwd)));
  expect(atOnce.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
});

describe("a run that is started again", () => {
  test("with the same id and input returns the existing run, also for several callers at the same time", async () => {
    await startSession(store, { sessionId: "s" });
    const runs = await Promise.all(
      Array.from({ length: 5 }, () => startRun(store, "s", "hello", { id: "1" })),
    );
    expect(new Set(runs.map(({ runId }) => runId)).size).toBe(1);
    expect((await store.listRuns({ sessionId: "s" })).items).toHaveLength(1);
    const run = await executeRun(store, new EchoAgent(), runs[0]?.runId ?? "");
    expect(await startRun(store, "s", "hello", { id: "1" })).toMatchObject({
      runId: run.runId,
      status: "completed",
    });
  });

  test("with the same id and another input is a conflict, which names the id that was sent", async () => {
    await startSession(store, { sessionId: "s" });
    const { runId } = await startRun(store, "s", "hello", { id: "job" });
    await expect(startRun(store, "s", "goodbye", { id: "job" })).rejects.toMatchObject({
      code: "conflict",
      message: 'the session "s" already has a message with the id "job", with another input',
      details: { runId, id: "job" },
    });
    await expect(startRun(store, "s", "goodbye", { runId })).rejects.toMatchObject({
      message: `there is already a run ${runId}, with another input`,
    });
  });

  test("for another agent is a conflict", async () => {
    await startSession(store, { sessionId: "s" });
    const { runId } = await startRun(store, "s", "hello", { id: "1", agent: "codex" });
    expect((await startRun(store, "s", "hello", { id: "1" })).runId).toBe(runId);
    const other = startRun(store, "s", "hello", { id: "1", agent: "claude" });
    await expect(other).rejects.toMatchObject({
      code: "conflict",
      message: 'the session "s" already has a message with the id "1", for another agent',
    });
  });

  test("with an id that another session uses is a separate run", async () => {
    for (const sessionId of ["s", "t"]) await startSession(store, { sessionId });
    const [first, second] = [
      await startRun(store, "s", "hello", { id: "1" }),
      await startRun(store, "t", "hi", { id: "1" }),
    ];
    expect(first.runId).not.toBe(second.runId);
    await expect(startRun(store, "t", "hello", { runId: first.runId })).rejects.toMatchObject({
      code: "conflict",
    });
  });

  test("is found even if no more runs may wait", async () => {
    await startSession(store, { sessionId: "s" });
    const first = await startRun(store, "s", "hello", { id: "1", maxQueued: 1 });
    expect((await startRun(store, "s", "hello", { id: "1", maxQueued: 1 })).runId).toBe(first.runId);
  });
});

describe("a run of the store's queue", () => {
  test("is executed by the worker that claimed it, and begins once", async () => {
    await startSession(store, { sessionId: "s" });
    await startRun(store, "s", "hello");
    const claimed = await store.claimNextRun({ owner: "worker 1" });
    const runId = claimed?.runId ?? "";
    await expect(executeRun(store, new EchoAgent(), runId)).rejects.toMatchObject({
      code: "invalid_transition",
    });
    await expect(executeRun(store, new EchoAgent(), runId, { claimedBy: "worker 2" })).rejects.toMatchObject({
      code: "invalid_transition",
    });
    const run = await executeRun(store, new EchoAgent(), runId, { claimedBy: "worker 1" });
    expect(run).toMatchObject({ status: "completed", text: "hello" });
    const types = (await eventsOf(store, "s"))
      .map(({ type }) => type)
      .filter((type) => type.startsWith("run_"));
    expect(types).toEqual(["run_created", "run_started", "run_completed"]);
    expect((await store.getRun(runId))?.metadata.claimed).toBeUndefined();
    await expect(executeRun(store, new EchoAgent(), runId, { claimedBy: "worker 1" })).rejects.toMatchObject({
      code: "invalid_transition",
    });
  });

  test("is left to its owner until the lease is over, also by a process that wakes the session or starts the next run", async () => {
    await startSession(store, { sessionId: "s" });
    const first = await startRun(store, "s", "first");
    await store.claimNextRun({ owner: "worker 1" });
    expect((await wake(store, "s")).interrupted).toEqual([]);
    const next = runOnce(store, new EchoAgent(), "second", { sessionId: "s" });
    const run = await executeRun(store, new EchoAgent(), first.runId, { claimedBy: "worker 1" });
    expect([run.status, (await next).status]).toEqual(["completed", "completed"]);
    await startRun(store, "s", "third");
    const left = await store.claimNextRun({ owner: "worker 1" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await wake(store, "s", { leaseMs: 1 })).interrupted).toEqual([left?.runId]);
  });
});

test("an input is stored once, even if the first of three attempts was claimed and never began", async () => {
  await startSession(store, { sessionId: "s" });
  const first = await startRun(store, "s", "hello");
  await store.claimNextRun({ owner: "worker 1" });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await wake(store, "s", { leaseMs: 1 });
  const second = await startRun(store, "s", "hello", { retryOf: first.runId });
  const over = new AbortController();
  const execute = async (): Promise<never> => {
    over.abort();
    return await new Promise<never>(() => undefined);
  };
  await expect(
    executeRun(store, { name: "slow", execute }, second.runId, { abandon: over.signal, graceMs: 0 }),
  ).rejects.toMatchObject({ code: "fenced" });
  expect((await wake(store, "s")).interrupted).toEqual([second.runId]);
  const third = await startRun(store, "s", "hello", { retryOf: second.runId });
  expect(await executeRun(store, new EchoAgent(), third.runId)).toMatchObject({ status: "completed" });
  const types = (await eventsOf(store, "s")).map(({ type }) => type);
  expect(types.filter((type) => type === "message_sent")).toHaveLength(1);
});

test("the recovery of all sessions reaches every session, also beyond a page of the list", async () => {
  const count = 120;
  for (let n = 0; n < count; n++) {
    const { sessionId } = await startSession(store);
    const { runId } = await startRun(store, sessionId, `${n}`);
    if (n % 2 === 0) await store.transitionRun(runId, { to: "running" });
  }
  await startSession(store);
  // This store returns small pages.
  const paged = withMethods(store, {
    listRuns: (options) => store.listRuns({ ...options, limit: Math.min(options?.limit ?? 50, 50) }),
  });
  const woken = await Array.fromAsync(wakeAll(paged, { pending: "keep" }));
  expect(woken).toHaveLength(count);
  expect(woken.flatMap(({ unprocessed }) => unprocessed)).toHaveLength(count / 2);
  expect((await store.listRuns({ status: "pending", limit: 1_000 })).items).toHaveLength(count / 2);
  // The next recovery finds it again, in case this one was killed before it delivered the input.
  const again = await Array.fromAsync(wakeAll(store, { pending: "keep" }));
  expect(again.flatMap(({ unprocessed }) => unprocessed)).toHaveLength(count / 2);
});
