/** Runs of the guard by command, and their output. */

import { visibleLine } from "@continuo/core/transcript";
import { placesOf } from "@continuo/files";
import { type GuardRun, readGuardSettings } from "@continuo/native/editing/guard";
import { createOutput, formatCount, plural, type Shell, toJsonText } from "../terminal/index.ts";
import type { RunFlags } from "./flags.ts";
import { runAlong, runNow } from "./quiet-run.ts";

/** The longest time that the command waits for another run. */
const WAIT_MS = 60_000;

/**
 * If the guard is off, the command only prints that. Errors: `busy`, `unwritable`, `corrupt` for settings that cannot
 * be read.
 */
export async function runRun({ quiet, json }: RunFlags, shell: Shell): Promise<number> {
  if (quiet === true) {
    await runAlong(shell);
    return 0;
  }
  const output = createOutput(shell.stdout);
  if (!readGuardSettings(placesOf(shell)).on) {
    await output.write(
      json ? `${toJsonText({ on: false }, 2)}\n` : "The guard is off: `continuo guard on` turns it on.\n",
    );
    return 0;
  }
  const run = await runNow(shell, WAIT_MS);
  await output.write(json ? `${toJsonText({ on: true, ...run }, 2)}\n` : drawRun(run));
  return 0;
}

/** Draws the counts of a run, and a line for each session that could not be copied. */
export function drawRun({
  sessions,
  stored,
  unchanged,
  excluded,
  failed,
  removed,
  withoutRoom,
}: GuardRun): string {
  const lines = [
    `${plural(sessions, "session")} that an agent may delete: ${formatCount(stored)} copied now, ${formatCount(unchanged)} as they were`,
    ...(excluded > 0 ? [`${plural(excluded, "session is", "sessions are")} excluded by continuo.yaml`] : []),
    ...(removed > 0
      ? [`${plural(removed, "copy", "copies")} removed: beyond the limits, or deleted for good`]
      : []),
    ...(withoutRoom > 0
      ? [
          `${plural(withoutRoom, "session has", "sessions have")} no copy: the limit of size is reached; --max-size of \`guard on\` raises it`,
        ]
      : []),
    ...failed.map(({ sessionId, message }) => `not copied: ${sessionId}: ${message}`),
  ];
  return `${lines.map(visibleLine).join("\n")}\n`;
}
