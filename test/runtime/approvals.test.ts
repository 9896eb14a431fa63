/** Approvals that survive the process that asked for them, and the queue of several workers. */

import { setTimeout as pause } from "node:timers/promises";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Agent, Store } from "@continuo/core/model";
import { type Approval, type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { startRun } from "@continuo/store/sessions";
import { jsonSchema, tool } from "ai";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { ApprovalDesk } from "../../packages/server/src/runtime/approvals.ts";
import { EchoAgent } from "../../packages/store/src/testing/index.ts";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";

let store: OpenedStore;
let server: ModelServer;
const opened: Continuo[] = [];
beforeEach(async () => {
  store = await openStore("memory:");
  server = await startModelServer({
    turns: [
      {
        user: "refund it",
        answers: [[text("I refund it."), call("refund", { order: "7" })], [text("Done.")]],
      },
    ],
  });
});
afterEach(async () => {
  for (const c of opened.splice(0)) await c.close({ graceMs: 0 });
  await store.close();
  await server.close();
});

/** A process of the program, which adds its refunds to the list. */
async function start(
  refunds: string[],
  options: Parameters<typeof openContinuo>[1] = {},
  from: Store = store,
): Promise<Continuo> {
  const inputSchema = jsonSchema<{ order: string }>({
    type: "object",
    properties: { order: { type: "string" } },
  });
  const desk = defineAgent({
    name: "desk",
    model: createOpenAICompatible({ name: "fake", baseURL: `${server.url}/v1` })("fake-1"),
    tools: {
      refund: tool({
        inputSchema,
        needsApproval: true,
        execute: ({ order }) => `refund ${refunds.push(order)}`,
      }),
    },
  });
  const c = await openContinuo(from, { agents: [desk], recover: "retry", pollMs: 20, ...options });
  opened.push(c);
  return c;
}

/** A store whose answer to a write with this text comes late: others can read the written events before it. */
function heldBack(whole: Store, part: string, until: Promise<void>): Store {
  return new Proxy(whole, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "append") return value.bind(target);
      return async (...given: Parameters<Store["append"]>) => {
        const result = await target.append(...given);
        if (JSON.stringify(given).includes(part)) await until;
        return result;
      };
    },
  });
}

async function openApproval(c: Continuo): Promise<Approval> {
  await expect
    .poll(async () => (await c.approvals.list({ status: "open" })).length, { timeout: 10_000 })
    .toBe(1);
  return (await c.approvals.list({ status: "open" }))[0] as Approval;
}

describe("an approval", () => {
  test("is listed by status and metadata, answered by another process, and lets the call begin", async () => {
    const refunds: string[] = [];
    const c = await start(refunds);
    const session = c.session("s", { create: true, metadata: { user: "ann" } });
    const run = session.send("refund it", { id: "1" });
    const approval = await openApproval(c);
    expect(approval).toMatchObject({
      agent: "desk",
      toolName: "refund",
      toolInput: { order: "7" },
      metadata: { user: "ann" },
    });
    const other = await openContinuo(store as Store);
    opened.push(other);
    expect(await other.approvals.list({ status: "open", metadata: { user: "bob" } })).toEqual([]);
    expect(await other.approvals.list({ status: "open", metadata: { user: "ann" } })).toHaveLength(1);
    expect(refunds).toEqual([]);
    const granted = await other.approvals.resolve(approval.id, {
      outcome: "granted",
      by: "carla",
      reason: "paid twice",
    });
    expect(granted).toMatchObject({ status: "granted", by: "carla" });
    expect(await run.result()).toMatchObject({ status: "completed", text: "Done." });
    expect(refunds).toEqual(["7"]);
    const { events } = await store.read("s", { types: ["approval_requested", "approval_resolved"] });
    expect(events.map(({ type, actor, data }) => [type, actor.id, (data as { by?: string }).by])).toEqual([
      ["approval_requested", undefined, undefined],
      ["approval_resolved", "carla", "carla"],
    ]);
    expect(await other.approvals.resolve(approval.id, { outcome: "granted", by: "carla" })).toMatchObject({
      status: "granted",
    });
    await expect(other.approvals.resolve(approval.id, { outcome: "denied" })).rejects.toMatchObject({
      code: "conflict",
    });
    await expect(other.approvals.resolve("none", { outcome: "denied" })).rejects.toMatchObject({
      code: "not_found",
    });
  });

  test.each([
    "toolu_01",
    // Ids in the list of approvals look like this.
    "1db7ef9173a81192e54982713a4a4172",
  ])(
    "are found by the id %s of their event before they are stored, and an unknown id is looked up only once",
    async (approvalId) => {
      const stored = Promise.withResolvers<void>();
      const slow: Agent = {
        name: "slow",
        async execute(_, { onEvent, onPermission, signal }) {
          const request = { approvalId, toolName: "rm", readOnly: false, options: [] };
          await onEvent({ type: "permission_request", ...request });
          await stored.promise;
          const decision = await onPermission?.(request, { signal });
          await onEvent({
            type: "message",
            content: [{ type: "text", text: `it was ${decision?.outcome}` }],
          });
          return {};
        },
      };
      let scans = 0;
      const counting: Store = {
        ...store,
        listClaims: (options) => {
          scans++;
          return store.listClaims(options);
        },
      };
      const c = await openContinuo(counting, { agents: [slow], pollMs: 20 });
      opened.push(c);
      const run = c.session("s", { create: true }).send("clean up");
      const { runId } = await run;
      for await (const event of run) if (event.type === "approval_requested") break;
      scans = 0;
      expect(await c.approvals.get("none")).toBeNull();
      expect(await c.approvals.get("0".repeat(32))).toBeNull();
      expect(scans).toBe(2);
      const answering = c.approvals.resolve(approvalId, { outcome: "granted", by: "carla" });
      await expect.poll(() => scans).toBeGreaterThan(3);
      stored.resolve();
      expect(await answering).toMatchObject({ status: "granted", runId });
      expect(await run.result()).toMatchObject({ text: "it was granted" });
    },
  );

  test.each(["before the answer", "after the answer"])(
    "of a process that ended %s is answered once, and its call runs once",
    async (when) => {
      const [first, second]: [string[], string[]] = [[], []];
      const dying = await start(first);
      await dying.session("s", { create: true }).send("refund it", { id: "1" });
      const approval = await openApproval(dying);
      await dying.close({ graceMs: 0 });
      const answer = { outcome: "granted", by: "carla" } as const;
      const away = await openContinuo(store as Store);
      opened.push(away);
      expect(await away.approvals.list({ status: "open" })).toHaveLength(1);
      if (when === "after the answer") await away.approvals.resolve(approval.id, answer);
      const c = await start(second);
      if (when === "before the answer") {
        await expect
          .poll(async () => (await c.approvals.list())[0]?.runId !== approval.runId, { timeout: 10_000 })
          .toBe(true);
        expect((await openApproval(c)).id).toBe(approval.id);
        await c.approvals.resolve(approval.id, answer);
      }
      expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed", text: "Done." });
      expect([first, second]).toEqual([[], ["7"]]);
      expect(await c.approvals.list()).toHaveLength(1);
      // The model was called twice: for the tool call, and after its result.
      const requests = server.conversation();
      expect(requests).toHaveLength(2);
      expect(requests.at(-1)?.violations).toEqual([]);
      const { messages } = { messages: await c.session("s").messages() };
      expect(messages.filter(({ origin }) => origin === "person")).toHaveLength(1);
    },
  );

  test("survives more ends of its process than a message has attempts", async () => {
    const refunds: string[] = [];
    let c = await start(refunds);
    c.session("s", { create: true }).send("refund it", { id: "1" });
    let { id, runId } = await openApproval(c);
    for (let ends = 0; ends < 5; ends++) {
      await c.close({ graceMs: 0 });
      c = await start(refunds);
      const before = runId;
      // Waits until the next attempt has asked the same question.
      await expect.poll(async () => (await openApproval(c)).runId, { timeout: 20_000 }).not.toBe(before);
      const again = await openApproval(c);
      expect(again.id).toBe(id);
      ({ id, runId } = again);
    }
    await c.approvals.resolve(id, { outcome: "granted" });
    expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed", text: "Done." });
    expect(refunds).toEqual(["7"]);
    expect(await c.deadLetters.list()).toEqual([]);
  });

  test("stays open between two attempts of a failed run, and its answer applies to the second one", async () => {
    const refunds: string[] = [];
    const question = { toolName: "refund", toolInput: { order: "7" }, readOnly: false, options: [] };
    const away = await openContinuo(store as Store);
    opened.push(away);
    let attempts = 0;
    /** The first attempt fails while a person is asked. */
    const flaky: Agent = {
      name: "flaky",
      async execute({ run }, { onPermission, signal }) {
        attempts += 1;
        if (attempts > 1) await answered.promise;
        const asked = onPermission?.({ ...question, approvalId: run.runId }, { signal });
        if (attempts === 1) {
          await openApproval(away);
          throw new Error("no power");
        }
        if ((await asked)?.outcome === "granted") refunds.push("7");
        return {};
      },
    };
    const answered = Promise.withResolvers<void>();
    const retry = { on: ["failed"], attempts: 2 } as const;
    const failed = Promise.withResolvers<void>();
    const slow = heldBack(store, '"to":"failed"', failed.promise);
    const c = await start([], { agents: [flaky], onError: () => undefined, retry }, slow);
    const run = c.session("s", { create: true }).send("refund it", { id: "1" });
    await expect.poll(async () => (await away.store.listRuns({ status: "failed" })).items).toHaveLength(1);
    const approval = await openApproval(away);
    await away.approvals.resolve(approval.id, { outcome: "granted", by: "carla" });
    // The first attempt is still in memory, and must not take the answer.
    await pause(100);
    failed.resolve();
    answered.resolve();
    expect(await run.result()).toMatchObject({ status: "completed" });
    expect(refunds).toEqual(["7"]);
    expect(await away.approvals.list()).toMatchObject([{ id: approval.id, status: "granted" }]);
  });

  test("of an earlier attempt does not make a later one wait that did not ask", async () => {
    await store.createSession({ sessionId: "s" });
    const desk = new ApprovalDesk(store, { timeLimitMs: undefined, retriedAfter: undefined });
    const asking = await startRun(store, "s", "refund it");
    const over = new AbortController();
    const request = { approvalId: "a", toolName: "refund", readOnly: false, options: [] };
    const asked = desk.forRun(asking).ask(request, { signal: over.signal });
    asked.catch(() => undefined);
    await expect.poll(() => desk.awaitedQuestion(asking)).toBe("listed");
    await store.transitionRun(asking.runId, { to: "interrupted" });
    const next = await startRun(store, "s", "refund it", { retryOf: asking.runId });
    expect([await desk.awaitedQuestion(asking), await desk.awaitedQuestion(next)]).toEqual(["listed", null]);
    over.abort();
  });

  test("that is not answered in time is denied by the time limit", async () => {
    const refunds: string[] = [];
    const c = await start(refunds, { approvalMs: 200 });
    const run = c.session("s", { create: true }).send("refund it");
    expect(await run.result()).toMatchObject({ status: "completed", text: "Done." });
    expect(refunds).toEqual([]);
    expect(await c.approvals.list()).toMatchObject([{ status: "denied", by: "time limit" }]);
    const { events } = await store.read("s", { types: ["approval_resolved"] });
    expect(events).toMatchObject([
      { actor: { kind: "system" }, data: { outcome: "denied", by: "time limit" } },
    ]);
  });

  test("has a time limit that counts from the first question, also after a restart", async () => {
    await store.createSession({ sessionId: "s" });
    const desk = new ApprovalDesk(store, { timeLimitMs: 3_600_000, retriedAfter: undefined });
    const first = await startRun(store, "s", "refund it");
    const request = { approvalId: "a", toolName: "refund", readOnly: false, options: [] };
    const over = new AbortController();
    desk
      .forRun(first)
      .ask(request, { signal: over.signal })
      .catch(() => undefined);
    await expect.poll(() => desk.awaitedQuestion(first)).toBe("listed");
    over.abort();
    const [claim] = (await store.listClaims({ prefix: "approval/" })).items;
    if (claim === undefined) throw new Error("nobody asked");
    const { name, owner, generation, status, data } = claim;
    const longAgo = { ...(data as object), requestedAt: "2026-01-01T00:00:00.000Z" };
    await store.putClaim({ name, owner, generation: generation + 1, status, data: longAgo });
    await store.transitionRun(first.runId, { to: "interrupted" });
    const next = await startRun(store, "s", "refund it", { retryOf: first.runId });
    const { signal } = new AbortController();
    expect(await desk.forRun(next).ask(request, { signal })).toMatchObject({
      outcome: "denied",
      by: "time limit",
    });
  });

  test("of a cancelled run is closed", async () => {
    const c = await start([]);
    const run = c.session("s", { create: true }).send("refund it");
    const approval = await openApproval(c);
    await run.cancel();
    await run.result();
    await expect.poll(async () => c.approvals.list({ status: "open" })).toEqual([]);
    await expect(c.approvals.resolve(approval.id, { outcome: "granted" })).rejects.toMatchObject({
      code: "run_ended",
      details: { status: "cancelled" },
    });
  });

  test.each(["failed", "cancelled", "timeout"] as const)(
    "of a run that ended as %s, and that is still open, refuses an answer and names the end of the run",
    async (status) => {
      const agent: Agent = { name: "desk", execute: () => Promise.reject(new Error("no power")) };
      const c = await start([], { agents: [agent], work: false });
      const { runId } = await c.session("s", { create: true }).send("refund it");
      const request = { approvalId: "call-1", toolName: "refund", readOnly: false, options: [] };
      const data = { sessionId: "s", runId, agent: "desk", request, metadata: {}, requestedAt: "2026-05-15" };
      const claim = { name: "approval/q1", owner: runId, generation: 1, status: "open", data };
      await store.putClaim(claim);
      await store.transitionRun(runId, { to: "running" });
      await store.transitionRun(runId, { to: status });
      for (const outcome of ["granted", "denied"] as const) {
        await expect(c.approvals.resolve("q1", { outcome })).rejects.toMatchObject({
          code: "run_ended",
          message: "cannot answer the approval q1: its run has ended",
          details: { runId, status },
        });
      }
      expect(await c.approvals.list()).toMatchObject([{ id: "q1", status: "cancelled" }]);
      const { events } = await store.read("s", { types: ["approval_resolved"] });
      expect(events).toEqual([]);
    },
  );

  test("of a run that is tried again after such an end is open for all processes, and its answer applies to the next attempt", async () => {
    await store.createSession({ sessionId: "s" });
    const desk = new ApprovalDesk(store, { timeLimitMs: undefined, retriedAfter: ["failed"] });
    const run = await startRun(store, "s", "refund it");
    const own = desk.forRun(run);
    const request = { approvalId: "a", toolName: "refund", readOnly: false, options: [] };
    const asked = own.ask(request, { signal: new AbortController().signal });
    const away = await openContinuo(store as Store);
    opened.push(away);
    const { id } = await openApproval(away);
    await store.transitionRun(run.runId, { to: "running" });
    await store.transitionRun(run.runId, { to: "failed" });
    own.end();
    expect(await asked).toMatchObject({ outcome: "cancelled" });
    expect(await away.approvals.get(id)).toMatchObject({ status: "open" });
    expect(await away.approvals.resolve(id, { outcome: "granted" })).toMatchObject({ status: "granted" });
    const next = await startRun(store, "s", "refund it", { retryOf: run.runId });
    const again = desk.forRun(next).ask(request, { signal: new AbortController().signal });
    expect(await again).toMatchObject({ outcome: "granted", by: "person" });
  });

  test("whose run ended before it used the answer is refused, even if the same answer comes again", async () => {
    const c = await start([], { work: false });
    const { runId } = await c.session("s", { create: true }).send("refund it");
    const request = { approvalId: "call-1", toolName: "refund", readOnly: false, options: [] };
    const data = { sessionId: "s", runId, agent: "desk", request, metadata: {}, requestedAt: "2026-05-15" };
    await store.putClaim({ name: "approval/q1", owner: runId, generation: 1, status: "open", data });
    await store.transitionRun(runId, { to: "running" });
    // The run ends between the check and the answer.
    const ending: Store = {
      ...store,
      append: async (...given) => {
        const stored = await store.append(...given);
        await store.transitionRun(runId, { to: "failed" });
        return stored;
      },
    };
    const other = await openContinuo(ending, { work: false });
    opened.push(other);
    const answer = { outcome: "granted", by: "carla" } as const;
    await expect(other.approvals.resolve("q1", answer)).rejects.toMatchObject({ code: "run_ended" });
    await expect(c.approvals.resolve("q1", answer)).rejects.toMatchObject({ code: "run_ended" });
  });

  test("that is granted just after a stop lets no call run", async () => {
    const refunds: string[] = [];
    const c = await start(refunds);
    const run = c.session("s", { create: true }).send("refund it");
    const { id } = await openApproval(c);
    await run.cancel();
    await expect(c.approvals.resolve(id, { outcome: "granted" })).rejects.toMatchObject({
      code: "run_ended",
    });
    expect((await run.result()).status).toBe("cancelled");
    expect(refunds).toEqual([]);
  });
});

describe("workers", () => {
  test("share the queue: each message is answered once, and the messages of a session in their order", async () => {
    const answered: string[] = [];
    const agent: Agent = {
      name: "desk",
      execute: async ({ run }) => {
        answered.push(run.runId);
        await new Promise((resolve) => setTimeout(resolve, 5));
        return {};
      },
    };
    const sender = await start([], { agents: [agent], work: false });
    const sent = [];
    for (let n = 0; n < 30; n++)
      sent.push(await sender.session(`s${n % 6}`, { create: true }).send(`m${n}`, { id: `${n}` }));
    expect(await sender.queue()).toMatchObject({ running: 0, waiting: 30 });
    const over = new AbortController();
    const workers = [];
    for (let n = 0; n < 3; n++) {
      const worker = await start([], { agents: [agent], work: false });
      workers.push(worker.work({ agents: ["desk"], parallel: 2, signal: over.signal }));
    }
    await expect
      .poll(async () => (await store.listRuns({ status: "completed" })).items.length, { timeout: 20_000 })
      .toBe(30);
    over.abort();
    await Promise.all(workers);
    expect(answered.toSorted()).toEqual(sent.map(({ runId }) => runId).toSorted());
    for (let s = 0; s < 6; s++) {
      const { events } = await store.read(`s${s}`, { types: ["message_sent"] });
      const texts = events.map(({ data }) => (data as { content: { text: string }[] }).content[0]?.text);
      expect(texts).toEqual([0, 1, 2, 3, 4].map((n) => `m${n * 6 + s}`));
    }
  });

  test("give an input up after its attempts, report this, and try it again on request", async () => {
    let fails = true;
    const agent: Agent = {
      name: "desk",
      execute: () => (fails ? Promise.reject(new Error("no power")) : Promise.resolve({})),
    };
    const c = await start([], { agents: [agent], retry: { attempts: 3, backoffMs: 10, on: ["failed"] } });
    const run = c.session("s", { create: true }).send("x", { id: "1" });
    const types = (await Array.fromAsync(run)).map(({ type }) => type);
    expect(types.filter((type) => type === "run_failed")).toHaveLength(3);
    expect(types.filter((type) => type === "message_sent")).toHaveLength(1);
    expect(await run.result()).toMatchObject({ status: "failed", error: { message: "no power" } });
    const [dead] = await c.deadLetters.list();
    expect(dead).toMatchObject({ sessionId: "s", attempts: 3 });
    fails = false;
    await c.deadLetters.retry(dead?.runId ?? "");
    expect(await c.deadLetters.list()).toEqual([]);
    expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed" });
  });

  test("list every dead letter, however many there are", async () => {
    const c = await start([], {});
    const ids = Array.from({ length: 1_001 }, (_, at) => `r${String(at).padStart(4, "0")}`);
    for (const runId of ids) {
      const data = { runId, sessionId: "s", attempts: 3, reason: "failed", at: "2026-05-15T12:00:00.000Z" };
      await c.store.putClaim({ name: `dead/${runId}`, owner: runId, generation: 1, status: "dead", data });
    }
    expect((await c.deadLetters.list()).map(({ runId }) => runId)).toEqual(ids);
  });

  test("leave their current runs at close to another process, which begins them again", async () => {
    const begun = Promise.withResolvers<void>();
    const slow: Agent = {
      name: "desk",
      execute: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          begun.resolve();
          signal.addEventListener("abort", () => reject(signal.reason));
        }),
    };
    const dying = await start([], { agents: [slow] });
    await dying.session("s", { create: true }).send("hello", { id: "1" });
    await begun.promise;
    await dying.close({ graceMs: 0 });
    const left = (await store.listRuns({})).items.map(({ status }) => status);
    expect(left.toSorted()).toEqual(["interrupted", "pending"]);
    const c = await start([], { agents: [Object.assign(new EchoAgent(), { name: "desk" })] });
    expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed", text: "hello" });
  });
});
