/**
 * The files that Gemini CLI 0.61.0 will delete by itself, and the records that it will lose:
 *
 * - `expires_soon`: at the start of any session of the folder, it deletes sessions whose `lastUpdated` is older than
 *   `general.sessionRetention.maxAge` (30 days unless set)
 * - `deleted_on_start`: at the same time, it deletes every file that it cannot list: a file without a session id and a
 *   project hash, or without a conversation. With each deleted file it deletes every other one whose name ends in the
 *   same eight characters. Each resumption leaves a file that it cannot list: it has only the context of the new start,
 *   and is separate from the file of the session. A session that is being resumed is not deleted.
 * - `lost_on_resume`: it also splits lines at U+2028 and U+2029, and loses a record that contains one of them unescaped
 */

import { basename, dirname, sep } from "node:path";
import type { Problem } from "@continuo/core/model";
import { canonicalFolder, namesIn, type Places } from "@continuo/files";
import type { FoundSession } from "../kit/index.ts";
import type { Index } from "./index-fold.ts";
import { EXPIRY_NOTICE_DAYS } from "./limits.ts";
import { geminiFolders, isSessionName, shortIdOf } from "./places.ts";
import { type Retention, readRetention } from "./settings.ts";
import type { NeighbourEnd } from "./sweep.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

export interface ListedFile {
  readonly cwd: string | null;
  /** The time in the metadata; `null` counts as now. */
  readonly lastUpdated: string | null;
  /** True if Gemini CLI lists the session. */
  readonly listed: boolean;
}

/**
 * Returns problems only for files in the folders where Gemini CLI looks, because it deletes no others. `maxCount` is
 * left to the guard and the doctor, because it depends on all files of the folder.
 */
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
  const neighbour = hasNamesake(found.location) ? await neighbourOf(found.location, retention) : null;
  const isDue = neighbour !== null && neighbour.atMs <= nowMs;
  return [
    ...(isDue ? [neighbourProblem(neighbour)] : []),
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

function hasNamesake(path: string): boolean {
  const shortId = shortIdOf(path);
  if (shortId === null) return false;
  return namesIn(dirname(path)).some((name) => name !== basename(path) && shortIdOf(name) === shortId);
}

/** Few sessions have a file with the same ending, so a command rarely loads the rules. */
async function neighbourOf(path: string, retention: Retention): Promise<NeighbourEnd | null> {
  const { sweepOf } = await import("./sweep.ts");
  return await (await sweepOf(dirname(path), { ...retention, maxCount: null })).neighbourOf(path);
}

function neighbourProblem({ path, why }: NeighbourEnd): Problem {
  const reason = why === "unlisted" ? "cannot list" : "deletes because of its age";
  const message = `Gemini CLI ${reason} ${basename(path)}, whose name ends as this session's does: it deletes both when it next starts another session in this folder`;
  return { code: "deleted_on_start", line: null, message };
}

export function separatorProblems(records: ReadonlySet<number>, index: Index): Problem[] {
  return [...records].map((record) => ({
    code: "lost_on_resume",
    line: index.line[record] ?? null,
    message:
      "the record holds a raw U+2028 or U+2029: Gemini CLI does not see it when it resumes the session",
  }));
}
