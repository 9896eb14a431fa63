import { TranscriptBuilder } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import { runOnce, startSession } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EchoAgent, type NativeKind, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { logOf } from "./harness/log.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

/** Returns the words that a model would read of the session. */
async function wordsIn(sessionId: string): Promise<string> {
  return JSON.stringify((await TranscriptBuilder.fromStore(store, sessionId)).messages);
}

describe("a turn that is refused before anything reaches the agent", () => {
  test("because the agent has no native session, has no message", async () => {
    const { sessionId } = await runOnce(store, new EchoAgent({ name: "other" }), "first");
    const agent = new ScriptedAgent({ native: "real" });
    const native = { sessionId, continuation: "native" } as const;
    await expect(runOnce(store, agent, "question", native)).rejects.toMatchObject({
      code: "native_unavailable",
    });
    await runOnce(store, agent, "question", { sessionId });
    expect(agent.given[0]?.transcript).toEqual(["user: first", "assistant: first"]);
    expect((await wordsIn(sessionId)).split("question")).toHaveLength(2);
    expect(await wordsIn(sessionId)).not.toContain("natively");
  });

  test.each<NativeKind>(["unavailable", "silent", "replacing"])(
    "by the agent (%s), has no message",
    async (kind) => {
      const { sessionId } = await runOnce(store, new ScriptedAgent({ native: "real" }), "first");
      const native = { sessionId, continuation: "native" } as const;
      await expect(
        runOnce(store, new ScriptedAgent({ native: kind }), "question", native),
      ).rejects.toMatchObject({ code: "native_unavailable" });
      const agent = new ScriptedAgent();
      await runOnce(store, agent, "question", { sessionId, continuation: "replay" });
      expect(agent.given[0]?.transcript).toEqual(["user: first", "assistant: done"]);
      expect((await wordsIn(sessionId)).split("question")).toHaveLength(2);
    },
  );

  test("a second turn by replay receives its input once", async () => {
    const { sessionId } = await runOnce(store, new ScriptedAgent({ native: "real" }), "first");
    const agent = new ScriptedAgent({ native: "silent" });
    expect(await runOnce(store, agent, "question", { sessionId })).toMatchObject({ status: "completed" });
    expect((await wordsIn(sessionId)).split("question")).toHaveLength(2);
  });
});

describe("a native turn that fails", () => {
  test.each([true, false])(
    "keeps its input, whether it was confirmed before (%s) or not",
    async (confirmed) => {
      const { sessionId } = await runOnce(store, new ScriptedAgent({ native: "real" }), "first");
      const agent = new ScriptedAgent({ native: "real", turns: [[{ fail: "broken" }]] });
      const broken = confirmed
        ? agent
        : {
            ...agent,
            name: agent.name,
            capabilities: agent.capabilities.bind(agent),
            execute: () => Promise.reject(new Error("broken")),
          };
      await runOnce(store, broken, "question", { sessionId });
      expect((await wordsIn(sessionId)).split("question")).toHaveLength(2);
    },
  );
});

describe("native, if there are no messages yet", () => {
  test("begins a session, natively from then on", async () => {
    const agent = new ScriptedAgent({ native: "real" });
    const first = await runOnce(store, agent, "one", { continuation: "native" });
    expect(first).toMatchObject({
      status: "completed",
      resumption: { requested: "native", happened: "new" },
    });
    const { sessionId } = first;
    const second = await runOnce(store, agent, "two", { sessionId, continuation: "native" });
    expect(second).toMatchObject({ status: "completed", resumption: { happened: "native" } });
    expect(agent.given[1]).toMatchObject({ transcript: null });
  });

  test("is still an error for an agent that has no native sessions", async () => {
    const { sessionId } = await startSession(store);
    const options = { sessionId, continuation: "native" } as const;
    await expect(runOnce(store, new EchoAgent(), "one", options)).rejects.toMatchObject({
      code: "native_unavailable",
    });
    expect((await logOf(store, sessionId)).map(([type]) => type)).toEqual([
      "session_created",
      "run_created",
      "run_started",
      "run_failed",
    ]);
  });
});
