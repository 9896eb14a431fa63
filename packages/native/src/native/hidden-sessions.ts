/** The sessions that the agents' own lists do not show, with the reason of each. */

import type { AgentName } from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import type { ClaudeCause } from "./claude/index.ts";
import type { CodexCause } from "./codex/index.ts";
import type { GeminiCause } from "./gemini/index.ts";
import type { AgentVisibility, CauseFacts, HiddenOptions, HiddenSession } from "./kit/index.ts";
import { pick } from "./list.ts";
import type { OpencodeCause } from "./opencode/index.ts";
import type { PiCause } from "./pi/index.ts";
import { formatOf, READABLE_AGENTS } from "./registry.ts";

/** Every cause that is known of any agent. */
export type HiddenCause = ClaudeCause | CodexCause | GeminiCause | OpencodeCause | PiCause;

export interface HiddenQuery extends HiddenOptions {
  /** The environment of this user by default. */
  readonly places?: Places;
  readonly agents?: readonly AgentName[];
}

/** In the order of the agents. Reads only, and starts nothing. */
export async function* findHiddenSessions(
  query: HiddenQuery = {},
): AsyncGenerator<HiddenSession, void, void> {
  const places = query.places ?? placesOfThisUser();
  for (const agent of query.agents ?? READABLE_AGENTS) {
    const rules = await visibilityOf(agent);
    if (rules !== null) yield* rules.hidden(places, pick(query, "memo", "signal"));
  }
}

/** `null` for an agent whose list has unknown rules. */
export async function visibilityOf(agent: AgentName): Promise<AgentVisibility | null> {
  return (await (await formatOf(agent)).visibility?.()) ?? null;
}

/** The table of an agent; empty if its list is not known. */
export async function hiddenCauses(agent: AgentName): Promise<Readonly<Record<string, CauseFacts>>> {
  return (await visibilityOf(agent))?.causes ?? {};
}
