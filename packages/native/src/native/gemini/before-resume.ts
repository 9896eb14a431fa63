/**
 * Protects a session before Gemini CLI 0.61 opens it. Gemini CLI may delete the session that was resumed last, and it
 * empties a session that is resumed during the minute in the name of its file. So the file gets a name that Gemini CLI
 * gives to no other file. If another program may have the session open, this code waits for the next minute instead.
 */

import { setTimeout as wait } from "node:timers/promises";
import { ancestorsOf, type Places, programsIn } from "@continuo/files";
import type { BeforeResumeOptions, FoundSession } from "../kit/index.ts";
import { millisecondsToWait, withOwnName } from "./names.ts";
import { keepSafe } from "./safety-copies.ts";
import { cwdOf } from "./skim.ts";

export async function beforeResume(
  found: FoundSession,
  places: Places,
  { onWait, ...options }: BeforeResumeOptions,
): Promise<FoundSession> {
  keepSafe(found, places);
  const waitMs = millisecondsToWait(found, Date.now());
  if (waitMs <= 0) return found;
  if (!isOpenElsewhere(found)) return withOwnName(found);
  onWait?.(waitMs);
  await wait(waitMs, undefined, options);
  return found;
}

/**
 * Returns true if a Gemini CLI that this process did not start works in the folder, or may work there. That program
 * appends to files by their names.
 */
function isOpenElsewhere(found: FoundSession): boolean {
  const folder = cwdOf(found);
  const programs = folder === null ? null : programsIn(folder, "gemini");
  const isOurs = (pid: number): boolean =>
    ancestorsOf(pid)?.some((ancestor) => ancestor.pid === process.pid) === true;
  return programs === null || programs.some(({ pid }) => !isOurs(pid));
}
