/** The rows of mirrored sessions for lists. */

import { isContinuoError, type Problem, present, type SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { lookUpSession } from "../../native/index.ts";
import type { SkimMemo } from "../../native/kit/index.ts";
import { listMirrors, type Mirror, openMirror } from "./mirror.ts";

export interface MirrorRowsOptions {
  readonly places: Places;
  /** The ids of all sessions that exist. */
  readonly metIds: ReadonlySet<string>;
  /** Decides from the facts about the mirror, before a session is read. */
  readonly isWanted?: (one: Mirror) => boolean;
  readonly memo?: SkimMemo;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Leaves out mirrors that were taken over, because they are separate sessions now; the problem `mirror` has advice.
 * Changes nothing.
 */
export async function mirrorRows(options: MirrorRowsOptions): Promise<readonly SessionInfo[]> {
  const { places, metIds, isWanted, memo, signal } = options;
  const rows: SessionInfo[] = [];
  for (const mirror of listMirrors(places)) {
    if (mirror.takenOver?.session != null || metIds.has(mirror.sessionId)) continue;
    if (isWanted?.(mirror) === false) continue;
    const { location, places: at } = openMirror(mirror, places);
    try {
      const { reader, found } = await lookUpSession(location, present({ places: at, signal }));
      rows.push(mirrorRow(await reader.skim(found, present({ part: "whole", memo, signal })), mirror));
    } catch (error) {
      // A mirror whose first bytes have not arrived yet is left out.
      if (!isContinuoError(error)) throw error;
    }
  }
  return rows;
}

/** The cwd may be missing, because the agent may note it in a file next to its sessions, which is not mirrored. */
export function mirrorRow(
  info: SessionInfo,
  { machine, folder }: Pick<Mirror, "machine" | "folder">,
): SessionInfo {
  const problem: Problem = { code: "mirror", line: null, message: `it belongs to ${machine}` };
  return { ...info, cwd: info.cwd ?? folder, live: false, problems: [...info.problems, problem] };
}
