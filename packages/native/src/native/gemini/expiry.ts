/**
 * The files that Gemini CLI 0.61.0 is going to delete, or not to see, by itself:
 *
 * - `expires_soon`: at the start of any session of the folder it deletes those whose `lastUpdated` is older
 *   than `general.sessionRetention.maxAge` (30 days unless set)
 * - `deleted_on_start`: at the same time it deletes every file that it cannot list: without a session id and a
 *   project hash, or with nothing of a conversation. With such a file it deletes every other one whose name
 *   ends in the same eight characters. Each resumption leaves such a file: one with nothing but the context of
 *   the new start, in addition to the session itself. A session that is being resumed is spared.
 * - `lost_on_resume`: it splits a file at U+2028 and U+2029 too, and loses a record that holds one raw
 */

import { basename, dirname, join, sep } from "node:path";
import type { Problem } from "@continuo/core/model";
import { canonicalFolder, namesIn, type Places, statFile } from "@continuo/files";
import type { FoundSession } from "../kit/index.ts";
import type { Index } from "./index-fold.ts";
import { EXPIRY_NOTICE_DAYS } from "./limits.ts";
import { geminiFolders, isSessionName, shortIdOf } from "./places.ts";
import { type Retention, readRetention } from "./settings.ts";
import { skimFile } from "./skim-file.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface ListedFile {
  readonly cwd: string | null;
  /** The time by the metadata; `null` counts as now. */
  readonly lastUpdated: string | null;
  /** True if Gemini CLI lists the session. */
  readonly listed: boolean;
}

/** For files in the folders where Gemini CLI looks; it deletes no others. */
export async function readDeletions(
  found: FoundSession,
  session: ListedFile,
  places: Places,
  nowMs: number,
): Promise<Problem[]> {
  const folders = geminiFolders(places);
  const isAtHome = canonicalFolder(found.location).startsWith(canonicalFolder(folders.projects) + sep);
  const isSession = isSessionName(basename(found.location)) && basename(dirname(found.location)) === "chats";
  if (!isAtHome || !isSession) return [];
  const retention = readRetention(folders.config, session.cwd, places.env);
  if (!retention.enabled) return [];
  if (!session.listed) {
    const message =
      "Gemini CLI does not list this session: it deletes the file at its next start in this folder";
    return [{ code: "deleted_on_start", line: null, message }];
  }
  const neighbour = await brokenNeighbour(found.location);
  return [
    ...(neighbour === null ? [] : [neighbourProblem(neighbour)]),
    ...expiryProblems(session.lastUpdated, retention, nowMs),
  ];
}

export function expiryProblems(lastUpdated: string | null, retention: Retention, nowMs: number): Problem[] {
  if (lastUpdated === null || retention.maxAgeMs === null) return [];
  const endMs = Date.parse(lastUpdated) + retention.maxAgeMs;
  if (nowMs < endMs - EXPIRY_NOTICE_DAYS * DAY_MS) return [];
  const date = new Date(Math.min(endMs, 8.64e15)).toISOString().slice(0, 10);
  const when = nowMs < endMs ? `from ${date} on` : `at its next start in this folder (due since ${date})`;
  const message = `Gemini CLI deletes this session ${when}: general.sessionRetention.maxAge is ${retention.maxAge}`;
  return [{ code: "expires_soon", line: null, message }];
}

function neighbourProblem(path: string): Problem {
  const message = `Gemini CLI cannot list ${basename(path)}, whose name ends as this session's does: it deletes both when it next starts another session in this folder`;
  return { code: "deleted_on_start", line: null, message };
}

/** A file that Gemini CLI cannot list and whose name ends in the same eight characters; `null` if there is none. */
export async function brokenNeighbour(path: string): Promise<string | null> {
  const shortId = shortIdOf(path);
  if (shortId === null) return null;
  for (const name of namesIn(dirname(path))) {
    const other = join(dirname(path), name);
    if (other === path || !isSessionName(name) || shortIdOf(name) !== shortId) continue;
    const file = statFile(other);
    if (file === null) continue;
    const { firsts } = await skimFile(file, { part: "whole" });
    if (!firsts.conversation || firsts.directory === undefined) return other;
  }
  return null;
}

/** Thousands of files are compared by their names at once. */
export function aloneIn(folder: string): (path: string) => boolean {
  const counts = new Map<string, number>();
  for (const name of namesIn(folder)) {
    const id = shortIdOf(name);
    if (id !== null) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return (path) => (counts.get(shortIdOf(path) ?? "") ?? 0) <= 1;
}

export function separatorProblems(records: ReadonlySet<number>, index: Index): Problem[] {
  return [...records].map((record) => ({
    code: "lost_on_resume",
    line: index.line[record] ?? null,
    message:
      "the record holds a raw U+2028 or U+2029: Gemini CLI does not see it when it resumes the session",
  }));
}
