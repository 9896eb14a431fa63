/**
 * The parts of a session of Claude Code: its file and the folder next to it, as its own deletion takes them (seen in
 * 2.1.330), and sub-agents' files of older versions. A fork is a full copy and does not read its source.
 */

import { basename, dirname, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import type { FoundSession, TrashPlan } from "../kit/index.ts";
import { isSessionId, subagentIdOf } from "./find.ts";
import { sidecarFolder } from "./sidecar-files.ts";
import { readSubagents } from "./subagents.ts";

/** Errors: `unsupported` for a sub-agent inside of another session's file. */
export async function trashPlan({ location, sessionId }: FoundSession): Promise<TrashPlan> {
  if (/\.jsonl#[^/]+$/u.test(location)) {
    throw new ContinuoError(
      "unsupported",
      `cannot delete ${sessionId}: it is part of another session's file`,
      {
        hint: "Delete the other session.",
      },
    );
  }
  const paths = [location];
  if (subagentIdOf(location) !== null) paths.push(location.replace(/\.jsonl$/u, ".meta.json"));
  else if (/.\.jsonl$/u.test(basename(location))) {
    if (isSessionFolder(sidecarFolder(location))) paths.push(sidecarFolder(location));
    for (const subagent of await readSubagents(location, sessionId)) {
      if (dirname(subagent.location) !== dirname(location)) continue;
      paths.push(subagent.location, join(dirname(location), `agent-${subagent.id}.meta.json`));
    }
  }
  return { type: "files", paths, indexLines: [], forks: [] };
}

/** A folder of another name may belong to something else: `memory`, the sources next to a file that was copied, the parent (`..`). */
function isSessionFolder(folder: string): boolean {
  return isSessionId(basename(folder));
}
