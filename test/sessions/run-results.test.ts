/** The result of a run, told apart by its status. */

import { openStore } from "@continuo/store";
import { type RunError, type RunResult, runOnce } from "@continuo/store/sessions";
import { afterAll, beforeAll, expect, expectTypeOf, test } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";

let store: Awaited<ReturnType<typeof openStore>>;
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(() => store.close());

type With<Status extends RunResult["status"]> = Extract<RunResult, { readonly status: Status }>;

test("the status of a result tells the compiler whether there is a value or an error", () => {
  expectTypeOf<With<"completed">>().toHaveProperty("value").toEqualTypeOf<unknown>();
  expectTypeOf<With<"completed">>().not.toHaveProperty("error");
  expectTypeOf<With<"failed">>().toHaveProperty("error").toEqualTypeOf<RunError>();
  expectTypeOf<With<"failed">>().not.toHaveProperty("value");
  expectTypeOf<Exclude<RunResult, With<"completed"> | With<"failed">>["status"]>().toEqualTypeOf<
    Exclude<RunResult["status"], "completed" | "failed">
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
