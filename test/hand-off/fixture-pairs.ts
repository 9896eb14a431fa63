/** Each recorded session is handed to each other agent: the target would send to its model what the source sent. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { expect } from "vitest";
import { snapshotOf } from "../agents/proof.ts";
import type { Home } from "./homes.ts";
import { saidIn, sourceView } from "./spoken-items.ts";

export interface Fixture {
  readonly agent: AgentName;
  readonly name: string;
}

export const FIXTURES: readonly Fixture[] = AGENT_NAMES.flatMap((agent) =>
  readdirSync(join(import.meta.dirname, "../fixtures", agent)).map((name) => ({ agent, name })),
);

export interface FixturePair extends Fixture {
  readonly to: AgentName;
}

/** Each session goes to one other agent, so that each ordered pair of agents has some sessions. */
export const FIRST_PAIRS: readonly FixturePair[] = pairs((at, targets) => at % targets === 0);

/** All pairs that `FIRST_PAIRS` leaves out. */
export const OTHER_PAIRS: readonly FixturePair[] = pairs((at, targets) => at % targets !== 0);

function pairs(isChosen: (at: number, targets: number) => boolean): readonly FixturePair[] {
  return AGENT_NAMES.flatMap((agent) => {
    const targets = AGENT_NAMES.filter((name) => name !== agent);
    const own = FIXTURES.filter((fixture) => fixture.agent === agent);
    return own.flatMap((fixture, row) =>
      targets.filter((_, column) => isChosen(row + column, targets.length)).map((to) => ({ ...fixture, to })),
    );
  });
}

export async function expectHandedOver(own: Home, { agent, name, to }: FixturePair): Promise<void> {
  const { home, cwd, places } = own;
  const id = own.use(agent, name);
  const source = join(home, "source");
  const before = await snapshotOf(source);
  const made = await own.go(`${agent}:${id}`, to, { cwd });
  if (agent !== "opencode") expect(await snapshotOf(source)).toEqual(before);
  expect(made.verification?.by).toBe("continuo");
  expect(made.title).toContain(`from ${agent}: `);
  const view = await sourceView(to, made.sessionId, places);
  expect(saidIn(view)).toEqual(saidIn(await sourceView(agent, id, places)));
  expect(made.receipt.byKind.tool_call?.dropped ?? 0).toBe(0);
  expect(made.receipt.byKind.tool_result?.dropped ?? 0).toBe(0);
  expect(made.receipt.byKind.image?.dropped ?? 0).toBe(0);
}
