/**
 * Sessions of the real agents are handed over to each other: the target would send to its model the same blocks that
 * the source's model received. `npm run test:agents` shows the same with the agents themselves.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { handOff, openNativeSession, type Places } from "@continuo/agents";
import { AGENT_NAMES } from "@continuo/core/model";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { expectHandedOver, FIRST_PAIRS, FIXTURES, type Fixture } from "./fixture-pairs.ts";
import { type Home, openHome } from "./homes.ts";

let own: Home;
let home: string;
let cwd: string;
let places: Places;

beforeEach(() => {
  own = openHome();
  ({ home, cwd, places } = own);
});

afterEach(() => own[Symbol.dispose]());

function useFixture({ agent, name }: Fixture): string {
  return own.use(agent, name);
}

test.each(FIRST_PAIRS)("$agent: what $to would send of $name is what $agent sent", async (pair) => {
  await expectHandedOver(own, pair);
});

describe("a hand-over that is refused", () => {
  const nothingNew = (): boolean => !existsSync(join(home, ".codex")) && !existsSync(join(home, "continuo"));

  test("ends with the receipt", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const receipt = await handOff(id, { to: "codex", cwd, places, until: "receipt" });
    expect(receipt).toMatchObject({ sessionId: null, location: null, receipt: { dropped: 0 } });
    expect(receipt.receipt.records.every(({ place }) => place !== "")).toBe(true);
    expect(nothingNew()).toBe(true);
  });

  test("loses more than its limit allows", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const maxLoss = { tool_call: 0, other: 0 };
    const handing = handOff(id, { to: "codex", cwd, places, verifyBy: "own", maxLoss });
    await expect(handing).rejects.toMatchObject({
      code: "fidelity",
      details: { lost: { other: expect.any(Number) } },
    });
    expect(nothingNew()).toBe(true);
    const allowed = await handOff(id, {
      to: "codex",
      cwd,
      places,
      verifyBy: "own",
      maxLoss: { tool_call: 0 },
    });
    expect(allowed.sessionId).not.toBeNull();
  });

  test("has no folder to continue in", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const handing = handOff(id, { to: "codex", cwd: join(home, "gone"), places });
    await expect(handing).rejects.toMatchObject({ code: "not_found" });
    expect(nothingNew()).toBe(true);
  });

  test("begins with a missing message", async () => {
    const id = useFixture({ agent: "claude", name: "parallel-tools" });
    const handing = handOff(id, { to: "codex", cwd, places, fromMessage: "nobody" });
    await expect(handing).rejects.toMatchObject({ code: "not_found" });
  });
});

test.each(["claude", "pi"] as const)(
  "a compacted session of %s has no problem in Gemini CLI, although its kept messages are older than its summary",
  async (agent) => {
    const id = useFixture({ agent, name: "compaction" });
    const made = await handOff(id, { to: "gemini", cwd, places, verifyBy: "own" });
    using session = await openNativeSession(`gemini:${made.sessionId}`, { places });
    expect(session.problems).toEqual([]);
  },
);

test("the newest messages within a limit are handed over, each call with its result, and the receipt names the others", async () => {
  const id = useFixture({ agent: "claude", name: "parallel-tools" });
  const made = await handOff(id, { to: "pi", cwd, places, verifyBy: "own", maxMessages: 2 });
  expect(made.receipt.records.some(({ reason }) => reason.startsWith("over the limit"))).toBe(true);
  using session = await openNativeSession(`pi:${made.sessionId}`, { places });
  expect(session.problems).toEqual([]);
});

test("a text that is cut to the limit counts as a loss, for which a hand-over can fail", async () => {
  const id = useFixture({ agent: "claude", name: "text-and-thinking" });
  const handing = { to: "pi", cwd, places, verifyBy: "own", maxTokens: 6 } as const;
  const made = await handOff(id, { ...handing, until: "receipt" });
  expect(made.receipt.byKind.text?.noted).toBeGreaterThan(0);
  expect(made.receipt.records.some(({ reason }) => reason === "cut to the limit")).toBe(true);
  const refused = handOff(id, { ...handing, maxLoss: { text: 0 } });
  await expect(refused).rejects.toMatchObject({ code: "fidelity" });
});

test.each(
  AGENT_NAMES.flatMap((agent) => FIXTURES.filter((each) => each.agent === agent && each.name === "subagent")),
)("$agent: sub-agents, which are not handed over, are on the receipt", async (fixture) => {
  const id = useFixture(fixture);
  using session = await openNativeSession(`${fixture.agent}:${id}`, { places });
  const { receipt } = await handOff(id, { to: "pi", cwd, places, until: "receipt" });
  expect(receipt.records.filter(({ place }) => place.startsWith("sub-agent "))).toEqual(
    session.details.subagents.map((subagent) => ({
      place: `sub-agent ${subagent.id}`,
      kind: "other",
      outcome: "noted",
      reason: "a session of its own, which stays with the source",
    })),
  );
  expect(session.details.subagents).not.toEqual([]);
});
