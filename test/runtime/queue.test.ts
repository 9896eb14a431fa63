/** The queue of a program, with more inputs, runs and sessions than it can execute at the same time. */

import { setTimeout as pause } from "node:timers/promises";
import { type Agent, type PermissionRequest, type Store, textOf } from "@continuo/core/model";
import { observed } from "@continuo/files";
import { type Continuo, openContinuo, type SendOptions } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { createParticipantSession } from "@continuo/store/channels";
import { startRun, wake, wakeAll } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { reportNew } from "../../packages/server/src/runtime/report-new.ts";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { withCalls, withMethods } from "../intercepted.ts";

let store: OpenedStore;
const opened: Continuo[] = [];
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => {
  for (const c of opened.splice(0)) await c.close({ graceMs: 0 });
  await store.close();
});

async function start(options: Parameters<typeof openContinuo>[1], seen: Store = store): Promise<Continuo> {
  const c = await openContinuo(seen, { pollMs: 10, ...options });
  opened.push(c);
  return c;
}

/** An agent that answers only after `finish` was called. */
function waitingAgent(): {
  readonly agent: Agent;
  readonly begun: Promise<void>;
  readonly finish: () => void;
} {
  const begun = Promise.withResolvers<void>();
  const end = Promise.withResolvers<void>();
  const agent: Agent = {
    name: "slow",
    execute: async () => {
      begun.resolve();
      await end.promise;
      return {};
    },
  };
  return { agent, begun: begun.promise, finish: end.resolve };
}

test("a scheduled message that becomes due while the queue of its session is full is sent when the queue has room", async () => {
  const sender = await start({ work: false, agents: [new EchoAgent()] });
  const session = sender.session("s", { create: true });
  const runAt = new Date(Date.now() - 1).toISOString();
  const { runId } = await session.send("later", { id: "later", runAt });
  for (let n = 0; n < 32; n++) await session.send(`m${n}`);
  await sender.session("other", { create: true }).send("other", { id: "other", runAt });
  const errors: unknown[] = [];
  await start({ agents: [new EchoAgent()], onError: (error) => errors.push(error) });
  await expect.poll(async () => (await store.getRun(runId))?.status, { timeout: 20_000 }).toBe("completed");
  // The run waits in its place in the queue, which is not an error.
  expect(errors).toEqual([]);
  expect((await store.listRuns({ status: "completed" })).items).toHaveLength(34);
});

test("a scheduled message that is not an input is refused at once, and an invalid stored one does not delay others", async () => {
  const errors: unknown[] = [];
  const c = await start({ agents: [new EchoAgent()], onError: (error) => errors.push(error) });
  const session = c.session("s", { create: true });
  const runAt = new Date(Date.now() - 1).toISOString();
  await expect(session.send("", { runAt })).rejects.toMatchObject({ code: "usage" });
  const data = { sessionId: "s", input: [], agent: "echo", id: "1" };
  const name = `schedule/${runAt}/s/1`;
  await store.putClaim({ name, owner: "s", generation: 1, status: "waiting", data });
  await expect.poll(() => errors.length).toBeGreaterThan(0);
  expect(await session.send("hello").result()).toMatchObject({ status: "completed" });
  // Before this message is due, several polls have read the invalid one again.
  await session.send("later", { runAt: new Date(Date.now() + 50).toISOString() }).result();
  expect(errors).toHaveLength(1);
});

test("messages for the same time to sessions whose ids and keys look alike are all sent", async () => {
  const c = await start({ agents: [new EchoAgent()] });
  const runAt = new Date(Date.now() + 50).toISOString();
  const places = [
    ["a", "b/c"],
    ["a/b", "c"],
    ["a%2Fb", "c"],
  ] as const;
  const runs = places.map(([sessionId, id]) =>
    c.session(sessionId, { create: true }).send(`to ${sessionId}`, { id, runAt }),
  );
  for (const [n, [sessionId]] of places.entries()) {
    expect(await runs[n]?.result()).toMatchObject({ status: "completed" });
    const messages = await c.session(sessionId).messages();
    expect(messages.map(({ content }) => textOf(content))).toContain(`to ${sessionId}`);
  }
});

test("a lasting error is reported once for each session, and again if it returns after an absence", async () => {
  const reported: string[] = [];
  const errors = [["a", "b"], ["a", "b", "c"], ["b"], ["a", "b"]];
  const pass = reportNew(
    (error, of) => reported.push(`${of}: ${String(error)}`),
    async (report) => {
      const [first = [], ...others] = errors.splice(0, 1);
      expect(others).toEqual([]);
      for (const of of first) report("broken", of);
      await Promise.reject(new Error("lost"));
    },
  );
  for (let n = 0; n < 4; n++) await pass();
  expect(reported).toEqual(["a: broken", "b: broken", ": Error: lost", "c: broken", "a: broken"]);
});

test("the most urgent message is answered first, even if it was scheduled or is tried again", async () => {
  const answered: string[] = [];
  const agent: Agent = {
    name: "desk",
    execute: (request) => {
      const text = textOf(request.input);
      answered.push(text);
      return answered.filter((other) => other === text).length === 1 && text.startsWith("fails")
        ? Promise.reject(new Error("no power"))
        : Promise.resolve({});
    },
  };
  const sender = await start({ work: false, agents: [agent] });
  const send = async (sessionId: string, text: string, options: SendOptions) =>
    await sender.session(sessionId, { create: true }).send(text, options);
  await expect(send("s", "x", { priority: 101 })).rejects.toMatchObject({ code: "usage" });
  const runAt = new Date(Date.now() - 1).toISOString();
  await expect(send("s", "x", { priority: 0.5, runAt })).rejects.toMatchObject({ code: "usage" });
  await send("a", "usual", {});
  await send("b", "later", { priority: -5 });
  await send("c", "scheduled", { priority: 8, runAt });
  await send("d", "fails", { priority: 9 });
  await start({ agents: [agent], parallel: 1, retry: { on: ["failed"] } });
  await expect.poll(() => answered).toEqual(["fails", "fails", "scheduled", "usual", "later"]);
});

test("a session that cannot be woken does not keep the others from being recovered", async () => {
  for (const sessionId of ["a", "b", "c"]) {
    await store.createSession({ sessionId });
    await store.createRun({ sessionId });
  }
  const broken = withMethods<Store>(store, {
    getSession: (id) => (id === "b" ? Promise.reject(new Error("broken")) : store.getSession(id)),
  });
  const errors: unknown[] = [];
  const woken = await Array.fromAsync(
    wakeAll(broken, { leaseMs: 1, onError: (error) => errors.push(error) }),
    ({ sessionId }) => sessionId,
  );
  expect(woken).toEqual(["a", "c"]);
  expect(errors).toMatchObject([{ message: "broken" }]);
  await expect(Array.fromAsync(wakeAll(broken))).rejects.toThrow("broken");
});

test("sessions of participants in channels are left to their server, and other sessions with such ids are woken", async () => {
  await createParticipantSession(store, { channel: "team", handle: "bot" });
  await store.createSession({ sessionId: "participant:7", metadata: { channel: "mail", handle: "ann" } });
  await store.createSession({ sessionId: "participant:own:notes" });
  for (const sessionId of ["participant:team:bot", "participant:7", "participant:own:notes"]) {
    const { runId } = await store.createRun({ sessionId });
    await store.transitionRun(runId, { to: "running" });
  }
  const woken = await Array.fromAsync(wakeAll(store, { leaseMs: 1 }), ({ sessionId }) => sessionId);
  expect(woken).toEqual(["participant:7", "participant:own:notes"]);
});

test("a running session, and one without unfinished runs, are examined without a write", async () => {
  const { agent, begun, finish } = waitingAgent();
  const c = await start({ agents: [agent] });
  await c.session("s", { create: true }).send("hello");
  await begun;
  const leases: string[] = [];
  const watched = withCalls<Store>(store, ({ method, proceed }) => {
    if (method === "acquireLease") leases.push(method);
    return proceed();
  });
  await expect.poll(async () => (await wake(watched, "s")).heldBy).not.toBeNull();
  leases.length = 0;
  expect((await wake(watched, "s", { pending: "keep" })).interrupted).toEqual([]);
  finish();
  await c
    .session("s")
    .run((await store.listRuns({})).items[0]?.runId ?? "")
    .result();
  await expect.poll(async () => (await wake(watched, "s")).heldBy).toBeNull();
  expect(leases).toEqual([]);
});

test("`work` replaces the queue of the opened program, whose runs end normally", async () => {
  const { agent, begun, finish } = waitingAgent();
  const c = await start({ agents: [agent], parallel: 3, leaseMs: 300 });
  expect(await c.queue()).toMatchObject({ parallel: 3 });
  const run = c.session("s", { create: true }).send("hello");
  await begun;
  const over = new AbortController();
  const working = c.work({ parallel: 5, signal: over.signal });
  await expect.poll(async () => (await c.queue()).parallel).toBe(5);
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(await c.queue()).toMatchObject({ running: 1, waiting: 0 });
  finish();
  expect(await run.result()).toMatchObject({ status: "completed" });
  over.abort();
  await working;
  expect(await c.queue()).toMatchObject({ parallel: 0 });
});

test("the id of a later attempt finds the run of its input, with all attempts", async () => {
  let fails = true;
  const agent: Agent = {
    name: "desk",
    execute: () => (fails ? Promise.reject(new Error("no power")) : Promise.resolve({})),
  };
  const c = await start({ agents: [agent], retry: { attempts: 1, on: ["failed"] } });
  const session = c.session("s", { create: true });
  const { runId } = await session.send("x", { id: "1" });
  await session.run("1").result();
  fails = false;
  const sent = await c.deadLetters.retry(runId);
  expect(sent.runId).not.toBe(runId);
  expect(await session.run(sent.runId)).toMatchObject({ runId });
  expect(await session.run(sent.runId).result()).toMatchObject({ runId: sent.runId, status: "completed" });
});

test("two equal questions at the same time need two answers, even after an earlier answer was used", async () => {
  const request: PermissionRequest = {
    approvalId: "a",
    toolName: "pay",
    toolInput: { amount: 1 },
    readOnly: null,
    options: [],
    readsReason: true,
  };
  let attempt = 0;
  const agent: Agent = {
    name: "desk",
    execute: async (_, { onPermission, signal }) => {
      attempt++;
      const ask = () => onPermission?.({ ...request, approvalId: `${attempt}` }, { signal });
      await ask();
      if (attempt === 1)
        return await new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
      await Promise.all([ask(), ask()]);
      return {};
    },
  };
  const options = { agents: [agent], recover: "retry", pollMs: 10 } as const;
  const dying = await start(options);
  await dying.session("s", { create: true }).send("pay", { id: "1" });
  const open = async (c: Continuo) => await c.approvals.list({ status: "open" });
  const grantAll = async (c: Continuo, count: number): Promise<void> => {
    await expect.poll(async () => (await open(c)).length).toBe(count);
    for (const { id } of await open(c)) await c.approvals.resolve(id, { outcome: "granted" });
  };
  await grantAll(dying, 1);
  await expect
    .poll(async () => (await store.listClaims({ prefix: "approval/" })).items[0]?.data)
    .toHaveProperty("usedBy");
  await dying.close({ graceMs: 0 });
  const c = await start(options);
  await grantAll(c, 1);
  await grantAll(c, 2);
  expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed" });
  expect(await c.approvals.list({ status: "granted" })).toHaveLength(4);
});

test("a time limit of approvals that is too long for one timer does not deny early", async () => {
  const agent: Agent = {
    name: "desk",
    execute: async (_, { onPermission, signal }) => {
      await onPermission?.(
        { approvalId: "a", toolName: "pay", readOnly: null, options: [], readsReason: true },
        { signal },
      );
      return {};
    },
  };
  const c = await start({ agents: [agent], approvalMs: 40 * 86_400_000 });
  await c.session("s", { create: true }).send("pay");
  await expect.poll(async () => (await c.approvals.list()).length).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await c.approvals.list()).toMatchObject([{ status: "open" }]);
});

test("the metric of waiting runs is counted when it is read, and ends when the program closes", async () => {
  const c = await start({ work: false, agents: [new EchoAgent()] });
  for (const id of ["a", "b"]) await c.session(id, { create: true }).send("hello");
  const waiting = (): unknown =>
    observed()
      .get("continuo.run.waiting")
      ?.map(({ value }) => value);
  await expect.poll(waiting).toEqual([2]);
  await c.session("c", { create: true }).send("hello");
  await expect.poll(waiting).toEqual([3]);
  await c.close();
  expect(waiting()).toEqual([]);
});

/** Asks a person, and then works until `finish` is called. */
function askingAgent(): {
  readonly agent: Agent;
  readonly working: string[];
  readonly finish: (sessionId: string) => void;
} {
  const working: string[] = [];
  const finished = new Map<string, () => void>();
  const agent: Agent = {
    name: "asking",
    execute: async ({ run, input }, { signal, onPermission }) => {
      const request: PermissionRequest = {
        approvalId: run.runId,
        toolName: "refund",
        toolInput: {},
        options: [],
        readOnly: false,
      };
      if (textOf(input) === "refund it") await onPermission?.(request, { signal });
      if (signal.aborted) return {};
      const { promise, resolve } = Promise.withResolvers<void>();
      working.push(run.sessionId);
      finished.set(run.sessionId, resolve);
      await promise;
      return {};
    },
  };
  return { agent, working, finish: (sessionId) => finished.get(sessionId)?.() };
}

async function ask(c: Continuo, names: readonly string[]): Promise<void> {
  for (const name of names) await c.session(name, { create: true }).send("refund it");
}

async function openApprovals(c: Continuo): Promise<ReadonlyMap<string, string>> {
  const open = await c.approvals.list({ status: "open" });
  return new Map(open.map(({ sessionId, id }) => [sessionId, id]));
}

test("runs that wait for a person take no place, and take one again before they continue", async () => {
  const { agent, working, finish } = askingAgent();
  const errors: unknown[] = [];
  const c = await start({ agents: [agent], parallel: 2, onError: (error) => errors.push(error) });
  const names = Array.from({ length: 40 }, (_, n) => `s${n}`);
  await ask(c, names);
  await expect.poll(async () => (await openApprovals(c)).size).toBe(40);
  expect(await c.queue()).toEqual({ running: 0, asking: 40, waiting: 0, parallel: 2 });
  for (const name of ["a", "b", "c"]) await c.session(name, { create: true }).send("are you open?");
  await expect.poll(() => working).toEqual(["a", "b"]);
  const ids = await openApprovals(c);
  await c.approvals.resolve(ids.get("s7") ?? "", { outcome: "granted" });
  await c.approvals.resolve(ids.get("s3") ?? "", { outcome: "granted" });
  const other = c.session("s5").run((await c.approvals.get(ids.get("s5") ?? ""))?.runId ?? "");
  await other.cancel();
  expect((await other.result()).status).toBe("cancelled");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(working).toEqual(["a", "b"]);
  // An answered run goes before new runs.
  finish("a");
  await expect.poll(() => working).toHaveLength(3);
  finish("b");
  await expect.poll(() => working.slice(2).toSorted()).toEqual(["s3", "s7"]);
  finish("s7");
  await expect.poll(() => working.slice(4)).toEqual(["c"]);
  expect(await c.queue()).toEqual({ running: 2, asking: 37, waiting: 0, parallel: 2 });
  finish("s3");
  finish("c");
  await expect.poll(async () => (await c.queue()).running).toBe(0);
  expect(errors).toEqual([]);
});

test("as many agents with a process wait for a person as may run, and a program is warned once that others cannot begin", async () => {
  const errors: unknown[] = [];
  const { agent, working, finish } = askingAgent();
  const asking = { name: agent.name, hasProcess: true, open: async () => agent };
  const c = await start({ agents: [asking], parallel: 2, onError: (error) => errors.push(error) });
  await ask(c, ["s1", "s2", "s3", "s4"]);
  await expect.poll(async () => (await openApprovals(c)).size).toBe(4);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await c.queue()).toEqual({ running: 2, asking: 2, waiting: 0, parallel: 2 });
  await c.session("s1").send("is it done?");
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(errors).toEqual([]);
  await c.session("s5", { create: true }).send("are you open?");
  await expect
    .poll(() => errors.map(String))
    .toEqual([expect.stringContaining("all 2 running messages wait for a person")]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(errors).toHaveLength(1);
  // The denied run gives its place to a waiting run that already had one.
  await c.approvals.resolve((await openApprovals(c)).get("s1") ?? "", { outcome: "denied" });
  await expect.poll(() => working).toEqual(["s1"]);
  expect(await c.queue()).toEqual({ running: 2, asking: 2, waiting: 2, parallel: 2 });
  finish("s1");
  await expect.poll(() => working).toEqual(["s1", "s1"]);
  finish("s1");
  await expect.poll(() => working).toEqual(["s1", "s1", "s5"]);
  finish("s5");
});

test("an isolated attempt runs with no other message of its process, which begin again after it", async () => {
  const begun: string[] = [];
  const together: string[][] = [];
  const running = new Set<string>();
  const agent: Agent = {
    name: "desk",
    async execute({ input }) {
      const text = textOf(input);
      begun.push(text);
      running.add(text);
      for (let moment = 0; moment < 5; moment++) {
        await pause(10);
        if (running.has("alone")) together.push([...running]);
      }
      running.delete(text);
      return {};
    },
  };
  const sender = await start({ work: false, agents: [agent] });
  const say = (text: string): PromiseLike<unknown> => sender.session(text, { create: true }).send(text);
  await say("a");
  await say("b");
  await store.createSession({ sessionId: "alone" });
  await startRun(store, "alone", "alone", { agent: "desk", metadata: { attempt: 3, isolated: true } });
  await say("c");
  await say("d");
  // A second worker of the same process waits as well.
  for (let workers = 0; workers < 2; workers++) await start({ agents: [agent], parallel: 2 });
  await expect.poll(async () => (await store.listRuns({ status: "completed" })).items.length).toBe(5);
  expect(begun.indexOf("alone")).toBeGreaterThan(1);
  expect(together.length).toBeGreaterThan(0);
  expect(new Set(together.flat())).toEqual(new Set(["alone"]));
});
