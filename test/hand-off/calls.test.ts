/** A hand-over never adds a call, wherever the source's agent was killed. `calls.full.test.ts` tries all cases. */

import { listNativeSessions } from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";
import { beforeEach, expect, test } from "vitest";
import { cutsOf, expectNoCallAdded } from "./calls.ts";
import { type Home, openHome } from "./homes.ts";

let home: Home;

beforeEach(() => {
  home = openHome();
});

test.each<readonly [AgentName, string, number]>([
  ["codex", "killed-calls", 2],
  ["claude", "parallel-tools", 4],
  ["pi", "parallel-tools", 6],
  ["gemini", "parallel-tools", 4],
])("no cut of a session of %s with %s adds a call", async (agent, name, calls) => {
  home.use(agent, name);
  const [row] = await listNativeSessions({ agents: [agent], places: home.places });
  const location = row?.location ?? "";
  const counts: number[] = [];
  for (const _count of cutsOf(location)) counts.push(await expectNoCallAdded(agent, location, home.places));
  expect(Math.max(...counts)).toBe(calls);
});
