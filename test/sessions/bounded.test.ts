/**
 * A bounded replay reads only the events that fit its limit, however long the log is, and the cost of a run does not
 * grow with earlier runs.
 */

import type { NewEvent, Store, StoredEvent } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { executeRun, runOnce, startRun, startSession } from "@continuo/store/sessions";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { EchoAgent, ScriptedAgent } from "../../packages/store/src/testing/index.ts";
import { withCalls } from "../intercepted.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(() => store.close());

async function longSession(events: number, first: readonly NewEvent[] = []): Promise<string> {
  const { sessionId } = await startSession(store);
  if (first.length > 0) await store.append(sessionId, first);
  for (let at = 0; at < events; at += 2_000) {
    const batch = Array.from({ length: Math.min(2_000, events - at) }, (_, index): NewEvent => {
      const content = `message ${at + index}`;
      return index % 2 === 0
        ? { type: "message_sent", data: { content } }
        : { type: "message_received", data: { content } };
    });
    await store.append(sessionId, batch);
  }
  return sessionId;
}

interface Cost {
  events: number;
  calls: number;
}

/** Counts the calls to the store, and the events that they return. */
function counting(): { readonly store: Store; readonly cost: Cost } {
  const cost: Cost = { events: 0, calls: 0 };
  const counted = withCalls(store, ({ method, proceed }) => {
    if (method === "tail") return proceed();
    cost.calls++;
    return Promise.resolve(proceed()).then((result) => {
      if (method === "read") cost.events += (result as { events: readonly StoredEvent[] }).events.length;
      return result;
    });
  });
  return { store: counted, cost };
}

const BUDGETS = [{ maxMessages: 10 }, { maxChars: 400 }, { maxTokensApprox: 100 }] as const;

describe.each(BUDGETS)("a replay within %j", (continuationOpts) => {
  test("reads as many events of a log of 20,000 as of one of 2,000, and returns the newest", async () => {
    const costs: number[] = [];
    for (const events of [2_000, 20_000]) {
      const sessionId = await longSession(events);
      const counted = counting();
      const agent = new ScriptedAgent();
      const result = await runOnce(counted.store, agent, "go", { sessionId, continuationOpts });
      expect(agent.given[0]?.transcript?.at(-1)).toBe(`assistant: message ${events - 1}`);
      // `session_created` was not read either.
      const { omitted } = result.resumption ?? {};
      const told = agent.given[0]?.transcript?.length ?? 0;
      expect(omitted).toMatchObject({ events: events + 1 - told, firstSequence: 1 });
      costs.push(counted.cost.events);
    }
    expect(costs[1]).toBe(costs[0]);
    expect(costs[0]).toBeLessThan(1_600);
  });
});

test("a bounded replay of a long log includes the instructions from its beginning", async () => {
  const system = { type: "message_sent", data: { role: "system", content: "be kind" } };
  const sessionId = await longSession(20_000, [system]);
  const agent = new ScriptedAgent();
  await runOnce(store, agent, "go", { sessionId, continuationOpts: { maxMessages: 3 } });
  expect(agent.given[0]?.transcript).toEqual([
    "system: be kind",
    "user: message 19998",
    "assistant: message 19999",
  ]);
});

test("a bounded replay continues to read while there is room, because calls and results do not fill a budget", async () => {
  const { sessionId } = await startSession(store);
  await store.append(sessionId, [{ type: "message_sent", data: { content: "first" } }]);
  const noise = Array.from({ length: 3_000 }, (): NewEvent => ({ type: "diagnostics_reported", data: {} }));
  await store.append(sessionId, noise);
  await store.append(sessionId, [{ type: "message_received", data: { content: "last" } }]);
  const agent = new ScriptedAgent();
  await runOnce(store, agent, "go", { sessionId, continuationOpts: { maxMessages: 10 } });
  expect(agent.given[0]?.transcript).toEqual(["user: first", "assistant: last"]);
});

test("a hundred interrupted runs whose input was tried again add no cost to the next run", async () => {
  const costs: number[] = [];
  for (const count of [1, 100]) {
    const { sessionId } = await startSession(store);
    let retryOf: string | undefined;
    for (let at = 0; at < count; at++) {
      const again: { readonly retryOf?: string } = retryOf === undefined ? {} : { retryOf };
      const { runId } = await startRun(store, sessionId, "go", again);
      await store.transitionRun(runId, { to: "interrupted" });
      retryOf ??= runId;
    }
    await runOnce(store, new EchoAgent(), "go", { sessionId, ...(retryOf === undefined ? {} : { retryOf }) });
    const counted = counting();
    await runOnce(counted.store, new EchoAgent(), "next", { sessionId, continuation: false });
    costs.push(counted.cost.calls);
  }
  expect(costs[1]).toBe(costs[0]);
});

test("a bounded replay of a session with a hundred interrupted runs makes as many calls to the store as with ten", async () => {
  const costs: number[] = [];
  for (const count of [10, 100]) {
    const { sessionId } = await startSession(store);
    for (let at = 0; at < count; at++) {
      const { runId } = await startRun(store, sessionId, "go");
      await store.append(
        sessionId,
        [
          { type: "run_started", data: { runId }, runId },
          { type: "message_sent", data: { content: "go" }, runId },
          { type: "run_interrupted", data: { runId, reason: "gone" }, runId },
        ],
        { also: [{ type: "run", runId, to: "interrupted" }] },
      );
    }
    const counted = counting();
    const continuationOpts = { maxMessages: 5 };
    await runOnce(counted.store, new ScriptedAgent(), "next", { sessionId, continuationOpts });
    costs.push(counted.cost.calls);
  }
  expect(costs[1]).toBe(costs[0]);
});

test("the continuation `native` makes as many calls to the store after a hundred turns of another agent as after ten", async () => {
  const costs: number[] = [];
  for (const count of [10, 100]) {
    const agent = new ScriptedAgent({ native: "real" });
    const { sessionId } = await runOnce(store, agent, "first");
    for (let at = 0; at < count; at++) {
      await runOnce(store, new EchoAgent(), `turn ${at}`, { sessionId, continuation: false });
    }
    const counted = counting();
    const options = { sessionId, continuation: "native" } as const;
    const { resumption } = await runOnce(counted.store, agent, "next", options);
    expect(resumption?.happened).toBe("native");
    expect(agent.given.at(-1)?.transcript).toHaveLength(2 * count);
    costs.push(counted.cost.calls);
  }
  expect(costs[1]).toBe(costs[0]);
});

test("a run of the echo agent makes few calls to the store", async () => {
  const { sessionId } = await startSession(store);
  const { store: counted, cost } = counting();
  const { runId } = await startRun(store, sessionId, "go");
  await executeRun(counted, new EchoAgent(), runId);
  // The calls are: the run (2), its lease, the queue, the session, its place in the queue (2), and three appends.
  expect(cost.calls).toBe(10);
});
