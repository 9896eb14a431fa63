import type { Agent, AgentEvent, AgentResult, StoredEvent } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { runOnce, startSession, wake } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CANNOT } from "../../packages/store/src/testing/agents/capabilities.ts";
import { eventsOf, logOf, words } from "./harness/log.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

/** An agent in plain JavaScript, which may send, return or throw any value. */
function agentThat(execute: (tell: (event: unknown) => Promise<void>) => unknown): Agent {
  return {
    name: "odd",
    capabilities: () => Promise.resolve(CANNOT),
    execute: async (_, { onEvent }) =>
      (await execute((event) => onEvent(event as AgentEvent))) as AgentResult,
  };
}

const HUGE = "x".repeat(34_000_000);

function deep(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = [value];
  return value;
}

function eventsNamed(events: readonly StoredEvent[], type: string): readonly StoredEvent[] {
  return events.filter((event) => event.type === type);
}

type OddCase = readonly [what: string, status: string, fields: readonly string[], agent: Agent];

const REF = { agent: "odd", sessionId: "n", location: null, cwd: null };

const ODD: readonly OddCase[] = [
  ["a value of 34 MB", "completed", ["value"], agentThat(() => ({ value: HUGE }))],
  ["a value nested too deep", "completed", ["value"], agentThat(() => ({ value: deep(1_200) }))],
  ["a value that holds a bigint", "completed", ["value"], agentThat(() => ({ value: { n: 1n } }))],
  ["a stop reason of 34 MB", "completed", ["stopReason"], agentThat(() => ({ stopReason: HUGE }))],
  ["a stop reason that is not a text", "completed", ["stopReason"], agentThat(() => ({ stopReason: [1n] }))],
  [
    "a reference with a bigint",
    "completed",
    ["nativeRef"],
    agentThat(() => ({ nativeRef: { ...REF, cwd: 1n } })),
  ],
  ["a reference with no id", "completed", ["nativeRef"], agentThat(() => ({ nativeRef: { agent: "odd" } }))],
  ["a reference that is not an object", "completed", ["nativeRef"], agentThat(() => ({ nativeRef: "n" }))],
  [
    "a reference of 34 MB",
    "completed",
    ["nativeRef"],
    agentThat(() => ({ nativeRef: { ...REF, sessionId: HUGE } })),
  ],
  [
    "usage that is not a number",
    "completed",
    ["usage"],
    agentThat(() => ({ usage: { inputTokens: 1n, outputTokens: HUGE } })),
  ],
  ["a cost that is not a number", "completed", ["costUsd"], agentThat(() => ({ costUsd: 1n }))],
  [
    "an error of 34 MB",
    "failed",
    ["error"],
    agentThat(() => {
      throw new Error(HUGE);
    }),
  ],
  ["a result that is not an object", "completed", [], agentThat(() => "done")],
  [
    "a stop reason of 34 MB, sent before the end",
    "completed",
    ["stopReason"],
    agentThat(async (tell) => {
      await tell({ type: "turn_completed", stopReason: "end_turn" });
      return { stopReason: HUGE };
    }),
  ],
  [
    "a model of 34 MB",
    "completed",
    ["model"],
    agentThat(async (tell) => {
      await tell({ type: "message", content: [{ type: "text", text: "hi" }] });
      await tell({ type: "mode", model: HUGE }).catch(() => undefined);
      return {};
    }),
  ],
];

describe("a run whose agent returns", () => {
  test.each(ODD)("%s ends, and its log reports what is missing", async (_, status, fields, agent) => {
    const { sessionId } = await startSession(store);
    const result = await runOnce(store, agent, "go", { sessionId });
    const events = await eventsOf(store, sessionId);
    expect(result.run.status).toBe(result.status);
    const missing = eventsNamed(events, "error_raised").map(
      ({ data }) => (data as ErrorRaised).details.field,
    );
    if (fields[0] === "model") expect(result.status).toBe("failed");
    else expect([result.status, missing]).toEqual([status, fields]);
    expect((await wake(store, sessionId)).interrupted).toEqual([]);
    expect(JSON.stringify(result).length).toBeLessThan(200_000);
  });
});

interface ErrorRaised {
  readonly details: { readonly field: string };
}

const ODD_EVENTS: readonly (readonly [string, unknown])[] = [
  ["content that is empty", { type: "message", content: [null] }],
  ["content that is not a list", { type: "message", content: 7 }],
  ["missing content", { type: "message" }],
  ["an empty result", { type: "tool_result", toolCallId: "c", content: [null], status: "ok" }],
  ["a message of 50 MB", { type: "message", content: [{ type: "text", text: "x".repeat(50_000_000) }] }],
  ["nothing", null],
];

test.each(ODD_EVENTS)("a run whose agent sends %s ends", async (_, event) => {
  const { sessionId } = await startSession(store);
  const agent = agentThat(async (tell) => {
    await tell(event).catch(() => undefined);
    return {};
  });
  const result = await runOnce(store, agent, "go", { sessionId });
  expect(["completed", "failed"]).toContain(result.status);
  expect(result.run.status).toBe(result.status);
  expect((await wake(store, sessionId)).interrupted).toEqual([]);
});

test.each<[string, () => unknown, string]>([
  [
    "a number that JSON has not",
    () => Object.assign(Object.create(null), { big: 1n }),
    "a value that cannot be converted to text (object)",
  ],
  [
    "lists within lists",
    () => {
      let deep: unknown[] = [];
      for (let level = 0; level < 100_000; level++) deep = [deep];
      return deep;
    },
    "cannot store this value: it is nested deeper than 1000 levels",
  ],
])("an agent that returns %s completes its run", async (_, value, unreadable) => {
  const { status, run } = await runOnce(
    store,
    agentThat(() => ({ value: value() })),
    "go",
  );
  expect([status, run.result]).toEqual(["completed", { value: { unreadable } }]);
});

test("a complete message ends another message that is still open", async () => {
  const agent = agentThat(async (tell) => {
    await tell({ type: "text", delta: "I loo", messageId: "a" });
    await tell({ type: "message", content: words("Found."), messageId: "b" });
    return {};
  });
  const { sessionId } = await runOnce(store, agent, "go");
  const received = (await logOf(store, sessionId)).filter(([type]) => type === "message_received");
  expect(received.map(([, , data]) => data)).toEqual([
    { content: words("I loo"), messageId: "a" },
    { content: words("Found."), messageId: "b" },
  ]);
});
