/** Finds the session that a key names: a row of the list, or a sub-agent below one. */

import {
  earlierNames,
  isOwn,
  type ListedSession,
  type LookUpHit,
  locateRow,
  OWN,
  ownerOf,
} from "@continuo/agents/catalog";
import { BELOW, keyOf, subagentKey } from "@continuo/agents/pages";
import { ContinuoError, type SubagentInfo } from "@continuo/core/model";
import type { MachineSession } from "@continuo/core/wire/machine";
import type { PlacesAt } from "@continuo/files";
import type { RowSource } from "./rows.ts";

export interface KeyedSession {
  readonly key: string;
  readonly row: ListedSession;
  readonly shown: MachineSession;
  /** For a sub-agent: the key of the session that started the sub-agent; otherwise `null`. */
  readonly parentKey: string | null;
}

/** Finds the sub-agents of a session by a full read. */
export type FindSubagents = (key: string) => Promise<readonly SubagentInfo[]>;

/** The old key of an imported native session names the own session that has its messages. Errors: `not_found`. */
export async function resolveSession(
  key: string,
  source: RowSource,
  subagentsOf: FindSubagents,
): Promise<KeyedSession> {
  const at = key.lastIndexOf(BELOW);
  if (at === -1) return await findListed(key, source);
  const parentKey = key.slice(0, at);
  const parent = await resolveSession(parentKey, source, subagentsOf);
  const info = (await subagentsOf(parentKey)).find(({ id }) => subagentKey(parentKey, id) === key);
  if (info === undefined) throw noSuchSession(key);
  const { id, location, description, type, sizeBytes } = info;
  const row = { ...parent.row, sessionId: id, location, title: description ?? type, sizeBytes, problems: [] };
  const shown = { ...parent.shown, key, sessionId: id, title: row.title, sizeBytes, problems: [] };
  return { key, row, shown: { ...shown, turns: null, tokens: null, costUsd: null, facts: null }, parentKey };
}

async function findListed(key: string, source: RowSource): Promise<KeyedSession> {
  const known = (await source.rows()).byKey.get(key);
  if (known !== undefined) return { key, ...known, parentKey: null };
  // The session may have begun a moment ago.
  source.forget();
  const { byKey } = await source.rows();
  const found = byKey.get(key);
  if (found !== undefined) return { key, ...found, parentKey: null };
  const own = [...byKey.values()].map(({ row }) => row).filter(isOwn);
  const native = own
    .flatMap(earlierNames)
    .find((name) => keyOf({ ...name, location: name.location ?? "" }) === key);
  const owner = native === undefined ? null : ownerOf(native, own);
  const moved = [...byKey].find(([, { row }]) => row === owner);
  if (moved === undefined) throw noSuchSession(key);
  const [now, there] = moved;
  return { key: now, ...there, parentKey: null };
}

/** Errors: `not_found` if the session has disappeared since the list was read. */
export async function locateNamed({ row }: KeyedSession, places: PlacesAt): Promise<LookUpHit> {
  return await locateRow(row, places);
}

/** Finds a session that was just created; `null` if the list does not have it. */
export async function findMade(
  made: { readonly agent: string; readonly sessionId: string; readonly location: string },
  source: RowSource,
): Promise<MachineSession | null> {
  source.forget();
  return (await source.rows()).byKey.get(keyOf(made))?.shown ?? null;
}

/** Returns the key of one of Continuo's own sessions that was just created. */
export async function ownKey(sessionId: string, source: RowSource): Promise<string> {
  source.forget();
  const { byKey } = await source.rows();
  const [key] = [...byKey].find(([, { row }]) => isOwn(row) && row.sessionId === sessionId) ?? [];
  return key ?? keyOf({ agent: OWN, sessionId, location: "" });
}

function noSuchSession(key: string): ContinuoError {
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(key.slice(0, 200))}`, {
    hint: "Read the list again: the session may have been moved or deleted.",
  });
}
