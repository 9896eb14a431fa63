/** The rows of mirrored sessions, as lists show them. */

import { isContinuoError, type Problem, present, type SessionInfo } from "@continuo/core/model";
import type { Places } from "@continuo/files";
import { lookUpSession } from "../../native/index.ts";
import type { SkimMemo } from "../../native/kit/index.ts";
import { listMirrors, type Mirror, openMirror } from "./mirror.ts";

export interface MirrorRowsOptions {
  readonly places: Places;
  /** The ids of all sessions that exist. */
  readonly metIds: ReadonlySet<string>;
  /** A look at what the note knows, before a session is read. */
  readonly isWanted?: (one: Mirror) => boolean;
  readonly memo?: SkimMemo;
  readonly signal?: AbortSignal | undefined;
}

/** Those that were taken over are separate sessions now; `mirror` among the problems says what to do. Reads only. */
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
      // Its first bytes are still on their way.
      if (!isContinuoError(error)) throw error;
    }
  }
  return rows;
}

/** A file beside the sessions of an agent may name their folders, and is not mirrored. */
export function mirrorRow(
  info: SessionInfo,
  { machine, folder }: Pick<Mirror, "machine" | "folder">,
): SessionInfo {
  const problem: Problem = { code: "mirror", line: null, message: `it belongs to ${machine}` };
  return { ...info, cwd: info.cwd ?? folder, live: false, problems: [...info.problems, problem] };
}
