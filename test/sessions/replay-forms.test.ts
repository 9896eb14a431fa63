/** A replay reports in which form the agent received it. */

import { type Agent, type AgentEvent, NO_CAPABILITIES } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { runOnce } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ScriptedAgent } from "../../packages/store/src/testing/index.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

/** The reason of the plan. */
const NO_NATIVE = "there is no native session of reporting yet";

test.each<[string, readonly NativeReport[], object]>([
  ["as a session", [{ replayedAs: "session" }], { replayedAs: "session" }],
  ["as text", [{ replayedAs: "text" }], { replayedAs: "text" }],
  ["in a form that the agent does not report", [{}], { replayedAs: undefined }],
  [
    "as a session, if the agent answers from another one",
    [{ replayedAs: "session" }, { ref: "n2", happened: "forked" }],
    { replayedAs: undefined, forked: { from: "n1", to: "n2" } },
  ],
  [
    "as text, also if the agent answers from another session",
    [{ replayedAs: "text" }, { ref: "n2", happened: "forked" }],
    { replayedAs: "text", forked: { from: "n1", to: "n2" } },
  ],
  [
    "as a session that it could not verify on disk",
    [
      { replayedAs: "session", verifiedBy: "agent and disk" },
      { happened: "resumed", reason: "it did not grow" },
    ],
    { replayedAs: "session", verifiedBy: "agent", reason: `${NO_NATIVE}; it did not grow` },
  ],
  [
    "as text, and why",
    [{ replayedAs: "text", reason: "a full disk" }],
    { replayedAs: "text", reason: `${NO_NATIVE}; a full disk` },
  ],
  ["as text, with a reason that is no text", [{ replayedAs: "text", reason: 7 }], { reason: NO_NATIVE }],
])("a replay reports that it reached the agent %s", async (_, reports, expected) => {
  const { sessionId } = await runOnce(store, new ScriptedAgent({ turns: [[{ say: "one" }]] }), "first");
  const { resumption } = await runOnce(store, reporting(reports), "second", { sessionId });
  expect({ replayedAs: undefined, ...resumption }).toMatchObject({ happened: "replay", ...expected });
});

test("a form of a replay is not reported for a turn that replays nothing", async () => {
  const { resumption } = await runOnce(store, reporting([{ replayedAs: "text" }]), "first");
  expect(resumption).toMatchObject({ happened: "new" });
  expect(resumption).not.toHaveProperty("replayedAs");
});

test("a native session whose verification fails after the turn is corrected in the result and in the log", async () => {
  const { sessionId } = await runOnce(store, reporting([{}]), "first");
  const reports = [
    { happened: "resumed", verifiedBy: "agent and disk" },
    { happened: "resumed", reason: "it did not grow" },
  ];
  const { resumption } = await runOnce(store, reporting(reports), "second", { sessionId });
  const corrected = { happened: "native", verifiedBy: "agent", reason: "it did not grow" };
  expect(resumption).toMatchObject(corrected);
  const resumed = (await store.read(sessionId)).events.filter(({ type }) => type === "session_resumed");
  expect(resumed.slice(1).map(({ data }) => data)).toMatchObject([
    { verifiedBy: "agent and disk" },
    corrected,
  ]);
});

interface NativeReport {
  readonly ref?: string;
  readonly verifiedBy?: string;
  readonly reason?: unknown;
  readonly happened?: string;
  readonly replayedAs?: string;
}

/** An agent that reports native sessions with these fields. */
function reporting(reports: readonly NativeReport[]): Agent {
  return {
    name: "reporting",
    capabilities: async () => ({ ...NO_CAPABILITIES, native: true }),
    async execute(_, { onEvent }) {
      for (const { ref: id = "n1", ...fields } of reports) {
        const ref = { agent: "reporting", sessionId: id, location: null, cwd: null };
        const event = { type: "native_session", ref, happened: "created", verifiedBy: "agent", ...fields };
        await onEvent(event as AgentEvent);
      }
      await onEvent({ type: "text", delta: "done" });
      return { stopReason: "end_turn" };
    },
  };
}
