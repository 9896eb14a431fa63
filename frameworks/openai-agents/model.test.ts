/** The SDK's own session in memory is the oracle: random calls to both, which must answer alike. */

import { type AgentInputItem, MemorySession, type SessionHistoryTransaction } from "@openai/agents-core";
import fc from "fast-check";
import { expect, test } from "vitest";
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
  call,
  fc.record({ callId, text }).map(({ callId: id, text: words }): AgentInputItem => {
    const output = { type: "text" as const, text: words };
    return { type: "function_call_result", callId: id, name: "look", status: "completed", output };
  }),
  text.map(
    (words): AgentInputItem => ({ type: "reasoning", content: [{ type: "input_text", text: words }] }),
  ),
);
const items = fc.array(item, { maxLength: 3 });
const operationId = fc.constantFrom("one", "two", "three", "four", " ");

type Step =
  | { readonly type: "add"; readonly items: AgentInputItem[] }
  | { readonly type: "append"; readonly items: AgentInputItem[]; readonly operationId: string }
  | {
      readonly type: "replace";
      readonly length: number;
      readonly wrong: boolean;
      readonly items: AgentInputItem[];
      readonly operationId: string;
    }
  | { readonly type: "mutate"; readonly calls: AgentInputItem[] }
  | { readonly type: "get"; readonly limit: number | undefined }
  | { readonly type: "pop" }
  | { readonly type: "clear" }
  | { readonly type: "reopen" };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ type: fc.constant("add" as const), items }),
  fc.record({ type: fc.constant("append" as const), items, operationId }),
  fc.record({
    type: fc.constant("replace" as const),
    length: fc.nat(4),
    wrong: fc.boolean(),
    items,
    operationId,
  }),
  fc.record({ type: fc.constant("mutate" as const), calls: fc.array(call, { maxLength: 2 }) }),
  fc.record({
    type: fc.constant("get" as const),
    limit: fc.option(fc.integer({ min: -1, max: 5 }), { nil: undefined }),
  }),
  fc.record({ type: fc.constant("pop" as const) }),
  fc.record({ type: fc.constant("reopen" as const) }),
  fc.record({ type: fc.constant("clear" as const) }),
);

async function answer(session: ContinuoSession | MemorySession, one: Step): Promise<unknown> {
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
  if (one.type === "reopen") return undefined;
  const all = await session.getItems();
  const suffix = one.type === "replace" ? all.slice(Math.max(0, all.length - one.length)) : [];
  const transaction: SessionHistoryTransaction =
    one.type === "append"
      ? { type: "append_items", items: one.items }
      : {
          type: "replace_suffix",
          expectedSuffix: one.wrong ? [...suffix, { role: "user", content: "never said" }] : suffix,
          replacement: one.items,
        };
  try {
    return await session.applyHistoryTransaction({ operationId: one.operationId, transaction });
  } catch {
    return "refused";
  }
}

test("random calls are answered as the SDK's own session answers them, also by another process", {
  timeout: 300_000,
}, async () => {
  await using store = await openStore("memory:");
  let sessions = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const sessionId = `model ${++sessions}`;
      const oracle = new MemorySession({ sessionId });
      let ours = new ContinuoSession(store, { sessionId });
      for (const one of steps) {
        if (one.type === "reopen") ours = new ContinuoSession(store, { sessionId });
        expect([one, await answer(ours, one)]).toEqual([one, await answer(oracle, one)]);
        expect(await ours.getItems()).toEqual(await oracle.getItems());
      }
      expect(await new ContinuoSession(store, { sessionId }).getItems()).toEqual(await oracle.getItems());
    }),
    { numRuns: Number(process.env.CONTINUO_ROUNDS ?? 300) },
  );
});

test("bytes in an item come back as bytes", async () => {
  await using store = await openStore("memory:");
  const session = new ContinuoSession(store, { sessionId: "bytes" });
  const said = { role: "user", content: "", providerData: { raw: Uint8Array.from([0, 200]) } } as const;
  await session.addItems([{ ...said }]);
  expect(await new ContinuoSession(store, { sessionId: "bytes" }).getItems()).toEqual([said]);
});

test("of one operation that many try at the same time, one is stored", async () => {
  await using store = await openStore("memory:");
  const said: AgentInputItem[] = [{ role: "user", content: "once" }];
  const transaction = { type: "append_items" as const, items: said };
  const tries = Array.from({ length: 10 }, () => new ContinuoSession(store, { sessionId: "once" }));
  await Promise.all(
    tries.map((session) => session.applyHistoryTransaction({ operationId: "a", transaction })),
  );
  expect(await new ContinuoSession(store, { sessionId: "once" }).getItems()).toEqual(said);
});
