/** The pairs of sessions and agents that the quick size leaves out. */

import { AGENT_NAMES } from "@continuo/core/model";
import { expect, test } from "vitest";
import { momentsOfRun } from "../sizes/rotation.ts";
import { expectHandedOver, FIRST_PAIRS, FIXTURES, OTHER_PAIRS } from "./fixture-pairs.ts";
import { openHome } from "./homes.ts";

test.each(momentsOfRun(OTHER_PAIRS))(
  "$agent: what $to would send of $name is what $agent sent",
  async (pair) => {
    using own = openHome();
    await expectHandedOver(own, pair);
  },
);

test("the two sizes together have every session once with every other agent, and the quick one every pair of agents", () => {
  const all = [...FIRST_PAIRS, ...OTHER_PAIRS].map(({ agent, name, to }) => `${agent} ${name} ${to}`);
  expect(new Set(all).size).toBe(all.length);
  expect(all.length).toBe(FIXTURES.length * (AGENT_NAMES.length - 1));
  const pairs = new Set(FIRST_PAIRS.map(({ agent, to }) => `${agent} ${to}`));
  expect(pairs.size).toBe(AGENT_NAMES.length * (AGENT_NAMES.length - 1));
});
