/** Asks the real agent about a restored session, as `continuo doctor sessions --fix` does, and checks its answer. */

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

/** Throws if the agent does not confirm the session, or if the question changes the person's home. */
export async function expectConfirmed(
  home: LostHome,
  { agent, newLocation, messages }: Asked,
): Promise<void> {
  const places = { ...placesOfHome(home), env: { PATH: process.env.PATH } };
  const found = await (await formatOf(agent)).recognise(newLocation, places);
  if (found === null) throw new Error(`${newLocation} is not a session`);
  const program = AGENTS.find((one) => one.agent === agent)?.program() ?? [];
  const before = snapshotOf(home);
  // Claude Code can look up a session by the title that a person gave it, but prints no list.
  const isAsked = agent !== "claude" || (await customTitleOf(newLocation)) !== null;
  const answer = await askAgent(found, { places, cwd: home.project, programs: { [agent]: program } });
  expect(answer).toEqual({
    outcome: isAsked ? "shown" : "read",
    by: expect.stringContaining(agent),
    messages,
  });
  expect(snapshotOf(home)).toEqual(before);
}
