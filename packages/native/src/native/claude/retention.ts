/**
 * Claude Code's rules of deletion: it deletes every session that nobody wrote to for `cleanupPeriodDays`, by the time
 * stamp of its file, together with the folder next to it and the session's data in other folders (2.1.328 to 2.1.332).
 */

import { join } from "node:path";
import { present } from "@continuo/core/model";
import type { AgentRetention, SessionEnd } from "../kit/index.ts";
import { CLEANUP_KEY, cleanupPeriodOf, personalSettings, shortestPeriod } from "./cleanup-period.ts";
import { desktopEnd } from "./desktop-exemption.ts";
import { isRemovable } from "./expiry.ts";
import { EXPIRY_NOTICE_DAYS } from "./limits.ts";
import { claudeFolders } from "./places.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * The number of days that users write for "never": 0 is refused, and in earlier versions meant that nothing is kept.
 */
const NEVER_DAYS = 99_999;

/** Folders of its home that have a folder of each session. */
const FOLDERS_BESIDE = ["file-history", "session-env", "tasks"];

export const claudeRetention: AgentRetention = {
  rule(places) {
    const { days } = cleanupPeriodOf(places, null);
    return `Claude Code deletes what nobody wrote to for ${days} days, once a day (${CLEANUP_KEY})`;
  },
  async endsOf(sessions, places, memo) {
    const cwds = sessions.flatMap(({ info }) => info.cwd ?? []);
    const period = shortestPeriod(places, cwds);
    const { days, path } = period;
    const rule = `${CLEANUP_KEY} is ${days}${path === null ? "" : ` in ${path}`}`;
    const removable = sessions.filter(({ found }) => isRemovable(found.location, places));
    const soonMs = Date.now() + EXPIRY_NOTICE_DAYS * DAY_MS;
    const ends = new Map<string, SessionEnd>();
    for (const { found } of removable) {
      const written = Math.max(0, ...found.files.map(({ mtimeMs }) => mtimeMs));
      const end = { atMs: written + days * DAY_MS, rule };
      const file = found.files.find((one) => one.path === found.location);
      // The file is only read for a session that will be deleted soon.
      const desktop =
        file === undefined || end.atMs > soonMs
          ? null
          : await desktopEnd({ file, period, places, ...present({ memo }) });
      const atMs = Math.max(end.atMs, desktop?.atMs ?? 0);
      if (atMs !== Number.POSITIVE_INFINITY) ends.set(found.location, { atMs, rule: desktop?.rule ?? rule });
    }
    return ends;
  },
  beside: ({ sessionId }, places) =>
    /^[\w-]+$/u.test(sessionId)
      ? FOLDERS_BESIDE.map((folder) => join(claudeFolders(places).config, folder, sessionId))
      : [],
  // Only the time stamp of the file counts.
  renewed: (file) => file,
  setting: (places) => ({ path: personalSettings(places), keys: [CLEANUP_KEY], keepsAll: NEVER_DAYS }),
};
