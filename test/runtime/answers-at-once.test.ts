/** Two people answer one question at the same moment: one answer counts, and the other person gets a conflict. */

import { setTimeout as pause } from "node:timers/promises";
import type { Store } from "@continuo/core/model";
import { type OpenedStore, openStore } from "@continuo/store";
import { startRun } from "@continuo/store/sessions";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ApprovalDesk } from "../../packages/server/src/runtime/approvals.ts";

let store: OpenedStore;
beforeEach(async () => {
  store = await openStore("memory:");
});
afterEach(async () => {
  await store.close();
});

/** A store in which the writes of answers and of ended questions wait until this number of them has begun. */
function together(count: number): Store {
  const { promise, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const isOfAnswer = (given: unknown[]): boolean =>
    /"(?:granted|denied|cancelled)"/u.test(JSON.stringify(given));
  return new Proxy(store as Store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      if (name !== "append" && name !== "putClaim") return value.bind(target);
      return async (...given: unknown[]) => {
        if (isOfAnswer(given)) {
          begun += 1;
          if (begun === count) resolve();
          await promise;
          // The end of a question is written after its answer.
          if (name === "putClaim") await pause(20);
        }
        return await Reflect.apply(value, target, given);
      };
    },
  });
}

async function askedBy(desk: ApprovalDesk, signal: AbortSignal): Promise<string> {
  await store.createSession({ sessionId: "s" });
  const run = await startRun(store, "s", "refund it", { agent: "desk" });
  const request = {
    approvalId: "q",
    toolName: "refund",
    toolInput: { order: "7" },
    readOnly: false,
    options: [],
  };
  desk
    .forRun(run)
    .ask(request, { signal })
    .catch(() => undefined);
  await expect.poll(async () => (await desk.list({ status: "open" })).length).toBe(1);
  return (await desk.list({ status: "open" }))[0]?.id ?? "";
}

test("of two different answers at the same moment, one counts, and the other is a conflict", async () => {
  const stop = new AbortController();
  const asking = new ApprovalDesk(store as Store, { timeLimitMs: undefined, retriedAfter: undefined });
  const id = await askedBy(asking, stop.signal);
  const desk = new ApprovalDesk(together(2), { timeLimitMs: undefined, retriedAfter: undefined });
  const answers = await Promise.allSettled([
    desk.resolve(id, { outcome: "granted", by: "ann" }),
    desk.resolve(id, { outcome: "denied", by: "bob" }),
  ]);
  const [counted, ...more] = answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  expect(more).toEqual([]);
  const [refused] = answers.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
  expect(refused).toMatchObject({ code: "conflict" });
  expect(await asking.get(id)).toMatchObject({ status: counted?.status, by: counted?.by });
  const { events } = await store.read("s", { types: ["approval_resolved"] });
  expect(events.map(({ actor }) => actor.id)).toEqual([counted?.by]);
  stop.abort();
});

test("a question that is closed a moment after its answer stays answered", async () => {
  const stop = new AbortController();
  const asking = new ApprovalDesk(store as Store, { timeLimitMs: undefined, retriedAfter: undefined });
  const id = await askedBy(asking, stop.signal);
  const desk = new ApprovalDesk(together(2), { timeLimitMs: undefined, retriedAfter: undefined });
  const root = (await store.listRuns({ sessionId: "s" })).items[0]?.runId ?? "";
  // No process waits for the answer and uses it at once.
  stop.abort();
  const answer = desk.resolve(id, { outcome: "granted", by: "ann" });
  await Promise.all([answer, desk.close(root)]);
  expect(await asking.get(id)).toMatchObject({ status: "granted", by: "ann" });
});

test("an answer that is there when a run was asked to stop lets no call run, also before the run notices the stop", async () => {
  await store.createSession({ sessionId: "s" });
  const desk = new ApprovalDesk(store, { timeLimitMs: undefined, retriedAfter: ["failed"] });
  const request = { approvalId: "a", toolName: "refund", readOnly: false, options: [] };
  const first = await startRun(store, "s", "refund it");
  const own = desk.forRun(first);
  const before = own.ask(request, { signal: new AbortController().signal });
  await expect.poll(async () => (await desk.list({ status: "open" })).length).toBe(1);
  await store.transitionRun(first.runId, { to: "running" });
  await store.transitionRun(first.runId, { to: "failed" });
  own.end();
  await before;
  await desk.resolve("a", { outcome: "granted" });
  const { runId } = await startRun(store, "s", "refund it", { retryOf: first.runId });
  const next = await store.transitionRun(runId, { to: "running" });
  await store.append("s", [{ type: "run_cancel_requested", data: { runId }, runId }]);
  const stop = new AbortController();
  const decisions: unknown[] = [];
  const asked = desk
    .forRun(next)
    .ask(request, { signal: stop.signal })
    .then((decision) => decisions.push(decision));
  await pause(200);
  expect(decisions).toEqual([]);
  stop.abort(new Error("the run was stopped"));
  await expect(asked).rejects.toThrow("the run was stopped");
});
