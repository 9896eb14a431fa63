/** Inputs that fail repeatedly: the times of their attempts, when they are given up, and how they are revived. */

import { type Agent, messageOf, type Run, type RunPatch } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { cancelRun, executeRun, startRun, wake, wakeAll } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ApprovalDesk } from "../../packages/server/src/runtime/approvals.ts";
import type { Host } from "../../packages/server/src/runtime/host.ts";
import {
  askAgain,
  attemptAfter,
  deadLetters,
  isDead,
  retry,
  reviveDeadLetter,
} from "../../packages/server/src/runtime/retries.ts";
import { RunReaders } from "../../packages/server/src/runtime/run-readers.ts";
import { recover } from "../../packages/server/src/runtime/worker.ts";

const BEGINNING = Date.parse("2026-03-01T10:00:00.000Z");
const SECOND = 1_000;

let store: OpenedStore;
let closed: string[];
/** The run's question is not yet answered. */
let isWaiting = false;
let reported: unknown[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: BEGINNING });
  store = await openStore("memory:");
  closed = [];
  reported = [];
  isWaiting = false;
  await store.createSession({ sessionId: "s" });
});
afterEach(async () => {
  await store.close();
  vi.useRealTimers();
  // Nobody reads these runs.
  expect(reported.filter((error) => !/^nobody waited for the run/u.test(messageOf(error)))).toEqual([]);
});

const failing: Agent = { name: "desk", execute: () => Promise.reject(new Error("no power")) };

function hostWith(options: Host["options"]): Host {
  return {
    store,
    options,
    agents: new Map(),
    approvals: {
      close: async (root: string) => void closed.push(root),
      awaitedQuestion: async () => (isWaiting ? "listed" : null),
    } as unknown as Host["approvals"],
    failureText: () => "",
    poke: () => undefined,
    readers: new RunReaders(),
    report: (error) => reported.push(error),
  };
}

async function fail({ runId }: Pick<Run, "runId">): Promise<void> {
  expect(await executeRun(store, failing, runId)).toMatchObject({ status: "failed" });
}

async function send(text = "hello"): Promise<Run> {
  return await startRun(store, "s", text, { agent: "desk", priority: 3 });
}

const waiting = async (): Promise<readonly Run[]> => (await store.listRuns({ status: "pending" })).items;
const scheduled = async () => (await store.listClaims({ prefix: "schedule/" })).items;

/** Returns the pause in seconds before each further attempt. */
async function pausesOf(host: Host, attempts: number): Promise<readonly number[]> {
  const first = await send();
  let run = first;
  const pauses: number[] = [];
  for (let attempt = 1; attempt < attempts; attempt++) {
    await fail(run);
    await retry(host, run.runId);
    const [next] = await waiting();
    if (next === undefined) throw new Error("nothing was tried again");
    pauses.push((Date.parse(next.notBefore ?? next.createdAt) - Date.parse(next.createdAt)) / SECOND);
    expect(next).toMatchObject({ priority: 3, metadata: { retryOf: first.runId, attempt: attempt + 1 } });
    run = next;
  }
  return pauses;
}

test("the second attempt is made at once, and each later one after twice the previous pause, at most a minute", async () => {
  const host = hostWith({ retry: { attempts: 10, backoffMs: 2 * SECOND } });
  expect(await pausesOf(host, 10)).toEqual([0, 2, 4, 8, 16, 32, 60, 60, 60]);
});

test("without settings there are three attempts, the last one after a second", async () => {
  expect(await pausesOf(hostWith({}), 3)).toEqual([0, 1]);
  const [last] = (await store.listRuns({ status: "pending" })).items;
  if (last === undefined) throw new Error("nothing waits");
  await fail(last);
  await retry(hostWith({}), last.runId);
  expect(await waiting()).toEqual([]);
  expect(await scheduled()).toEqual([]);
  expect(await deadLetters(store)).toMatchObject([{ attempts: 3, sessionId: "s" }]);
});

test("an input that is given up is a dead letter under its first run, and its questions are closed", async () => {
  const host = hostWith({ retry: { attempts: 2 } });
  const first = await send();
  await fail(first);
  await retry(host, first.runId);
  expect(closed).toEqual([]);
  const [second] = await waiting();
  if (second === undefined) throw new Error("nothing was tried again");
  await fail(second);
  await retry(host, second.runId);
  // Another process with the same result adds no event.
  await retry(host, second.runId);
  expect(await deadLetters(store)).toMatchObject([
    { runId: first.runId, attempts: 2, reason: expect.stringContaining("given it 2 times") },
  ]);
  expect(new Set(closed)).toEqual(new Set([first.runId]));
  const { events } = await store.read("s", { types: ["error_raised"] });
  expect(
    events.filter(({ data }) =>
      String((data as { message?: string }).message).startsWith("the input is not"),
    ),
  ).toHaveLength(1);
  expect(reported.map(messageOf)).toEqual([expect.stringContaining("given it 2 times")]);
});

test("an attempt comes before the messages that were sent later, even if the queue of its session is full", async () => {
  const first = await send();
  await fail(first);
  for (let n = 0; n < 32; n++) await send(`m${n}`);
  await retry(hostWith({}), first.runId);
  expect(await waiting()).toHaveLength(33);
  expect(await store.claimNextRun({ owner: "me" })).toMatchObject({
    metadata: { retryOf: first.runId, attempt: 2 },
  });
});

const REPEATED = { metadata: { attempt: 2 }, input: [{ type: "text", text: "first" }] };
const SOON = { on: ["failed"] as const };

test.each([
  ["crash", { recover: "retry" as const, leaseMs: 1 }, undefined],
  ["failure with a pause", { retry: { ...SOON, backoffMs: 3_600 * SECOND } }, 60 * SECOND],
])(
  "after a %s, no later message of the session can begin before the next attempt",
  async (cause, options, pauseMs) => {
    const host = hostWith(options);
    const first = await startRun(store, "s", "first", {
      agent: "desk",
      metadata: { attempt: pauseMs === undefined ? 1 : 2 },
    });
    const later = await send("later");
    const decided = { retry: (run: Run, status: Run["status"]) => attemptAfter(host, run, { status }) };
    if (cause === "crash") {
      await beginAndDie(first);
      await Array.fromAsync(wakeAll(store, { ...decided, pending: "keep", leaseMs: 1 }));
    } else await executeRun(store, failing, first.runId, decided);
    // The end and the next attempt are one append, which no other process can divide.
    const { events } = await store.read("s", { order: "newest", limit: 2 });
    expect(events.map(({ type }) => type)).toEqual([
      cause === "crash" ? "run_interrupted" : "run_failed",
      "run_created",
    ]);
    expect(events[0]?.recordedAt).toBe(events[1]?.recordedAt);
    const claimed = await store.claimNextRun({ owner: "me" });
    if (pauseMs === undefined) return expect(claimed).toMatchObject(REPEATED);
    expect(claimed).toBeNull();
    const [next] = (await store.listRuns({ status: "pending", order: "queue" })).items;
    expect(Date.parse(next?.notBefore ?? "") - Date.parse(next?.createdAt ?? "")).toBe(pauseMs);
    // A person who does not want to wait for the answer cancels it.
    await cancelRun(store, next?.runId ?? "");
    expect(await store.claimNextRun({ owner: "me" })).toMatchObject({ runId: later.runId });
  },
);

test("a message that was sent after a retried one is offered again after a second crash", async () => {
  const host = hostWith({ recover: "retry", leaseMs: 1 });
  const first = await send("first");
  const later = await send("later");
  await beginAndDie(first);
  await recover(host, "all");
  const echo: Agent = { name: "desk", execute: () => Promise.resolve({}) };
  const again = await store.claimNextRun({ owner: "me" });
  await executeRun(store, echo, again?.runId ?? "", { claimedBy: "me" });
  await beginAndDie(later);
  expect(await wake(store, "s", { leaseMs: 1 })).toMatchObject({ unprocessed: [{ runId: later.runId }] });
});

test("a revived dead letter has all its attempts again, and is no longer a dead letter", async () => {
  const host = hostWith({ retry: { attempts: 2 } });
  const first = await send();
  await fail(first);
  await retry(host, first.runId);
  const [second] = await waiting();
  if (second === undefined) throw new Error("nothing was tried again");
  await fail(second);
  await retry(host, second.runId);
  expect(await isDead(store, first.runId)).toBe(true);
  const revived = await reviveDeadLetter(store, first.runId);
  expect(revived).toMatchObject({
    agent: "desk",
    priority: 3,
    metadata: { retryOf: first.runId, attempt: 1 },
  });
  expect(await isDead(store, first.runId)).toBe(false);
  await expect(reviveDeadLetter(store, first.runId)).rejects.toMatchObject({ code: "not_found" });
  await fail(revived);
  await retry(hostWith({ retry: { attempts: 3 } }), revived.runId);
  expect(await waiting()).toMatchObject([{ metadata: { attempt: 2 } }]);
});

/** Begins a run like a process that is then killed. */
async function beginAndDie({ runId }: Run): Promise<void> {
  const begun = { type: "run_started", data: { runId }, runId };
  await store.append("s", [begun], { also: [{ type: "run", runId, to: "running" }] });
  vi.setSystemTime(Date.now() + 3_600 * SECOND);
}

test.each([
  ["again, if the program requests it", "retry", 1],
  ["not, if the program does not", undefined, 0],
] as const)("an input of a killed process is tried again or not: %s", async (_, wish, count) => {
  await beginAndDie(await send());
  const host = hostWith({ leaseMs: 1, ...(wish && { recover: wish }) });
  await recover(host, "all");
  expect(await waiting()).toHaveLength(count);
});

test("a dead letter of a killed process is not tried again", async () => {
  const run = await send();
  await beginAndDie(run);
  const claim = { name: `dead/${run.runId}`, owner: run.runId, generation: 1, status: "dead", data: {} };
  await store.putClaim(claim);
  await recover(hostWith({ leaseMs: 1, recover: "retry" }), "all");
  expect(await waiting()).toEqual([]);
});

test("a process that ends while its run waits for a person does not count as an attempt, however often", async () => {
  const host = hostWith({ recover: "retry", retry: { attempts: 2 } });
  let run = await send();
  for (let ends = 0; ends < 5; ends++) {
    await interrupt(run);
    isWaiting = true;
    await retry(host, run.runId);
    const [next] = await waiting();
    expect(next).toMatchObject({ metadata: { attempt: 1 } });
    run = next as Run;
  }
  isWaiting = false;
  for (const attempt of [2, null]) {
    await interrupt(run);
    await retry(host, run.runId);
    const [next] = await waiting();
    expect(next?.metadata.attempt ?? null).toBe(attempt);
    if (next !== undefined) run = next;
  }
  expect(await deadLetters(store)).toMatchObject([{ attempts: 2 }]);
});

test("a message whose agent ends the process after each question is given up after ten ends more than others", async () => {
  const host = {
    ...hostWith({ recover: "retry" }),
    approvals: new ApprovalDesk(store, { timeLimitMs: undefined, retriedAfter: undefined }),
  };
  const seen: unknown[] = [];
  for (let run: Run | null = await send(); run !== null && seen.length < 20; ) {
    const data = { approvalId: run.runId, toolName: "refund", readOnly: false, options: [] };
    await store.append("s", [{ type: "approval_requested", data, runId: run.runId }]);
    run = await crash(host, run);
    seen.push(suspicionOf(run));
  }
  const free = Array.from({ length: 10 }, (_, ends) => [1, ends + 1, ends > 0]);
  expect(seen).toEqual([...free, [2, 11, true], [3, 12, true], "dead"]);
  expect(await deadLetters(store)).toMatchObject([{ attempts: 3 }]);
});

/** Does the same as `wake` with a run whose process ended. */
async function interrupt({ runId }: Run, begun: RunPatch = {}): Promise<void> {
  await store.transitionRun(runId, { to: "running", ...begun });
  await store.transitionRun(runId, { to: "interrupted" });
}

/** Ends the process of the run, and returns the metadata of its next attempt; `null` for a dead letter. */
async function crash(host: Host, run: Run): Promise<Run | null> {
  await interrupt(run);
  await retry(host, run.runId);
  return (await waiting())[0] ?? null;
}

function suspicionOf(run: Run | null): unknown {
  const { attempt = 1, crashes = 0, isolated = false } = run?.metadata ?? {};
  return run === null ? "dead" : [attempt, crashes, isolated];
}

test.each([
  ["default attempts", {}, [[2, 1, false], [3, 2, true], "dead"]],
  ["two attempts", { attempts: 2 }, [[2, 1, true], "dead"]],
  ["five attempts", { attempts: 5 }, [[2, 1, false], [3, 2, true], [4, 3, true], [5, 4, true], "dead"]],
  ["one attempt", { attempts: 1 }, ["dead"]],
] as const)(
  "with %s, a message whose process ends is tried with no other message before it is given up",
  async (_, settings, attempts) => {
    const host = hostWith({ recover: "retry", retry: settings });
    const seen: unknown[] = [];
    for (let run: Run | null = await send(); run !== null; ) {
      run = await crash(host, run);
      seen.push(suspicionOf(run));
    }
    expect(seen).toEqual(attempts);
  },
);

test("an end of the process does not count while an isolated attempt waits for others to end", async () => {
  const host = hostWith({ recover: "retry" });
  let run = await send();
  for (let ends = 0; ends < 2; ends++) run = (await crash(host, run)) as Run;
  for (let ends = 0; ends < 5; ends++) {
    await interrupt(run, { metadata: { claimed: true } });
    await retry(host, run.runId);
    [run] = (await waiting()) as [Run];
    expect(suspicionOf(run)).toEqual([3, 3 + ends, true]);
  }
  expect(suspicionOf(await crash(host, run))).toBe("dead");
});

test("a message that failed is not suspected, and a shared end of its process in the last attempt adds one", async () => {
  const host = hostWith({ recover: "retry", retry: { attempts: 3, on: ["failed", "interrupted"] } });
  let run: Run | null = await send();
  run = await crash(host, run);
  await fail(run as Run);
  await retry(host, run?.runId ?? "");
  [run = null] = await waiting();
  expect(suspicionOf(run)).toEqual([3, 0, false]);
  run = await crash(host, run as Run);
  expect(suspicionOf(run)).toEqual([4, 1, true]);
  expect(suspicionOf(await crash(host, run as Run))).toBe("dead");
});

test("a dead letter that ended its process by itself is tried with no other message when it is revived", async () => {
  const host = hostWith({ recover: "retry", retry: { attempts: 2 } });
  const first = await send();
  let run: Run | null = first;
  while (run !== null) run = await crash(host, run);
  const revived = await reviveDeadLetter(store, first.runId);
  expect(suspicionOf(revived)).toEqual([1, 1, true]);
});

test("a message that failed in its last attempt is not suspected when it is asked again", async () => {
  const { runId } = await startRun(store, "s", "go", {
    metadata: { attempt: 3, crashes: 2, isolated: true },
  });
  await store.transitionRun(runId, { to: "running" });
  await store.transitionRun(runId, { to: "failed" });
  const last = (await store.getRun(runId)) as Run;
  await askAgain(hostWith({ recover: "retry" }), last);
  expect((await waiting()).map(suspicionOf)).toEqual([[1, 0, false]]);
});
