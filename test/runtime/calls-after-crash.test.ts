/**
 * Tool calls that need an answer, in a process that ends at a bad moment. The tests show the questions, calls and
 * messages of the next process.
 */

import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Store } from "@continuo/core/model";
import { type Approval, type Continuo, defineAgent, openContinuo } from "@continuo/server/runtime";
import { type OpenedStore, openStore } from "@continuo/store";
import { startRun } from "@continuo/store/sessions";
import { jsonSchema, tool } from "ai";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApprovalDesk } from "../../packages/server/src/runtime/approvals.ts";
import { tool as call, type ModelServer, startModelServer, text } from "../model-servers/index.ts";

let store: OpenedStore;
let server: ModelServer;
const opened: Continuo[] = [];
beforeEach(async () => {
  store = await openStore("memory:");
  const asked = [text("I refund it."), call("refund", { order: "7" })];
  const answers = [asked, [{ type: "slow", delayMs: 500 } as const, text("That is all.")]];
  const both = [call("refund", { order: "7" }), call("refund", { order: "8" })];
  server = await startModelServer({
    turns: [
      { user: "refund it", answers },
      { user: "refund both", answers: [both, [text("That is all.")]] },
    ],
  });
});
afterEach(async () => {
  for (const c of opened.splice(0)) await c.close({ graceMs: 0 });
  await store.close();
  await server.close();
});

/** The options of a call, as far as the tool reads them. */
interface KeyedCall {
  readonly toolCallId: string;
  readonly idempotencyKey?: string;
}

type Refund = (order: string, key: string | undefined) => Promise<string>;

/** A process of the program, on its own view of the store. */
async function start(refund: Refund, on: Store = store): Promise<Continuo> {
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
        execute: ({ order }, { idempotencyKey }: KeyedCall) => refund(order, idempotencyKey),
      }),
    },
  });
  const c = await openContinuo(on, { agents: [desk], recover: "retry", pollMs: 20 });
  opened.push(c);
  return c;
}

async function openApproval(c: Continuo): Promise<Approval> {
  const open = () => c.approvals.list({ status: "open" });
  await expect.poll(async () => (await open()).length, { timeout: 10_000 }).toBe(1);
  return (await open())[0] as Approval;
}

async function eventIn(type: string): Promise<void> {
  const find = async () => (await store.read("s", { types: [type] })).events.length;
  await expect.poll(find, { timeout: 10_000 }).toBeGreaterThan(0);
}

function hang(): Promise<never> {
  return new Promise(() => undefined);
}

function rolesOf(at: number): readonly unknown[] {
  const { body } = server.conversation().at(at) ?? {};
  return (body as { readonly messages: readonly { readonly role: string }[] }).messages.map(
    ({ role }) => role,
  );
}

test("a process that begins after the result of a denied call does not ask about it again", async () => {
  const refunds: string[] = [];
  const dying = await start(async (order) => `refund ${refunds.push(order)}`);
  await dying.session("s", { create: true }).send("refund it", { id: "1" });
  const { id } = await openApproval(dying);
  await dying.approvals.resolve(id, { outcome: "denied", by: "carla" });
  await eventIn("tool_call_failed");
  await dying.close({ graceMs: 0 });
  const c = await start(async (order) => `refund ${refunds.push(order)}`);
  expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed", text: "That is all." });
  expect(await c.approvals.list()).toMatchObject([{ id, status: "denied" }]);
  expect(refunds).toEqual([]);
  expect(rolesOf(-1)).toEqual(["user", "assistant", "tool"]);
});

test.each(["granted", "denied"] as const)(
  "an answer %s that a process received before it ended is used by the next one, without another question",
  async (outcome) => {
    const refunds: string[] = [];
    // The process ends before it stores that the call begins, or that it was denied.
    const received = Promise.withResolvers<void>();
    const ending: Store = {
      ...store,
      append: async (logId, events, options) => {
        if (!JSON.stringify(options?.also ?? []).includes('"usedBy"')) {
          return await store.append(logId, events, options);
        }
        received.resolve();
        return await hang();
      },
    };
    const dying = await start(async (order) => `refund ${refunds.push(order)}`, ending);
    await dying.session("s", { create: true }).send("refund it", { id: "1" });
    const { id } = await openApproval(dying);
    await dying.approvals.resolve(id, { outcome, by: "carla" });
    await received.promise;
    await dying.close({ graceMs: 0 });
    expect(refunds).toEqual([]);
    const c = await start(async (order) => `refund ${refunds.push(order)}`);
    expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed" });
    expect(refunds).toEqual(outcome === "granted" ? ["7"] : []);
    expect(await c.approvals.list()).toMatchObject([{ id, status: outcome }]);
  },
);

test("answers for calls that had not begun when their process ended are used by the next one, without another question", async () => {
  const refunds: string[] = [];
  // The process ends when it has the answer for one call and reads the one for the other, before either call begins.
  let last = "";
  const [received, read] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ending: Store = {
    ...store,
    getClaim: async (name) => {
      const claim = await store.getClaim(name);
      if (claim?.status === "granted") received.resolve();
      if (claim?.status !== "granted" || name !== last) return claim;
      read.resolve();
      return await hang();
    },
  };
  const dying = await start(async (order) => `refund ${refunds.push(order)}`, ending);
  await dying.session("s", { create: true }).send("refund both", { id: "1" });
  const office = await openContinuo(store);
  opened.push(office);
  await expect.poll(async () => (await office.approvals.list()).length, { timeout: 10_000 }).toBe(2);
  const [first, second] = await office.approvals.list();
  last = `approval/${second?.id}`;
  await office.approvals.resolve(String(first?.id), { outcome: "granted", by: "carla" });
  await received.promise;
  await office.approvals.resolve(String(second?.id), { outcome: "granted", by: "carla" });
  await read.promise;
  await dying.close({ graceMs: 0 });
  expect(refunds).toEqual([]);
  const c = await start(async (order) => `refund ${refunds.push(order)}`);
  expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed", text: "That is all." });
  expect(refunds.toSorted()).toEqual(["7", "8"]);
  expect(await c.approvals.list()).toMatchObject([{ status: "granted" }, { status: "granted" }]);
  expect(server.conversation()).toHaveLength(2);
});

test("a call that began before a crash has the same key in the next attempt, and its new question names the first", async () => {
  const keys: (string | undefined)[] = [];
  const begun = Promise.withResolvers<void>();
  const dying = await start((_, key) => {
    keys.push(key);
    begun.resolve();
    return hang();
  });
  await dying.session("s", { create: true }).send("refund it", { id: "1" });
  const first = await openApproval(dying);
  expect(first).not.toHaveProperty("grantedBefore");
  await dying.approvals.resolve(first.id, { outcome: "granted", by: "carla" });
  await begun.promise;
  await dying.close({ graceMs: 0 });
  const c = await start(async (_, key) => `refund ${keys.push(key)}`);
  const second = await openApproval(c);
  expect(second).toMatchObject({ toolInput: { order: "7" }, grantedBefore: first.id });
  await c.approvals.resolve(second.id, { outcome: "granted", by: "carla" });
  expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed" });
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/u), keys[0]]);
  // The model reads its question before the work on it, and again after the note about the crash.
  expect(rolesOf(1)).toEqual(["user", "assistant", "tool", "user", "user"]);
});

/** The types of the chunks that `useChat` reads about calls and text, from the first attempt on. */
async function chunksOf(c: Continuo): Promise<readonly string[]> {
  const body = await c.session("s").run("1").toUIMessageResponse().text();
  const types = [...body.matchAll(/^data: \{"type":"((?:tool|text)-[^"]+)"/gmu)].map(([, type = ""]) => type);
  return types.filter((type) => type !== "text-start" && type !== "text-end");
}

test("a page learns that a call was lost in a crash before the words of the next attempt", async () => {
  const begun = Promise.withResolvers<void>();
  const dying = await start(() => {
    begun.resolve();
    return hang();
  });
  await dying.session("s", { create: true }).send("refund it", { id: "1" });
  await dying.approvals.resolve((await openApproval(dying)).id, { outcome: "granted", by: "carla" });
  await begun.promise;
  await dying.close({ graceMs: 0 });
  const c = await start(async () => "refunded");
  await c.approvals.resolve((await openApproval(c)).id, { outcome: "granted", by: "carla" });
  expect(await chunksOf(c)).toEqual([
    "text-delta",
    ...["tool-input-available", "tool-approval-request", "tool-approval-response"],
    ...["tool-output-error", "text-delta"],
    ...["tool-input-available", "tool-approval-request", "tool-approval-response", "tool-output-available"],
    "text-delta",
  ]);
});

test("a page is asked once about a call whose question two processes asked", async () => {
  const dying = await start(hang);
  await dying.session("s", { create: true }).send("refund it", { id: "1" });
  const { id } = await openApproval(dying);
  await dying.close({ graceMs: 0 });
  const c = await start(async () => "refunded");
  await expect
    .poll(async () => (await store.read("s", { types: ["approval_requested"] })).events.length)
    .toBe(2);
  await c.approvals.resolve(id, { outcome: "granted", by: "carla" });
  expect(await chunksOf(c)).toEqual([
    "text-delta",
    ...["tool-input-available", "tool-approval-request", "tool-approval-response", "tool-output-available"],
    "text-delta",
  ]);
});

test("a question that was only in the log is asked by the next process, for the same call", async () => {
  const refunds: string[] = [];
  const ending: Store = {
    ...store,
    putClaim: async (claim) =>
      claim.name.startsWith("approval/") ? await hang() : await store.putClaim(claim),
  };
  const dying = await start(async (order) => `refund ${refunds.push(order)}`, ending);
  await dying.session("s", { create: true }).send("refund it", { id: "1" });
  await eventIn("approval_requested");
  await dying.close({ graceMs: 0 });
  const c = await start(async (order) => `refund ${refunds.push(order)}`);
  const { id } = await openApproval(c);
  expect(server.conversation()).toHaveLength(1);
  await c.approvals.resolve(id, { outcome: "granted", by: "carla" });
  expect(await c.session("s").run("1").result()).toMatchObject({ status: "completed" });
  expect(refunds).toEqual(["7"]);
  expect(await c.approvals.list()).toMatchObject([{ id, status: "granted" }]);
});

test("a run whose question is only in the log waits for a person, until the log has the answer or the agent has it", async () => {
  await store.createSession({ sessionId: "s" });
  const desk = new ApprovalDesk(store, { timeLimitMs: undefined, retriedAfter: undefined });
  const run = await startRun(store, "s", "refund it");
  const { runId } = run;
  const request = { approvalId: "a", toolName: "refund", readOnly: false, options: [] };
  const ask = { type: "approval_requested", data: request, runId };
  expect(await desk.awaitedQuestion(run)).toBe(null);
  await store.append("s", [ask]);
  expect(await desk.awaitedQuestion(run)).toBe("logged");
  await store.append("s", [
    { type: "approval_resolved", data: { approvalId: "a", outcome: "denied" }, runId },
  ]);
  expect(await desk.awaitedQuestion(run)).toBe(null);

  await store.append("s", [{ ...ask, data: { ...request, approvalId: "b" } }]);
  const asked = desk
    .forRun(run)
    .ask({ ...request, approvalId: "b" }, { signal: new AbortController().signal });
  await expect.poll(async () => (await desk.list()).length).toBe(1);
  await desk.resolve("b", { outcome: "granted", by: "carla" });
  expect(await asked).toMatchObject({ outcome: "granted" });
  expect(await desk.awaitedQuestion(run)).toBe(null);

  // The next attempt repeats the question with the same id, and its process ends before it stores it again.
  await store.transitionRun(runId, { to: "interrupted" });
  const next = await startRun(store, "s", "refund it", { retryOf: runId });
  expect(await desk.awaitedQuestion(next)).toBe(null);
  await store.append("s", [{ ...ask, data: { ...request, approvalId: "b" }, runId: next.runId }]);
  expect(await desk.awaitedQuestion(next)).toBe("logged");
});
