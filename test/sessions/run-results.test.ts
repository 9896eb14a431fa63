/** The result of a run, which its status distinguishes. */

import { openContinuo } from "@continuo/server/runtime";
import { openStore } from "@continuo/store";
import {
  executeRun,
  type RunError,
  type RunResult,
  runOnce,
  startRun,
  startSession,
} from "@continuo/store/sessions";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";

let store: Awaited<ReturnType<typeof openStore>>;
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(() => store.close());

type With<Status extends RunResult["status"]> = Extract<RunResult, { readonly status: Status }>;

test("the status of a result tells the compiler whether there is a value or an error", () => {
  type Done = Extract<RunResult, { readonly status: "completed" | "max_steps" }>;
  expectTypeOf<Done>().toHaveProperty("value").toEqualTypeOf<unknown>();
  expectTypeOf<Done>().not.toHaveProperty("error");
  expectTypeOf<With<"failed">>().toHaveProperty("error").toEqualTypeOf<RunError>();
  expectTypeOf<With<"failed">>().not.toHaveProperty("value");
  expectTypeOf<Exclude<RunResult, Done | With<"failed">>["status"]>().toEqualTypeOf<
    Exclude<RunResult["status"], "completed" | "max_steps" | "failed">
  >();
  expectTypeOf<RunResult>().not.toHaveProperty("error");
});

test("only a completed run has a value, and only a failed one an error", async () => {
  const completed = await runOnce(store, new EchoAgent(), "hello");
  expect(completed).toMatchObject({ status: "completed", text: "hello" });
  expect(completed).not.toHaveProperty("error");
  const failing = new ScriptedAgent({ turns: [[{ fail: "the model is away" }]] });
  const failed = await runOnce(store, failing, "hello");
  expect(failed).toMatchObject({ status: "failed", error: { message: "the model is away" } });
  expect(failed).not.toHaveProperty("value");
  const cancelled = await runOnce(store, new ScriptedAgent({ turns: [[{ wait: "abort" }]] }), "hello", {
    timeoutMs: 10,
  });
  expect(cancelled.status).toBe("timeout");
  expect(cancelled).not.toHaveProperty("error");
});

test("an agent that reached its limit of steps gives a separate status, also to a caller that comes later", async () => {
  const agent = { name: "limited", execute: async () => ({ stopReason: "max_steps", value: { found: 1 } }) };
  const { sessionId } = await startSession(store);
  const { runId } = await startRun(store, sessionId, "look", { agent: "limited" });
  const result = await executeRun(store, agent, runId);
  expect(result).toMatchObject({ status: "max_steps", value: { found: 1 }, run: { status: "completed" } });
  const { events } = await store.read(sessionId, { types: ["run_completed"] });
  expect(events.map(({ data }) => data)).toMatchObject([{ result: { stopReason: "max_steps" } }]);
  await using c = await openContinuo(store);
  expect(await c.session(sessionId).run(runId).result()).toMatchObject({
    status: "max_steps",
    value: { found: 1 },
  });
});
