/**
 * Sessions of the desktop app (read in 2.1.332). A session belongs to the app if its first or last record names one of
 * the app's programs, or if the app released it. Claude Code's sweep deletes the session only after
 * `desktopSessionCleanupPeriodDays`, if that is set, or after the app released it. An administrator's
 * `cleanupPeriodDays` applies to these sessions too.
 */

import { type FoundFile, type Places, readJsonFile, statFile } from "@continuo/files";
import { type MemoKey, NO_MEMO, type SkimMemo } from "../kit/index.ts";
import { type CleanupPeriod, managedSettings, personalSettings } from "./cleanup-period.ts";
import { readEnds } from "./file-ends.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const DESKTOP_KEY = "desktopSessionCleanupPeriodDays";
const OF_DESKTOP: MemoKey = { what: "claude of the desktop app", isBrief: true };
const PROGRAMS = new Set(["claude-desktop", "claude-desktop-3p", "local-agent", "local_agent"]);

/** The end of the period of a session whose file the sweep keeps longer than others. */
export interface DesktopEnd {
  /** Milliseconds since 1970; infinite for one that no rule deletes. */
  readonly atMs: number;
  /** `null` if the general rule applies to the session. */
  readonly rule: string | null;
}

interface DesktopFile {
  readonly file: FoundFile;
  /** The period for all sessions. */
  readonly period: CleanupPeriod;
  readonly places: Places;
  readonly managed?: string;
  readonly memo?: SkimMemo;
}

/** Sessions of other programs end with their period. Errors: those of reading the file. */
export async function desktopEnd({
  file,
  period,
  places,
  managed = managedSettings(),
  memo = NO_MEMO,
}: DesktopFile): Promise<DesktopEnd> {
  const end = { atMs: file.mtimeMs + period.days * DAY_MS, rule: null };
  if (period.path === managed) return end;
  const release = releaseOf(file.path);
  if (release?.reason === "delete") return end;
  if (release === null && !(await memo.remember(file, OF_DESKTOP, () => isOfDesktop(file)))) return end;
  const days = ceilingOf(places, managed);
  const ceilingMs =
    days === 0 ? Number.POSITIVE_INFINITY : file.mtimeMs + Math.max(days, period.days) * DAY_MS;
  const ceiling = { atMs: ceilingMs, rule: `${DESKTOP_KEY} is ${days}` };
  if (release === null) return ceiling;
  // For an archived session, the period begins when it was archived.
  const graceMs = Math.max(end.atMs, release.mtimeMs + period.days * DAY_MS);
  return graceMs <= ceilingMs ? { atMs: graceMs, rule: null } : ceiling;
}

/** 0 if the days are not limited. */
function ceilingOf(places: Places, managed: string): number {
  for (const path of [managed, personalSettings(places)]) {
    const days = readJsonFile(path)?.[DESKTOP_KEY];
    if (typeof days === "number" && days >= 0) return days;
  }
  return 0;
}

interface Release {
  readonly reason: "delete" | "archive";
  readonly mtimeMs: number;
}

function releaseOf(path: string): Release | null {
  const marker = path.replace(/\.jsonl$/u, ".desktop-released.json");
  const file = statFile(marker);
  const reason = file === null ? null : readJsonFile(marker)?.reason;
  if (file === null || (reason !== "delete" && reason !== "archive")) return null;
  return { reason, mtimeMs: file.mtimeMs };
}

async function isOfDesktop(file: FoundFile): Promise<boolean> {
  const { head, tail } = await readEnds(file);
  const named = (text: string): readonly string[] =>
    [...text.matchAll(/"entrypoint": ?"([^"\\]*)"/gu)].map(([, name = ""]) => name);
  return [named(head).at(0), named(tail).at(-1)].some((name) => name !== undefined && PROGRAMS.has(name));
}
