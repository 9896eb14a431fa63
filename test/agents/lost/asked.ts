/** The answer of `continuo doctor sessions --fix`: that of the real agent about the session that came back. */

import { askAgent } from "@continuo/agents/handoff";
import type { AgentName } from "@continuo/core/model";
import { formatOf } from "@continuo/native";
import { customTitleOf } from "@continuo/native/claude";
import type { ReturnedSession } from "@continuo/native/editing";
import { expect } from "vitest";
import { type LostHome, placesOfHome, snapshotOf } from "../../lost/recipe.ts";
import { AGENTS } from "../append/begin.ts";

interface Asked extends Pick<ReturnedSession, "newLocation"> {
  readonly agent: AgentName;
  readonly messages: number;
}

/** Nothing of the person's home changes by it. */
export async function expectConfirmed(
  home: LostHome,
  { agent, newLocation, messages }: Asked,
): Promise<void> {
  const places = { ...placesOfHome(home), env: { PATH: process.env.PATH } };
  const found = await (await formatOf(agent)).recognise(newLocation, places);
  if (found === null) throw new Error(`${newLocation} is no session`);
  const program = AGENTS.find((one) => one.agent === agent)?.program() ?? [];
  const before = snapshotOf(home);
  // Claude Code looks a session up by the title that somebody gave it, and prints no list.
  const isAsked = agent !== "claude" || (await customTitleOf(newLocation)) !== null;
  const answer = await askAgent(found, { places, cwd: home.project, programs: { [agent]: program } });
  expect(answer).toEqual({
    outcome: isAsked ? "shown" : "read",
    by: expect.stringContaining(agent),
    messages,
  });
  expect(snapshotOf(home)).toEqual(before);
}
