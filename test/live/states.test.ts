/**
 * The states of a whole session, compared with a model of the documented table: steps in any order under a fake clock.
 */

import type { LiveState } from "@continuo/live";
import { openStore } from "@continuo/store";
import fc from "fast-check";
import { expect, test } from "vitest";
import { finding, type LiveTest, liveTest, said } from "./live-session.ts";
import { allEvents } from "./servers.ts";

interface Model {
  state: LiveState;
  /** The earliest time at which the session became idle, and the time at which its hour began. */
  activeMs: number;
  usedMs: number;
  readonly steps: string[];
}

type LiveStep = (live: LiveTest, model: Model) => Promise<void>;

const IDLE_MS = 30_000;
const HOUR_MS = 3_600_000;
const OPEN: ReadonlySet<LiveState> = new Set(["created", "active", "idle"]);

function move(model: Model, to: LiveState): void {
  model.steps.push(`${model.state} > ${to}`);
  model.state = to;
}

function refusal(state: LiveState): string {
  return state === "degraded" ? "degraded" : "log_closed";
}

const STEPS: Readonly<Record<string, LiveStep>> = {
  input: async (live, model) => {
    const batch = { producerId: crypto.randomUUID(), epoch: 0, sequence: 0, evidence: [said("words")] };
    const sending = live.service.accept("k", batch);
    if (!OPEN.has(model.state)) {
      await expect(sending).rejects.toMatchObject({ code: refusal(model.state) });
      return;
    }
    await sending;
    await live.settle();
    if (model.state !== "active") move(model, "active");
    model.activeMs = live.clock.now();
    model.usedMs = live.clock.now();
  },
  ping: async (live, model) => {
    const ping = live.service.ping("k");
    if (model.state === "closed" || model.state === "abandoned") {
      await expect(ping).rejects.toMatchObject({ code: "log_closed" });
      return;
    }
    await ping;
    // The hour of a degraded session continues.
    if (model.state !== "degraded") model.usedMs = live.clock.now();
  },
  moment: (live, model) => pass(live, model, 1_000),
  silence: (live, model) => pass(live, model, IDLE_MS),
  "almost an hour": (live, model) => pass(live, model, HOUR_MS - 1),
  hour: (live, model) => pass(live, model, HOUR_MS),
  "clean-up": async (live, model) => {
    await live.service.cleanUp();
    await live.settle();
    const isOpen = OPEN.has(model.state) || model.state === "degraded";
    const isDue = isOpen && live.clock.now() - model.usedMs >= HOUR_MS;
    if (isDue) move(model, model.state === "degraded" ? "abandoned" : "closed");
  },
  close: async (live, model) => {
    await live.service.close("k");
    if (OPEN.has(model.state) || model.state === "degraded") move(model, "closed");
  },
  fault: async (live, model) => {
    if (!OPEN.has(model.state)) return;
    const sessionId = await live.service.sessionIdOf("k");
    await live.service.ownerOf(sessionId)?.degrade(finding("the log has a gap"));
    move(model, "degraded");
    model.usedMs = live.clock.now();
  },
  repair: async (live, model) => {
    const repair = live.service.repair("k");
    if (model.state !== "degraded") {
      await expect(repair).rejects.toMatchObject({ code: "invalid_transition" });
      return;
    }
    await repair;
    await live.settle();
    move(model, "active");
    model.activeMs = live.clock.now();
    model.usedMs = live.clock.now();
  },
};

async function pass({ clock }: LiveTest, model: Model, ms: number): Promise<void> {
  await clock.advance(ms);
  if (model.state === "active" && clock.now() - model.activeMs >= IDLE_MS) move(model, "idle");
}

/** Each row of the table from each of its states, and sequences that failed once. */
const EXAMPLES: readonly string[][] = [
  ["hour", "clean-up"],
  ["close", "input", "ping", "clean-up"],
  ["fault", "input", "repair", "input"],
  ["input", "close"],
  ["input", "fault", "close"],
  ["input", "silence", "input", "silence", "close"],
  ["input", "silence", "fault", "hour", "clean-up", "repair"],
  [
    "input",
    "almost an hour",
    "clean-up",
    "ping",
    "almost an hour",
    "clean-up",
    "moment",
    "clean-up",
    "input",
  ],
  ["fault", "silence", "almost an hour", "repair", "clean-up", "input"],
];

test("after any steps in any order, a session has the states of the table, and records each step once", async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(STEPS)), { minLength: 1, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(names, async (steps) => {
      let now = Date.now;
      await using store = await openStore("memory:", { now: () => now() });
      await using live = await liveTest({ store });
      now = live.clock.now;
      const { sessionId } = await live.service.open("k", { videoId: "v" });
      const model: Model = { state: "created", activeMs: now(), usedMs: now(), steps: [] };
      for (const name of steps) {
        await STEPS[name]?.(live, model);
        const { fold } = await live.service.follow(sessionId);
        await live.settle();
        expect(fold.state, `after ${name}`).toBe(model.state);
        const isFinal = model.state === "closed" || model.state === "abandoned";
        expect((await live.service.session("k")).closedAt !== null).toBe(isFinal);
      }
      const recorded = (await allEvents(live.store, sessionId)).flatMap(({ type, data }) => {
        const { state, from } = data as { readonly state?: string; readonly from?: string };
        return type === "session_state_changed" && state !== from ? [`${from} > ${state}`] : [];
      });
      expect(recorded).toEqual(model.steps);
      const next = await live.service.open("k", { videoId: "v" });
      const isOver = model.state === "closed" || model.state === "abandoned";
      expect(next.created).toBe(isOver);
      expect((await live.service.session("k")).parentId).toBe(isOver ? sessionId : null);
    }),
    { numRuns: 30, examples: EXAMPLES.map((example) => [example]) },
  );
}, 60_000);
