/**
 * What is done before Gemini CLI 0.61 opens a session: it may delete what was resumed last, and it empties a
 * session that is resumed in the very minute that its file is named after.
 */

import { basename } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Places } from "../../files/index.ts";
import type { BeforeResumeOptions, FoundSession } from "../kit/index.ts";
import { keepSafe } from "./safe-keeping.ts";

const FILE_OF_A_MINUTE = /^session-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-/u;
const MINUTE_MS = 60_000;
/** Its clock may be read a little later than ours. */
const MARGIN_MS = 500;

export async function beforeResume(
  found: FoundSession,
  places: Places,
  { onWait, ...options }: BeforeResumeOptions,
): Promise<void> {
  keepSafe(found, places);
  const waitMs = millisecondsToWait(found, Date.now());
  if (waitMs <= 0) return;
  onWait?.(waitMs);
  await wait(waitMs, undefined, options);
}

/** Until the minute is over that one of the session's files is named after. Pure. */
export function millisecondsToWait({ files }: Pick<FoundSession, "files">, nowMs: number): number {
  const untils = files.map(({ path }) => {
    const [, day, hour, minute] = FILE_OF_A_MINUTE.exec(basename(path)) ?? [];
    return day === undefined ? 0 : Date.parse(`${day}T${hour}:${minute}:00Z`) + MINUTE_MS + MARGIN_MS - nowMs;
  });
  const longest = Math.max(0, ...untils);
  // A file of the future is not of this minute.
  return longest > MINUTE_MS + MARGIN_MS ? 0 : longest;
}
