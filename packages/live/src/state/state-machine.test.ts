import fc from "fast-check";
import { expect, test } from "vitest";
import type { LiveState } from "../kit/index.ts";
import { isFinal, isTransition, nextState, reportedState, TRIGGERS, type Trigger } from "./state-machine.ts";

const STATES: readonly LiveState[] = ["created", "active", "idle", "degraded", "closed", "abandoned"];

/**
 * The table of the documentation, written a second time: every state and every trigger, also those that change nothing.
 */
const EXPECTED: Readonly<Record<LiveState, Readonly<Partial<Record<Trigger, LiveState>>>>> = {
  created: { input: "active", close: "closed", fault: "degraded", expiry: "abandoned" },
  active: { silence: "idle", close: "closed", fault: "degraded", expiry: "abandoned" },
  idle: { input: "active", close: "closed", fault: "degraded", expiry: "abandoned" },
  degraded: { close: "closed", repair: "active", expiry: "abandoned" },
  closed: {},
  abandoned: {},
};

for (const from of STATES) {
  for (const on of TRIGGERS) {
    const to = EXPECTED[from][on] ?? null;
    test(`${on} leads from ${from} to ${to ?? "no other state"}`, () => {
      expect(nextState(from, on)).toBe(to);
      if (to !== null) expect(isTransition(from, to)).toBe(true);
    });
  }
}

test("for any order of triggers, a final state stays and every step is in the table", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...TRIGGERS), { maxLength: 50 }), (triggers) => {
      let state: LiveState = "created";
      for (const on of triggers) {
        const next = nextState(state, on);
        if (isFinal(state)) expect(next).toBeNull();
        if (next === null) continue;
        expect(isTransition(state, next)).toBe(true);
        state = next;
      }
    }),
  );
});

test("a session is reported as checkpointed until input comes after its newest checkpoint", () => {
  expect(reportedState("active", { lastInput: 5, checkpoint: 7 })).toBe("checkpointed");
  expect(reportedState("idle", { lastInput: 7, checkpoint: 7 })).toBe("checkpointed");
  expect(reportedState("active", { lastInput: 8, checkpoint: 7 })).toBe("active");
  expect(reportedState("created", { lastInput: 0, checkpoint: null })).toBe("created");
  for (const state of ["degraded", "closed", "abandoned"] as const) {
    expect(reportedState(state, { lastInput: 0, checkpoint: 7 })).toBe(state);
  }
});
