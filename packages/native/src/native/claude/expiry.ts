/**
 * Claude Code deletes sessions whose file was not changed for its cleanup period, about ten seconds into a longer session,
 * once a day (2.1.330).
 */

import { sep } from "node:path";
import type { Problem } from "@continuo/core/model";
import { canonicalFolder, type FoundFile, type Places } from "@continuo/files";
import { cleanupPeriodOf } from "./cleanup-period.ts";
import { EXPIRY_NOTICE_DAYS } from "./limits.ts";
import { claudeFolders } from "./places.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Only for files below `projects/`; Claude Code removes no others.
 * @param cwd of the session; `null` where it is not known
 */
export function readExpiry(file: FoundFile, cwd: string | null, places: Places, nowMs: number): Problem[] {
  if (!isRemovable(file.path, places)) return [];
  return expiryProblems(file.mtimeMs, cleanupPeriodOf(places, cwd).days, nowMs);
}

export function isRemovable(path: string, places: Places): boolean {
  const { projects } = claudeFolders(places);
  return canonicalFolder(path).startsWith(canonicalFolder(projects) + sep);
}

export function expiryProblems(mtimeMs: number, days: number, nowMs: number): Problem[] {
  const endMs = mtimeMs + days * DAY_MS;
  if (nowMs < endMs - EXPIRY_NOTICE_DAYS * DAY_MS) return [];
  const date = new Date(Math.min(endMs, 8.64e15)).toISOString().slice(0, 10);
  const when = nowMs < endMs ? `from ${date} on` : `at its next start (due since ${date})`;
  const message = `Claude Code deletes this session ${when}: cleanupPeriodDays is ${days}`;
  return [{ code: "expires_soon", line: null, message }];
}
