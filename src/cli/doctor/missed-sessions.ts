/** Hidden sessions with what a person needs to know about each, and the flags that choose among them. */

import { AGENT_LABELS, type AgentName, present } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { findHiddenSessions, formatOf, hiddenCauses, READABLE_AGENTS } from "@continuo/native";
import type { CauseFacts, HiddenSession } from "@continuo/native/kit";
import { createProgress, formatCount, plural, type Shell } from "../terminal/index.ts";
import type { Finding } from "./finding.ts";

export interface SessionsFlags {
  readonly agent?: readonly string[];
  readonly all?: true;
  /** `true` for every session that its agent's list does not leave out on purpose. */
  readonly fix?: true | readonly string[];
  readonly dryRun?: true;
  readonly yes?: true;
  /** `false`: the agent is not asked afterwards. */
  readonly verify?: false;
  readonly json?: true;
}

/** A hidden session, with the facts about its cause and about the session. */
export interface MissedSession extends HiddenSession {
  readonly facts: CauseFacts;
  readonly title: string | null;
  readonly cwd: string | null;
  readonly updatedAt: string | null;
}

/** The exit code when a session is missed that could be in the list. */
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

/** Checks that the agents' lists show every session on disk, except sessions that they leave out on purpose. */
export async function checkLists(shell: Shell): Promise<readonly Finding[]> {
  const missed = (await findMissed(READABLE_AGENTS, shell)).filter(({ facts }) => !facts.intended);
  if (missed.length === 0) {
    return [{ name: "lists", state: "fine", message: "no session is hidden from its agent's own list" }];
  }
  const counts = Map.groupBy(missed, ({ found }) => found.agent);
  const each = [...counts].map(([agent, hidden]) => `${hidden.length} of ${AGENT_LABELS[agent]}`);
  const message = `${plural(missed.length, "session is", "sessions are")} hidden from the agent's own list: ${each.join(", ")}`;
  const hint = "Run `continuo doctor sessions` to see why, and what brings them back.";
  return [{ name: "lists", state: "warning", message, hint }];
}
