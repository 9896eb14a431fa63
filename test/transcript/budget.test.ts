/** A transcript within a budget costs only what fits the budget, however long the log is. */

import type { NewEvent, ReadOptions } from "@continuo/core/model";
import { planContext, TranscriptBuilder, type TranscriptSource } from "@continuo/core/transcript";
import { type OpenedStore, openStore } from "@continuo/store";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { rounds } from "../sizes/counts.ts";

const { fromStore, updateFromStore } = TranscriptBuilder;

const SIZES = [2_000, 10_000];

let store: OpenedStore;
/** The log of each size. */
const logs = new Map<number, string>();
beforeAll(async () => {
  store = await openStore("memory:");
  for (const size of SIZES) {
    const messages = Array.from({ length: size - 1 }, (_, at) => said(`message ${at}`));
    logs.set(size, await newLog([SYSTEM, ...messages]));
  }
});
afterAll(() => store.close());

async function newLog(events: readonly NewEvent[]): Promise<string> {
  const { logId } = await store.createLog();
  for (let at = 0; at < events.length; at += 2_000) await store.append(logId, events.slice(at, at + 2_000));
  return logId;
}

const said = (content: string): NewEvent => ({ type: "message_sent", data: { content } });
const SYSTEM: NewEvent = { type: "message_sent", data: { role: "system", content: "be kind" } };

/** Counts the calls to the store, and the events that they return. */
function counting(): { readonly source: TranscriptSource; readonly cost: { reads: number; events: number } } {
  const cost = { reads: 0, events: 0 };
  const source: TranscriptSource = {
    latestSequence: (id) => store.latestSequence(id),
    async read(id: string, options?: ReadOptions) {
      const page = await store.read(id, options);
      cost.reads++;
      cost.events += page.events.length;
      return page;
    },
  };
  return { source, cost };
}

const BUDGETS = [{ maxMessages: 10 }, { maxChars: 400 }, { maxTokensApprox: 100 }] as const;

describe.each(BUDGETS)("a transcript within %j", (budget) => {
  test("reads as much of a log of 10,000 events as of one of 2,000, and equals the context of the whole", async () => {
    const costs: unknown[] = [];
    for (const [count, logId] of logs) {
      const { source, cost } = counting();
      const transcript = await fromStore(source, logId, budget);
      const whole = planContext((await fromStore(store, logId)).messages, budget);
      expect(transcript.messages).toEqual(whole.messages);
      expect(transcript.messages[0]).toMatchObject({ role: "system" });
      expect(transcript.lastSequence).toBe(count);
      const { omitted, older, events } = transcript.metadata;
      const told = transcript.messages.length;
      expect(omitted).toMatchObject({ events: count - told, firstSequence: 1 });
      expect((older?.events ?? 0) + events).toBe(count);
      costs.push(cost);
    }
    expect(costs[1]).toEqual(costs[0]);
  });
});

test("an update of a transcript within a budget reads only what is new", async () => {
  const logId = await newLog([SYSTEM, ...Array.from({ length: 1_000 }, (_, at) => said(`message ${at}`))]);
  const budget = { maxMessages: 4 };
  const transcript = await fromStore(store, logId, budget);
  await store.append(logId, [said("new"), said("newer")]);
  const { source, cost } = counting();
  const updated = await updateFromStore(source, JSON.parse(JSON.stringify(transcript)), budget);
  expect(cost).toEqual({ reads: 1, events: 2 });
  expect(updated.messages).toEqual((await fromStore(store, logId, budget)).messages);
  expect(updated.metadata.older).toEqual(transcript.metadata.older);
});

test.each([{ limit: 5 }, { maxMessages: 5 }])(
  "of a part of a log, %j reads what is newest in that part",
  async (end) => {
    const logId = logs.get(2_000) ?? "";
    const sequences = async (options: object): Promise<readonly unknown[]> =>
      (await fromStore(store, logId, options)).messages.map(({ metadata }) => metadata.sequence);
    expect((await sequences({ ...end, upTo: 20 })).slice(-4)).toEqual([17, 18, 19, 20]);
    expect(await sequences({ ...end, after: 17, upTo: 20 })).toEqual([18, 19, 20]);
  },
);

test("a strategy that chooses from the whole log reads all of it", async () => {
  const options = { maxMessages: 2, strategy: "oldest-page" } as const;
  const { messages } = await fromStore(store, logs.get(2_000) ?? "", options);
  expect(messages.map(({ metadata }) => metadata.sequence)).toEqual([1, 2]);
});

/**
 * Makes the events of one turn: messages, parts of an answer, calls with their results, and events that are not
 * messages.
 */
const turn = fc.array(fc.constantFrom("said", "streamed", "received", "called", "noted", "failed"), {
  minLength: 1,
  maxLength: 6,
});

function eventsOf(kinds: readonly string[], at: number): readonly NewEvent[] {
  const runId = `r${at}`;
  const messageId = `m${at}`;
  return kinds.flatMap((kind, step): NewEvent[] => {
    const toolCallId = `c${at}-${step}`;
    const words = `${kind} ${at} ${step}`;
    if (kind === "said") return [{ ...said(words), runId }];
    if (kind === "streamed") return [{ type: "message_streamed", data: { delta: words, messageId }, runId }];
    if (kind === "received")
      return [{ type: "message_received", data: { content: words, messageId }, runId }];
    if (kind === "noted") return [{ type: "diagnostics_reported", data: {}, runId }];
    if (kind === "failed") return [{ type: "run_failed", data: { runId, error: { message: words } }, runId }];
    return [
      { type: "tool_call_started", data: { toolCallId, toolName: "Bash", toolInput: { words } }, runId },
      { type: "tool_call_completed", data: { toolCallId, toolOutput: words }, runId },
    ];
  });
}

test("a transcript within a budget has the messages of the whole log within that budget", async () => {
  const budget = fc.oneof(
    fc.nat(400).map((maxMessages) => ({ maxMessages })),
    fc.nat(20_000).map((maxChars) => ({ maxChars })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(turn, { minLength: 20, maxLength: 40 }), budget, async (turns, within) => {
      const many = Array.from({ length: 8 }, () => turns).flat();
      const logId = await newLog([SYSTEM, ...many.flatMap(eventsOf)]);
      const whole = await fromStore(store, logId);
      const { messages } = await fromStore(store, logId, within);
      expect(messages).toEqual(planContext(whole.messages, within).messages);
    }),
    { numRuns: rounds(32) },
  );
});
