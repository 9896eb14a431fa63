/** Refusals of the session manager, compared whole: code, message, hint and details. */

import { ContinuoError } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { cancelRun, executeRun, runOnce, startRun, startSession, wake } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
  await startSession(store, { sessionId: "s" });
});
afterEach(() => store.close());

interface Refused {
  readonly code: string;
  readonly message: string;
  readonly hint: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;
}

async function refusalOf(call: Promise<unknown>): Promise<Refused> {
  const error = await call.then(
    () => null,
    (refusal: unknown) => refusal,
  );
  if (!(error instanceof ContinuoError)) throw new Error(`not refused, or with ${error}`);
  const { code, message, hint, details } = error;
  return { code, message, hint, details };
}

const CREATE = "Create it first: `SessionManager.startSession(store, { sessionId })`.";
const ONCE = "Start a new run: a run is executed only once.";
const NO_SESSION = {
  code: "not_found",
  message: 'there is no session "other"',
  hint: CREATE,
  details: { sessionId: "other" },
};
const NO_RUN = {
  code: "not_found",
  message: "there is no run other",
  hint: undefined,
  details: { runId: "other" },
};

test("a session that does not exist", async () => {
  expect(await refusalOf(startRun(store, "other", "go"))).toEqual(NO_SESSION);
  expect(await refusalOf(wake(store, "other"))).toEqual(NO_SESSION);
});

test("a run that does not exist", async () => {
  expect(await refusalOf(cancelRun(store, "other"))).toEqual(NO_RUN);
  expect(await refusalOf(executeRun(store, new EchoAgent(), "other"))).toEqual(NO_RUN);
  expect(await refusalOf(startRun(store, "s", "go", { retryOf: "other" }))).toEqual(NO_RUN);
});

test("a blob that does not exist", async () => {
  const hash = "0".repeat(64);
  const image = { type: "image", mimeType: "image/png", blob: hash } as const;
  expect(await refusalOf(startRun(store, "s", [image]))).toEqual({
    code: "not_found",
    message: `there is no blob ${hash}`,
    hint: undefined,
    details: { hash },
  });
});

test("a run that has ended", async () => {
  const { runId } = await runOnce(store, new EchoAgent(), "go", { sessionId: "s" });
  expect(await refusalOf(cancelRun(store, runId))).toEqual({
    code: "invalid_transition",
    message: `the run ${runId} has already ended (completed)`,
    hint: undefined,
    details: { runId, from: "completed", to: "cancelled" },
  });
  expect(await refusalOf(executeRun(store, new EchoAgent(), runId))).toEqual({
    code: "invalid_transition",
    message: `cannot execute run ${runId}: it is completed, not pending`,
    hint: ONCE,
    details: { runId, from: "completed", to: "running" },
  });
  expect(await refusalOf(startRun(store, "s", "go", { retryOf: runId }))).toEqual({
    code: "conflict",
    message: `cannot retry run ${runId}: its input cannot be given again`,
    hint: "Retry a run that failed or was stopped, unless another run already has its input.",
    details: { runId, status: "completed" },
  });
});

test("a run of another agent, or of another session", async () => {
  const { runId } = await startRun(store, "s", "go", { agent: "other" });
  expect(await refusalOf(executeRun(store, new EchoAgent(), runId))).toEqual({
    code: "conflict",
    message: `cannot execute run ${runId}: it is for other, not for echo`,
    hint: undefined,
    details: { runId, agent: "other" },
  });
  await cancelRun(store, runId, { reason: "enough" });
  await startSession(store, { sessionId: "t" });
  expect(await refusalOf(startRun(store, "t", "go", { retryOf: runId }))).toMatchObject({
    code: "conflict",
    details: { runId, status: "cancelled" },
  });
  expect(await startRun(store, "s", "go", { retryOf: runId })).toMatchObject({
    status: "pending",
    metadata: { retryOf: runId },
  });
});

test("one run too many", async () => {
  const first = await startRun(store, "s", "one", { maxQueued: 1 });
  expect(await refusalOf(startRun(store, "s", "two", { maxQueued: 1 }))).toEqual({
    code: "too_many_runs",
    message: "1 run already waits for the session s",
    hint: "Try again after some of them have ended.",
    details: { sessionId: "s", limit: 1 },
  });
  expect(await startRun(store, "s", "two", { maxQueued: 2 })).toMatchObject({ status: "pending" });
  expect((await store.getRun(first.runId))?.status).toBe("pending");
});

test("a native turn of an agent without native sessions", async () => {
  const agent = new EchoAgent();
  const call = runOnce(store, agent, "go", { sessionId: "s", continuation: "native" });
  const reason = "there is no native session of echo yet";
  expect(await refusalOf(call)).toEqual({
    code: "native_unavailable",
    message: `cannot continue the session natively in echo: ${reason}`,
    hint: "Use the continuation `auto` or `replay`.",
    details: { sessionId: "s", agent: "echo", reason },
  });
});

test("a native turn of an agent that no longer supports native sessions", async () => {
  await runOnce(store, new ScriptedAgent({ native: "real" }), "one", { sessionId: "s" });
  const call = runOnce(store, new ScriptedAgent(), "two", { sessionId: "s", continuation: "native" });
  const { name } = new ScriptedAgent();
  expect((await refusalOf(call)).message).toBe(
    `cannot continue the session natively in ${name}: ${name} cannot continue a native session`,
  );
});

test("a run that no process waits with is interrupted with that reason", async () => {
  await store.createRun({ sessionId: "s", input: [{ type: "text", text: "go" }] });
  const wakeNow = () => wake(store, "s", { leaseMs: 1 });
  await expect.poll(async () => (await wakeNow()).interrupted.length).toBe(1);
  const { items } = await store.listRuns({ sessionId: "s" });
  const error = { code: "interrupted", message: "nobody waits with it any more" };
  expect(items).toMatchObject([{ status: "interrupted", error }]);
});
