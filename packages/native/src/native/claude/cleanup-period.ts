/**
 * The days for which Claude Code keeps sessions: `cleanupPeriodDays`, 30 unless set (2.1.330). The administrator's file
 * wins, then the project's own (`settings.local.json` before `settings.json`), then the person's. Claude Code refuses a
 * number below 1.
 *
 * The settings of the project in which Claude Code starts apply to the sessions of all projects.
 */

import { join } from "node:path";
import { type Places, readJsonFile } from "@continuo/files";
import { claudeFolders } from "./places.ts";

export const CLEANUP_KEY = "cleanupPeriodDays";

const DEFAULT_DAYS = 30;

export interface CleanupPeriod {
  readonly days: number;
  /** The file with this setting; `null` if no file has it. */
  readonly path: string | null;
}

/** @param cwd the folder of the project in which Claude Code starts; `null` if the project has no settings */
export function cleanupPeriodOf(
  places: Places,
  cwd: string | null,
  managed: string = managedSettings(),
): CleanupPeriod {
  const project =
    cwd === null ? [] : ["settings.local.json", "settings.json"].map((name) => join(cwd, ".claude", name));
  for (const path of [managed, ...project, personalSettings(places)]) {
    const days = readJsonFile(path)?.[CLEANUP_KEY];
    if (typeof days === "number" && days >= 1) return { days, path };
  }
  return { days: DEFAULT_DAYS, path: null };
}

/** The shortest period that the settings of any of the projects can cause. */
export function shortestPeriod(places: Places, cwds: Iterable<string>, managed?: string): CleanupPeriod {
  let shortest = cleanupPeriodOf(places, null, managed);
  for (const cwd of new Set(cwds)) {
    const period = cleanupPeriodOf(places, cwd, managed);
    if (period.days < shortest.days) shortest = period;
  }
  return shortest;
}

export function personalSettings(places: Places): string {
  return join(claudeFolders(places).config, "settings.json");
}

/** The file of the administrator. */
export function managedSettings(): string {
  return process.platform === "darwin"
    ? "/Library/Application Support/ClaudeCode/managed-settings.json"
    : "/etc/claude-code/managed-settings.json";
}
