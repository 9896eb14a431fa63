/** Sessions that their agent deleted, so that the guard has the only copy. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { AGENT_LABELS, type Problem, type SessionInfo } from "@continuo/core/model";
import { isJson, listNames, type Places, readJsonFile, writeDurably } from "@continuo/files";
import { listTrash } from "../trash/index.ts";
import { guardFolder, isInPlace, keyOf, type SessionKey } from "./folder.ts";
import { type GuardedSession, readLedger } from "./ledger.ts";
import { readManifest } from "./manifest.ts";
import { hasManifest } from "./manifest-file.ts";

export interface OnlyCopiesOptions {
  readonly places: Places;
  /** The ids of all sessions that exist. */
  readonly metIds: ReadonlySet<string>;
  /** Returns false for a session that is not wanted; called with facts from the ledger, before a manifest is read. */
  readonly isWanted?: (one: Pick<GuardedSession, "agent" | "cwd" | "sessionId">) => boolean;
}

/** Returns a row with the problem `only_copy` for each session of which only the guard has a copy. Changes nothing. */
export function onlyCopies({ places, metIds, isWanted }: OnlyCopiesOptions): readonly SessionInfo[] {
  if (!existsSync(guardFolder(places))) return [];
  const rows: SessionInfo[] = [];
  const left = keysNotShown(places);
  for (const one of readLedger(places).values()) {
    if (metIds.has(one.sessionId) || isWanted?.(one) === false) continue;
    if (left.has(keyOf(one)) || isInPlace(one.location)) continue;
    const manifest = readManifest(one, places);
    if (manifest !== null) rows.push(copyRow(manifest.info));
  }
  return rows;
}

export function copyRow(info: SessionInfo): SessionInfo {
  const message = `${AGENT_LABELS[info.agent]} deleted this session; the guard has a copy`;
  const problem: Problem = { code: "only_copy", line: null, message };
  return { ...info, live: false, problems: [problem] };
}

/** Sessions that the person deleted: they are in the trash, or marked to be forgotten. */
export function keysNotShown(places: Places): ReadonlySet<string> {
  const inTrash = listTrash(places).sessions.map(({ info }) => keyOf(info));
  return new Set([...inTrash, ...sessionsToForget(places).map(keyOf)]);
}

/**
 * Marks a session that was permanently deleted from the trash: its copy is hidden from now on, and the next run of the
 * guard removes it.
 * Errors: those of the system.
 */
export function markToForget({ agent, sessionId }: SessionKey, places: Places): void {
  if (hasManifest({ agent, sessionId }, places))
    writeDurably(markPath({ agent, sessionId }, places), JSON.stringify({ agent, sessionId }));
}

export function sessionsToForget(places: Places): readonly SessionKey[] {
  const folder = join(guardFolder(places), "to-forget");
  return listNames(folder).flatMap((name) => {
    const mark = readJsonFile(join(folder, name));
    const isMark = isJson(mark) && typeof mark.agent === "string" && typeof mark.sessionId === "string";
    return isMark ? [{ agent: String(mark.agent), sessionId: String(mark.sessionId) }] : [];
  });
}

export function markPath(key: SessionKey, places: Places): string {
  const name = createHash("sha256").update(keyOf(key)).digest("hex");
  return join(guardFolder(places), "to-forget", `${name}.json`);
}
