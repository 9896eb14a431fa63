/** Updates the index for a command, with progress on a terminal. */

import { type Texts, updateTexts } from "@continuo/agents/catalog";
import { readHomeConfiguration } from "@continuo/agents/config";
import { present } from "@continuo/core/model";
import { placesOf } from "@continuo/files";
import { createProgress, formatCount, formatSize, type Shell } from "../terminal/index.ts";

/** Patterns of sessions that are kept out of the index. Errors: as `readHomeConfiguration`. */
export async function patternsOf(shell: Shell): Promise<readonly string[]> {
  return (await readHomeConfiguration(shell)).indexExclude;
}

/** @param timeMs the time limit; none by default */
export async function updateWithProgress(shell: Shell, timeMs?: number): Promise<Texts> {
  using progress = createProgress(shell);
  return await updateTexts({
    places: placesOf(shell),
    exclude: await patternsOf(shell),
    ...present({ timeMs }),
    onProgress: ({ sessions, ofSessions, sizeBytes, ofBytes }) => {
      const share = `${formatSize(sizeBytes)} of ${formatSize(ofBytes)}`;
      progress.show(`indexed ${formatCount(sessions)} of ${formatCount(ofSessions)} sessions, ${share}`);
    },
  });
}
