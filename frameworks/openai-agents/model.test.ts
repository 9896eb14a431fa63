/** The SDK's own session in memory is the oracle: random calls to both, which must answer alike. */

import { isDeepStrictEqual } from "node:util";
import { type AgentInputItem, MemorySession, type SessionHistoryTransaction } from "@openai/agents-core";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Store } from "../../packages/core/src/model/index.ts";
import { ContinuoSession } from "../../packages/openai-agents/src/index.ts";
import { openStore } from "../../packages/store/src/store/index.ts";

const text = fc.constantFrom("why?", "", "ä 🙂", "$bytes");
const callId = fc.constantFrom("call 1", "call 2");
const call = fc.record({ callId, text }).map(({ callId: id, text: words }): AgentInputItem => {
  return {
    type: "function_call",
    callId: id,
    name: "look",
    arguments: JSON.stringify({ words }),
    status: "completed",
  };
});
const item: fc.Arbitrary<AgentInputItem> = fc.oneof(
  text.map((content): AgentInputItem => ({ role: "user", content })),
  text.map((words): AgentInputItem => {
    const content = [
      { type: "output_text" as const, text: words, providerData: { $plain: [1], $bytes: "AA==" } },
    ];
    return { type: "message", role: "assistant", status: "completed", content };
  }),
  { arbitrary: call, weight: 3 },
  fc.record({ callId, text }).map(({ callId: id, text: words }): AgentInputItem => {
    const output = { type: "text" as const, text: words };
    return { type: "function_call_result", callId: id, name: "look", status: "completed", output };
  }),
  text.map(
    (words): AgentInputItem => ({ type: "reasoning", content: [{ type: "input_text", text: words }] }),
  ),
);
const items = fc.array(item, { maxLength: 3 });
const operationId = fc.constantFrom("1", "2", "3", "4", "5", "6", "7", "8", "9", " ");

type ModelStep =
  | { readonly type: "add"; readonly items: AgentInputItem[] }
  | { readonly type: "append"; readonly items: AgentInputItem[]; readonly operationId: string }
  | {
      readonly type: "replace";
      readonly length: number;
      readonly wrong: boolean;
      readonly items: AgentInputItem[];
      readonly operationId: string;
    }
  | { readonly type: "again"; readonly back: number; readonly operationId: string | undefined }
  | { readonly type: "mutate"; readonly calls: AgentInputItem[] }
  | { readonly type: "get"; readonly limit: number | undefined }
  | { readonly type: "pop" }
  | { readonly type: "clear" }
  | { readonly type: "reopen" };

const step: fc.Arbitrary<ModelStep> = fc.oneof(
  { arbitrary: fc.record({ type: fc.constant("add" as const), items }), weight: 3 },
  { arbitrary: fc.record({ type: fc.constant("append" as const), items, operationId }), weight: 3 },
  {
    arbitrary: fc.record({
      type: fc.constant("replace" as const),
      length: fc.nat(4),
      wrong: fc.nat(3).map((chance) => chance === 0),
      items,
      operationId,
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      type: fc.constant("again" as const),
      back: fc.nat(3),
      operationId: fc.option(operationId, { nil: undefined }),
    }),
    weight: 3,
  },
  {
    arbitrary: fc.record({ type: fc.constant("mutate" as const), calls: fc.array(call, { maxLength: 2 }) }),
    weight: 3,
  },
  {
    arbitrary: fc.record({
      type: fc.constant("get" as const),
      limit: fc.option(fc.integer({ min: -1, max: 5 }), { nil: undefined }),
    }),
    weight: 2,
  },
  { arbitrary: fc.record({ type: fc.constant("pop" as const) }), weight: 2 },
  { arbitrary: fc.record({ type: fc.constant("reopen" as const) }), weight: 2 },
  // `clear` is rare, so that a history grows between two of them.
  { arbitrary: fc.record({ type: fc.constant("clear" as const) }), weight: 1 },
);

interface Operation {
  readonly operationId: string;
  readonly transaction: SessionHistoryTransaction;
}

/**
 * The operation of a step; `undefined` if the step is not a transaction. `made` has the operations of earlier steps.
 */
function operationOf(
  one: ModelStep,
  all: AgentInputItem[],
  made: readonly Operation[],
): Operation | undefined {
  if (one.type === "append") {
    return { operationId: one.operationId, transaction: { type: "append_items", items: one.items } };
  }
  if (one.type === "again") {
    const earlier = made.at(-1 - one.back);
    return earlier && { ...earlier, operationId: one.operationId ?? earlier.operationId };
  }
  if (one.type !== "replace") return undefined;
  const suffix = all.slice(Math.max(0, all.length - one.length));
  const expectedSuffix = one.wrong ? [...suffix, { role: "user" as const, content: "never said" }] : suffix;
  return {
    operationId: one.operationId,
    transaction: { type: "replace_suffix", expectedSuffix, replacement: one.items },
  };
}

async function answer(
  session: ContinuoSession | MemorySession,
  one: ModelStep,
  operation: Operation | undefined,
): Promise<unknown> {
  if (one.type === "add") return await session.addItems(one.items);
  if (one.type === "get") return await session.getItems(one.limit);
  if (one.type === "pop") return await session.popItem();
  if (one.type === "clear") return await session.clearSession();
  if (one.type === "mutate") {
    const calls = one.calls as Extract<AgentInputItem, { type: "function_call" }>[];
    const mutations = calls.map((replacement) => {
      return { type: "replace_function_call" as const, callId: replacement.callId, replacement };
    });
    return await session.applyHistoryMutations({ mutations });
  }
  if (operation === undefined) return undefined;
  try {
    return await session.applyHistoryTransaction(operation);
  } catch {
    return "refused";
  }
}

/** Counts the situations that the sequences met, so that the test fails if they hardly ever occur. */
const met = { refused: 0, repeated: 0, mutated: 0 };

async function compare(store: Store, sessionId: string, steps: readonly ModelStep[]): Promise<void> {
  const oracle = new MemorySession({ sessionId });
  const made: Operation[] = [];
  let ours = new ContinuoSession(store, { sessionId });
  for (const one of steps) {
    if (one.type === "reopen") ours = new ContinuoSession(store, { sessionId });
    const before = await oracle.getItems();
    const operation = operationOf(one, before, made);
    const expected = await answer(oracle, one, operation);
    expect([one, await answer(ours, one, operation)]).toEqual([one, expected]);
    const after = await oracle.getItems();
    expect([one, await ours.getItems()]).toEqual([one, after]);
    if (operation !== undefined) made.push(operation);
    if (expected === "refused") met.refused++;
    else if (one.type === "again" && operation !== undefined) met.repeated++;
    if (one.type === "mutate" && !isDeepStrictEqual(before, after)) met.mutated++;
  }
  expect(await new ContinuoSession(store, { sessionId }).getItems()).toEqual(await oracle.getItems());
}

test("random calls are answered as the SDK's own session answers them, also by another process", {
  timeout: 600_000,
}, async () => {
  await using store = await openStore("memory:");
  const rounds = Number(process.env.CONTINUO_ROUNDS ?? 300);
  let sessions = 0;
  await fc.assert(
    // A short sequence has no history that a step could change.
    fc.asyncProperty(fc.array(step, { minLength: 25, maxLength: 50 }), async (steps) => {
      await compare(store, `model ${++sessions}`, steps);
    }),
    { numRuns: rounds },
  );
  for (const count of Object.values(met)) expect([met, count > rounds / 2]).toEqual([met, true]);
});

test("bytes in an item come back as bytes", async () => {
  await using store = await openStore("memory:");
  const session = new ContinuoSession(store, { sessionId: "bytes" });
  const said = { role: "user", content: "", providerData: { raw: Uint8Array.from([0, 200]) } } as const;
  await session.addItems([{ ...said }]);
  expect(await new ContinuoSession(store, { sessionId: "bytes" }).getItems()).toEqual([said]);
});

test("an operation that several processes try at the same time is stored once", async () => {
  await using store = await openStore("memory:");
  const said: AgentInputItem[] = [{ role: "user", content: "once" }];
  const transaction = { type: "append_items" as const, items: said };
  const tries = Array.from({ length: 10 }, () => new ContinuoSession(store, { sessionId: "once" }));
  await Promise.all(
    tries.map((session) => session.applyHistoryTransaction({ operationId: "a", transaction })),
  );
  expect(await new ContinuoSession(store, { sessionId: "once" }).getItems()).toEqual(said);
});
