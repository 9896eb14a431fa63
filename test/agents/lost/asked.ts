/** The answer of `continuo doctor sessions --fix`, which is the real agent's answer about the restored session. */

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

/** The question does not change the person's home. */
export async function expectConfirmed(
  home: LostHome,
  { agent, newLocation, messages }: Asked,
): Promise<void> {
  const places = { ...placesOfHome(home), env: { PATH: process.env.PATH } };
  const found = await (await formatOf(agent)).recognise(newLocation, places);
  if (found === null) throw new Error(`${newLocation} is no session`);
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
