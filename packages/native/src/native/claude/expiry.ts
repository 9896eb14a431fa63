/**
 * Once a day, about ten seconds after the start of a longer session, Claude Code deletes sessions whose file was not
 * changed for its cleanup period (2.1.330).
 */

import { sep } from "node:path";
import type { Problem } from "@continuo/core/model";
import { canonicalFolder, type FoundFile, type Places } from "@continuo/files";
import { CLEANUP_KEY, cleanupPeriodOf } from "./cleanup-period.ts";
import { EXPIRY_NOTICE_DAYS } from "./limits.ts";
import { claudeFolders } from "./places.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Returns problems only for files below `projects/`, because Claude Code removes no others.
 * @param cwd of the session; `null` if it is not known
 */
export async function readExpiry(
  file: FoundFile,
  cwd: string | null,
  places: Places,
  nowMs: number,
): Promise<Problem[]> {
  if (!isRemovable(file.path, places)) return [];
  const period = cleanupPeriodOf(places, cwd);
  const problems = expiryProblems(
    file.mtimeMs + period.days * DAY_MS,
    `${CLEANUP_KEY} is ${period.days}`,
    nowMs,
  );
  if (problems.length === 0) return [];
  // Few sessions will be deleted soon, so a command rarely loads the rules of the desktop app.
  const { desktopEnd } = await import("./desktop-exemption.ts");
  const { atMs, rule } = await desktopEnd({ file, period, places });
  return rule === null ? problems : expiryProblems(atMs, rule, nowMs);
}

export function isRemovable(path: string, places: Places): boolean {
  const { projects } = claudeFolders(places);
  return canonicalFolder(path).startsWith(canonicalFolder(projects) + sep);
}

export function expiryProblems(endMs: number, rule: string, nowMs: number): Problem[] {
  if (nowMs < endMs - EXPIRY_NOTICE_DAYS * DAY_MS) return [];
  const date = new Date(Math.min(endMs, 8.64e15)).toISOString().slice(0, 10);
  const when = nowMs < endMs ? `from ${date} on` : `at its next start (due since ${date})`;
  const message = `Claude Code deletes this session ${when}: ${rule}`;
  return [{ code: "expires_soon", line: null, message }];
}
