/** The slots of a worker: whatever the runs ask, no slot is lost, and none is given twice. */

import { setImmediate as settled } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { ProcessGate } from "./process-gate.ts";
import { type RunSlot, RunSlots } from "./run-slots.ts";

const COUNT = 1;
const RUNS = 2;

interface ProbedRun {
  readonly slot: RunSlot;
  /** Questions without an answer. */
  open: number;
  /** Answers that wait until the run has its slot again. */
  returning: number;
}

const act = fc.record({
  of: fc.nat(RUNS - 1),
  what: fc.constantFrom("begin", "ask", "ask", "answer", "answer", "end"),
  /** The number of steps of promises before the next act. */
  steps: fc.nat(6),
});

test.each([false, true])(
  "runs that ask and are answered in any order work in their slots only, with processes: %s",
  async (hasProcess) => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), async (acts) => {
        const slots = new RunSlots(COUNT, () => undefined, new ProcessGate());
        const runs = new Map<number, ProbedRun>();
        const never = new AbortController().signal;
        const take = (of: number, what: (typeof acts)[number]["what"]): void => {
          const run = runs.get(of);
          if (run === undefined) {
            if (what !== "begin" || !slots.reserve()) return;
            runs.set(of, { slot: slots.begin({ hasProcess }), open: 0, returning: 0 });
          } else if (what === "ask") {
            run.open++;
            run.slot.pause();
          } else if (what === "answer" && run.open > 0) {
            run.open--;
            run.returning++;
            void run.slot.resume(never).then(() => run.returning--);
          } else if (what === "end") {
            run.slot.release();
            runs.delete(of);
          }
        };
        for (const { of, what, steps } of acts) {
          take(of, what);
          for (let step = 0; step < steps; step++) await Promise.resolve();
        }
        await settled();
        const working = [...runs.values()].filter(({ open, returning }) => open + returning === 0);
        expect(working.length).toBeLessThanOrEqual(COUNT);
        expect(slots.waiting).toBeLessThanOrEqual([...runs.values()].filter(({ open }) => open > 0).length);
        // A run that waits for a person has no slot, unless too many processes wait.
        const allWait = [...runs.values()].every(({ open }) => open > 0);
        if (allWait && !hasProcess) {
          expect(slots.reserve()).toBe(true);
          slots.cancel();
        }
        for (const { slot } of runs.values()) slot.release();
        await settled();
        expect([slots.reserve(), slots.reserve(), slots.waiting]).toEqual([true, false, 0]);
      }),
      { numRuns: 4_000 },
    );
  },
);

test("a run has a slot after a question that begins and ends while it comes back from another one", async () => {
  const never = new AbortController().signal;
  for (let at = 0; at < 64; at++) {
    const slots = new RunSlots(1, () => undefined, new ProcessGate());
    slots.reserve();
    const run = slots.begin({ hasProcess: false });
    run.pause();
    const first = run.resume(never);
    for (let step = at % 8; step > 0; step--) await Promise.resolve();
    run.pause();
    for (let step = Math.floor(at / 8); step > 0; step--) await Promise.resolve();
    await Promise.all([first, run.resume(never)]);
    expect([slots.waiting, slots.reserve()]).toEqual([0, false]);
  }
});

interface IsolatedRun extends ProbedRun {
  readonly isIsolated: boolean;
  hasBegun: boolean;
}

test("an isolated run is the only one that works in its process, whatever the runs of all workers ask", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.record({ ...isolatedAct }), { maxLength: 16 }), async (acts) => {
      const gate = new ProcessGate();
      const workers = [
        new RunSlots(2, () => undefined, gate),
        new RunSlots(2, () => undefined, gate),
      ] as const;
      const never = new AbortController().signal;
      const runs = new Map<number, IsolatedRun>();
      const working = (): readonly IsolatedRun[] =>
        [...runs.values()].filter(({ hasBegun, open, returning }) => hasBegun && open + returning === 0);
      for (const { of, what, steps } of acts) {
        const run = runs.get(of);
        if (run === undefined && what === "begin") {
          // The runs 0 and 1 are isolated, one in each worker.
          const isIsolated = of < 2;
          const slots = workers[of % 2 === 0 ? 0 : 1];
          if (!slots.reserve()) continue;
          // A run that is about to be found counts as working.
          expect(working().some((one) => one.isIsolated)).toBe(false);
          const slot = slots.begin({ hasProcess: false, isIsolated });
          const begun: IsolatedRun = { slot, isIsolated, hasBegun: !isIsolated, open: 0, returning: 0 };
          runs.set(of, begun);
          void slot.isolated(never).then(() => {
            begun.hasBegun = true;
          });
        } else if (run?.hasBegun === true && what === "ask") {
          run.open++;
          run.slot.pause();
        } else if (run !== undefined && what === "answer" && run.open > 0) {
          run.open--;
          run.returning++;
          void run.slot.resume(never).then(() => run.returning--);
        } else if (run !== undefined && what === "end") {
          run.slot.release();
          runs.delete(of);
        }
        for (let step = 0; step < steps; step++) await Promise.resolve();
        if (working().some(({ isIsolated }) => isIsolated)) expect(working()).toHaveLength(1);
      }
      await settled();
      // Somebody works, unless each run waits for a person.
      const isIdle = [...runs.values()].every(({ open }) => open > 0);
      expect(working().length > 0).toBe(!isIdle);
      for (const { slot } of runs.values()) slot.release();
      await settled();
      expect([gate.isOpen, ...workers.map((slots) => slots.reserve())]).toEqual([true, true, true]);
    }),
    { numRuns: 4_000 },
  );
});

const isolatedAct = {
  of: fc.nat(5),
  what: fc.constantFrom("begin", "begin", "ask", "answer", "answer", "end"),
  steps: fc.nat(8),
} as const;

test("an isolated run stops waiting with its signal, and other runs begin again", async () => {
  const gate = new ProcessGate();
  let freed = 0;
  const slots = new RunSlots(3, () => freed++, gate);
  slots.reserve();
  const other = slots.begin({ hasProcess: false });
  slots.reserve();
  const alone = slots.begin({ hasProcess: false, isIsolated: true });
  expect(slots.reserve()).toBe(false);
  const stopping = new AbortController();
  const waiting = alone.isolated(stopping.signal);
  stopping.abort(new Error("stopped"));
  await expect(waiting).rejects.toThrow("stopped");
  expect(freed).toBe(0);
  alone.release();
  await settled();
  expect([freed, slots.reserve()]).toEqual([1, true]);
  other.release();
});

const SHORT = { waitMs: 20, aloneMs: 20 };

test("a run that an isolated run started, and whose result it awaits, begins after the time without others is over", async () => {
  const gate = new ProcessGate({ ...SHORT, waitMs: 60_000 });
  const free = Promise.withResolvers<void>();
  const slots = new RunSlots(2, free.resolve, gate);
  const never = new AbortController().signal;
  slots.reserve();
  const outer = slots.begin({ hasProcess: false, isIsolated: true });
  await outer.isolated(never);
  expect(slots.reserve()).toBe(false);
  await free.promise;
  expect(slots.reserve()).toBe(true);
  const inner = slots.begin({ hasProcess: false });
  await inner.isolated(never);
  for (const slot of [inner, outer]) slot.release();
  expect([slots.reserve(), slots.reserve(), slots.reserve()]).toEqual([true, true, false]);
});

test("an isolated run whose result another run awaits works with it after a while, and so do new runs", async () => {
  const gate = new ProcessGate({ ...SHORT, aloneMs: 60_000 });
  const never = new AbortController().signal;
  const slots = new RunSlots(4, () => undefined, gate);
  slots.reserve();
  const outer = slots.begin({ hasProcess: false });
  slots.reserve();
  slots.reserve();
  const inner = [0, 1].map(() => slots.begin({ hasProcess: false, isIsolated: true }));
  expect(slots.reserve()).toBe(false);
  for (const { isolated } of inner) await isolated(never);
  expect(slots.reserve()).toBe(true);
  slots.cancel();
  for (const slot of [outer, ...inner]) slot.release();
  expect(gate.isOpen).toBe(true);
});
