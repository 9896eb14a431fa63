/**
 * Claude Code deletes sessions whose file was not changed for `cleanupPeriodDays` (settings.json, default
 * 30), about ten seconds into a longer session, once a day (2.1.330).
 */

import { join, sep } from "node:path";
import type { Problem } from "@continuo/core/model";
import { canonicalFolder, type FoundFile, type Places, readJsonFile } from "@continuo/files";

import { EXPIRY_NOTICE_DAYS } from "./limits.ts";
import { claudeFolders } from "./places.ts";

const DEFAULT_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;

/** Only for files below `projects/`; Claude Code removes no others. */
export function readExpiry(file: FoundFile, places: Places, nowMs: number): Problem[] {
  const { config, projects } = claudeFolders(places);
  if (!canonicalFolder(file.path).startsWith(canonicalFolder(projects) + sep)) return [];
  const days = readJsonFile(join(config, "settings.json"))?.cleanupPeriodDays;
  return expiryProblems(file.mtimeMs, typeof days === "number" && days >= 0 ? days : DEFAULT_DAYS, nowMs);
}

export function expiryProblems(mtimeMs: number, days: number, nowMs: number): Problem[] {
  const endMs = mtimeMs + days * DAY_MS;
  if (nowMs < endMs - EXPIRY_NOTICE_DAYS * DAY_MS) return [];
  const date = new Date(Math.min(endMs, 8.64e15)).toISOString().slice(0, 10);
  const when = nowMs < endMs ? `from ${date} on` : `at its next start (due since ${date})`;
  const message = `Claude Code deletes this session ${when}: cleanupPeriodDays is ${days}`;
  return [{ code: "expires_soon", line: null, message }];
}
