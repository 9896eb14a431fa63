/** Runs of continuous sessions, as the session manager ends them. */

import type { AgentResult } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";
import { runTurn } from "./batches.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
  await store.createSession({ sessionId: "s" });
});
afterEach(() => store.close());

async function turn(end: () => Promise<AgentResult>): Promise<void> {
  const input = "Write what is open.";
  const { signal } = new AbortController();
  await runTurn({ store, sessionId: "s", beside: null, name: "writer", input, signal, turn: end });
}

test.each(["stop", "max_steps"])(
  "a turn that ends with %s is done, and its run completed",
  async (stopReason) => {
    await turn(async () => ({ stopReason }));
    expect((await store.listRuns({ sessionId: "s" })).items).toMatchObject([
      { status: "completed", result: { stopReason } },
    ]);
  },
);

test("a turn that fails rejects with the error of its writer", async () => {
  const failing = turn(() => Promise.reject(new Error("no power")));
  await expect(failing).rejects.toMatchObject({
    code: "agent_failed",
    message: "writer failed: no power",
    details: { status: "failed" },
  });
});
