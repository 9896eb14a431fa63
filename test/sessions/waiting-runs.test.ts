/** Runs that have the lease of their session, and wait for something else before they begin. */

import { join } from "node:path";
import { openStore } from "@continuo/store";
import { cancelRun, executeRun, startRun, startSession } from "@continuo/store/sessions";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

test("a run that waits before it begins is cancelled from another process, and its agent is not called", async () => {
  const url = `sqlite:${join(scratchFolder("waiting-runs"), "store.db")}`;
  await using store = await openStore(url);
  const { sessionId } = await startSession(store);
  const { runId } = await startRun(store, sessionId, "go", { agent: "echo" });
  await store.claimNextRun({ owner: "worker", agents: ["echo"] });
  const waits = Promise.withResolvers<void>();
  let called = 0;
  const agent = { name: "echo", execute: async () => ({ value: ++called }) };
  const running = executeRun(store, agent, runId, {
    claimedBy: "worker",
    ready: (signal) => {
      waits.resolve();
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
  });
  await waits.promise;
  const other = await openStore(url);
  await cancelRun(other, runId, { reason: "not needed" });
  await other.close();
  expect(await running).toMatchObject({ status: "cancelled", run: { status: "cancelled" } });
  expect(called).toBe(0);
  const { events } = await store.read(sessionId, { types: ["run_cancelled"] });
  expect(events.map(({ data }) => data)).toEqual([{ runId, reason: "not needed" }]);
});
