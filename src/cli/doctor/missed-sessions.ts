/** Hidden sessions with what a person needs to know of each, and the flags that choose among them. */

import { AGENT_LABELS, type AgentName, present } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { findHiddenSessions, formatOf, hiddenCauses } from "@continuo/native";
import type { CauseFacts, HiddenSession } from "@continuo/native/kit";
import { createProgress, formatCount, type Shell } from "../terminal/index.ts";

export interface SessionsFlags {
  readonly agent?: readonly string[];
  readonly all?: true;
  /** `true` for every session that can be brought back. */
  readonly fix?: true | readonly string[];
  readonly dryRun?: true;
  readonly yes?: true;
  readonly json?: true;
}

/** One hidden session, with all that is said about it. */
export interface MissedSession extends HiddenSession {
  readonly facts: CauseFacts;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly updatedAt: string | null;
}

/** A session is missed that could be in the list. */
export const STILL_MISSED = 4;

export async function findMissed(
  agents: readonly AgentName[],
  shell: Shell,
): Promise<readonly MissedSession[]> {
  using progress = createProgress(shell);
  const missed: MissedSession[] = [];
  for await (const hidden of findHiddenSessions({ places: placesOf(shell), agents })) {
    const { agent } = hidden.found;
    const facts = (await hiddenCauses(agent))[hidden.cause];
    if (facts === undefined) throw new Error(`${agent} has no cause ${hidden.cause}`);
    const row = await (await formatOf(agent)).skim(hidden.found, { part: "whole" });
    const { title, cwd, updatedAt } = row;
    missed.push({ ...hidden, facts, title, cwd, updatedAt });
    progress.show(`${AGENT_LABELS[agent]}: found ${formatCount(missed.length)}`);
  }
  return missed;
}

export function missedToJson(missed: MissedSession): Readonly<Record<string, unknown>> {
  const { found, cause, detail, facts, title, cwd, updatedAt } = missed;
  const { agent, sessionId, location } = found;
  return { agent, sessionId, location, title, cwd, updatedAt, cause, detail, ...present(facts) };
}
