/** The sessions that agents hide from people, or delete soon, and a way to bring back a hidden one. */

import { findLeftOut, type LeftOutSession, rowsOf } from "@continuo/agents/catalog";
import {
  AGENT_LABELS,
  ContinuoError,
  isAgentName,
  isContinuoError,
  present,
  shellWord,
} from "@continuo/core/model";
import type { BringBackAnswer, DueRow, HiddenRow, SessionsAtRisk } from "@continuo/core/wire/machine";
import { placesOf } from "@continuo/files";
import { returnHiddenSession } from "@continuo/native/editing";
import {
  type DueSession,
  endsWithin,
  findDueSessions,
  readGuardSettings,
} from "@continuo/native/editing/guard";
import { MACHINE_LIMITS } from "./limits.ts";
import type { Machine } from "./machine-parts.ts";
import { refuseTrashed } from "./trash-sessions.ts";

/** A part that cannot be determined becomes a notice, so that the other part is shown. */
export async function sessionsAtRisk(machine: Machine, signal: AbortSignal): Promise<SessionsAtRisk> {
  const places = placesOf(machine.options.places);
  const notices: string[] = [];
  const orNotice = async <T>(name: string, read: Promise<readonly T[]>): Promise<readonly T[]> => {
    try {
      return await read;
    } catch (error) {
      if (!isContinuoError(error)) throw error;
      notices.push(`${name}: ${error.message}.`);
      return [];
    }
  };
  const left = await orNotice("Hidden sessions are not known", findLeftOut(places, { signal }));
  const due = await orNotice("Sessions that agents delete soon are not known", dueSoon(machine, signal));
  const { byKey } = await machine.source.rows();
  const keys = new Map(
    [...byKey].map(([key, { shown, row }]) => [row.location, { key, title: shown.title }]),
  );
  return {
    hidden: left.slice(0, MACHINE_LIMITS.hiddenSessions).map((one) => toRow(one, keys)),
    hiddenCount: left.length,
    due: {
      days: MACHINE_LIMITS.dueDays,
      sessions: due.length,
      withoutCopy: withoutCopy(due),
      rules: [...Map.groupBy(due, ({ agent, rule }) => `${agent} ${rule}`).values()].flatMap(toDueRow),
    },
    isGuarded: isGuarded(machine),
    notices,
  };
}

/**
 * Errors: `conflict` if its agent lists the session, those of looking the key up, and those of the change. Then nothing
 * has changed.
 */
export async function bringBack(
  machine: Machine,
  key: string,
  { write, signal }: { readonly write: "preview" | "in place"; readonly signal: AbortSignal },
): Promise<BringBackAnswer> {
  const places = placesOf(machine.options.places);
  refuseTrashed(key);
  const { agent, location } = (await machine.named(key, signal)).row;
  if (!isAgentName(agent))
    throw new ContinuoError("unsupported", "no agent hides a session of Continuo's own");
  const left = await findLeftOut(places, { agents: [agent], signal });
  const one = left.find(({ hidden }) => hidden.found.location === location);
  if (one === undefined)
    throw new ContinuoError("conflict", `${AGENT_LABELS[agent]} lists the session already`);
  const wish = present({ places, signal, write: write === "preview" ? undefined : write });
  const { steps, trashId, newLocation } = await returnHiddenSession(one.hidden, wish);
  const newKey = trashId === null ? null : await keyAt(newLocation, machine);
  return { steps, changes: one.facts.changes, trashId, key: newKey };
}

async function keyAt(location: string, { source }: Machine): Promise<string | null> {
  source.forget();
  const { byKey } = await source.rows();
  return [...byKey].find(([, { row }]) => row.location === location)?.[0] ?? null;
}

async function dueSoon({ options }: Machine, signal: AbortSignal): Promise<readonly DueSession[]> {
  const places = placesOf(options.places);
  const memo = rowsOf(places);
  const { sessions } = await findDueSessions({ places, memo, signal });
  return endsWithin(sessions, MACHINE_LIMITS.dueDays, new Date());
}

function isGuarded({ options }: Machine): boolean {
  try {
    return readGuardSettings(placesOf(options.places)).on;
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return false;
  }
}

function toRow(
  { hidden: { found, detail }, facts }: LeftOutSession,
  keys: ReadonlyMap<string, { readonly key: string; readonly title: string | null }>,
): HiddenRow {
  const { means, bringsBack, changes, by } = facts;
  const { agent, sessionId, location } = found;
  const { key, title } = keys.get(location) ?? { key: null, title: null };
  const canBeDone = by === "continuo" && key !== null;
  const command =
    by === "continuo" && key === null
      ? `continuo doctor sessions --fix ${shellWord(`${agent}:${sessionId}`)}`
      : null;
  return { key, agent, location, title, means, bringsBack, changes, detail, canBeDone, command };
}

function toDueRow(sessions: readonly DueSession[]): readonly DueRow[] {
  const [first] = sessions;
  if (first === undefined) return [];
  const { agent, rule, endsAt } = first;
  return [{ agent, rule, sessions: sessions.length, withoutCopy: withoutCopy(sessions), firstAt: endsAt }];
}

function withoutCopy(sessions: readonly DueSession[]): number {
  return sessions.filter(({ hasCopy }) => !hasCopy).length;
}
