/**
 * Claude Code's rules of deletion: every session that nobody wrote to for `cleanupPeriodDays`, by the time stamp of its file, with
 * the folder next to it and what it keeps of the session elsewhere (2.1.328 to 2.1.332).
 */

import { join } from "node:path";
import type { AgentRetention } from "../kit/index.ts";
import { CLEANUP_KEY, cleanupPeriodOf, personalSettings, shortestPeriod } from "./cleanup-period.ts";
import { isRemovable } from "./expiry.ts";
import { claudeFolders } from "./places.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

/** Days that its users write for "never": 0 is refused, and once meant that nothing is kept. */
const NEVER_DAYS = 99_999;

/** Folders of its home that have a folder of each session. */
const FOLDERS_BESIDE = ["file-history", "session-env", "tasks"];

export const claudeRetention: AgentRetention = {
  rule(places) {
    const { days } = cleanupPeriodOf(places, null);
    return `Claude Code deletes what nobody wrote to for ${days} days, once a day (${CLEANUP_KEY})`;
  },
  async endsOf(sessions, places) {
    const cwds = sessions.flatMap(({ info }) => info.cwd ?? []);
    const { days, path } = shortestPeriod(places, cwds);
    const rule = `${CLEANUP_KEY} is ${days}${path === null ? "" : ` in ${path}`}`;
    const removable = sessions.filter(({ found }) => isRemovable(found.location, places));
    return new Map(
      removable.map(({ found }) => {
        const written = Math.max(0, ...found.files.map(({ mtimeMs }) => mtimeMs));
        return [found.location, { atMs: written + days * DAY_MS, rule }];
      }),
    );
  },
  beside: ({ sessionId }, places) =>
    /^[\w-]+$/u.test(sessionId)
      ? FOLDERS_BESIDE.map((folder) => join(claudeFolders(places).config, folder, sessionId))
      : [],
  // Only the time stamp of the file counts.
  renewed: (file) => file,
  setting: (places) => ({ path: personalSettings(places), keys: [CLEANUP_KEY], keepsAll: NEVER_DAYS }),
};
