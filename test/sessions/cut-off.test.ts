/** The input of a killed process is sent again by a caller that knows only its text. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Run, StoredEvent } from "@continuo/core/model";
import { TranscriptBuilder } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import { findCutOff, runOnce, startRun, startSession, wake } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { bundledProgram } from "../sizes/shared-programs.ts";
import { eventsOf, words } from "./harness/log.ts";

const STARTER = await bundledProgram("test/sessions/processes/starter.ts");

let store: OpenedStore;
let sessionId: string;
beforeEach(async () => {
  store = await openStore("memory:");
  ({ sessionId } = await startSession(store));
});
afterEach(() => store.close());

/** Makes a run like one whose process ended in the middle of it. */
async function leftRunning(input: string): Promise<Run> {
  const run = await startRun(store, sessionId, input);
  const { runId } = run;
  const actor = { kind: "person" } as const;
  const said = { type: "message_sent", data: { content: words(input) }, runId, actor };
  await store.append(sessionId, [{ type: "run_started", data: { runId }, runId }, said], {
    also: [{ type: "run", runId, to: "running", patch: { owner: "gone" } }],
  });
  return run;
}

/** Makes a waiting run whose process was killed after it started the run. */
async function leftWaiting(input: string): Promise<string> {
  const child = spawn(process.execPath, [STARTER], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const { actor } = JSON.parse(line.toString()) as Pick<StoredEvent, "actor">;
  const runId = `elsewhere-${input}`;
  const run = { runId, input: words(input) };
  await store.append(sessionId, [{ type: "run_created", data: run, runId, actor }], {
    also: [{ type: "new_run", run }],
  });
  child.kill("SIGKILL");
  await once(child, "exit");
  return runId;
}

async function peopleSaid(): Promise<readonly unknown[]> {
  const { messages } = await TranscriptBuilder.fromStore(store, sessionId);
  return messages
    .filter(({ role, origin }) => role === "user" && origin === "person")
    .map(({ content: [first] }) => (first as { readonly text: string }).text);
}

test("each of several interrupted inputs is found by its text, and is stored once after it was tried again", async () => {
  for (const input of ["one", "two"]) await leftRunning(input);
  await runOnce(store, new EchoAgent(), "between", { sessionId });
  for (const input of ["one", "two"]) {
    const found = await findCutOff(store, sessionId, input);
    expect(found).toMatchObject({ input: words(input) });
    await runOnce(store, new EchoAgent(), input, { sessionId, retryOf: found?.runId ?? "" });
    expect(await findCutOff(store, sessionId, input)).toBeNull();
  }
  expect((await peopleSaid()).toSorted()).toEqual(["between", "one", "two"]);
  expect((await wake(store, sessionId)).unprocessed).toEqual([]);
});

test("the input of a waiting run whose process was killed is found while another process runs the session", async () => {
  const runId = await leftWaiting("mine");
  const found: unknown[] = [];
  const agent = new ScriptedAgent({
    turns: [[{ hook: "look" }, { say: "done" }]],
    hooks: {
      look: async () => {
        found.push(await findCutOff(store, sessionId, "mine"), await findCutOff(store, sessionId, "theirs"));
      },
    },
  });
  // No caller waits for a lease of a process that ended.
  expect(await runOnce(store, agent, "theirs", { sessionId })).toMatchObject({ status: "completed" });
  expect(found).toMatchObject([{ runId, input: words("mine") }, null]);
  await runOnce(store, new EchoAgent(), "mine", { sessionId, retryOf: runId });
  expect((await peopleSaid()).toSorted()).toEqual(["mine", "theirs"]);
});

test("the call waits for a run that another process is about to end as interrupted", async () => {
  const { runId } = await leftRunning("mine");
  const lease = await store.acquireLease(`session/${sessionId}`, { owner: "another", ttlMs: 30_000 });
  const finding = findCutOff(store, sessionId, "mine");
  expect(await Promise.race([finding, new Promise((resolve) => setTimeout(resolve, 100, "waits"))])).toBe(
    "waits",
  );
  await store.append(sessionId, [{ type: "run_interrupted", data: { runId, reason: "gone" }, runId }], {
    lease,
    also: [{ type: "run", runId, to: "interrupted" }],
  });
  expect(await finding).toMatchObject({ runId });
});

test("the input of a live run, of an answered run and of a too old run is not found", async () => {
  const agent = new ScriptedAgent({
    turns: [[{ hook: "look" }, { say: "done" }]],
    hooks: { look: async () => expect(await findCutOff(store, sessionId, "alive")).toBeNull() },
  });
  await runOnce(store, agent, "alive", { sessionId });
  expect(await findCutOff(store, sessionId, "alive")).toBeNull();
  await leftRunning("old");
  expect(await findCutOff(store, sessionId, "old", { sinceMs: Date.now() + 60_000 })).toBeNull();
  expect(await findCutOff(store, sessionId, "old")).not.toBeNull();
  expect((await eventsOf(store, sessionId)).filter(({ type }) => type === "run_interrupted")).toHaveLength(1);
});

test("of several inputs with the same text the newest is found, if it is new enough", async () => {
  const sinceMs = Date.now() - 60_000;
  await leftRunning("same");
  const { runId } = await leftRunning("same");
  expect(await findCutOff(store, sessionId, "same")).toMatchObject({ runId });
  expect(await findCutOff(store, sessionId, "same", { sinceMs })).toMatchObject({ runId });
});
