/**
 * The parts of a session of Copilot: its folder, which holds the file, checkpoints, and copies of what it changed. The rows
 * about it in `session-store.db` stay: Copilot lists by folders (seen in 1.0.102).
 */

import { dirname } from "node:path";
import type { FoundSession, TrashPlan } from "../kit/index.ts";
import { sessionIdOf } from "./places.ts";
import { isUuid } from "./resume-flaw.ts";

export async function trashPlan({ location }: FoundSession): Promise<TrashPlan> {
  // A file that was copied elsewhere may be in a folder with unrelated files.
  const path = isUuid(sessionIdOf(location)) ? dirname(location) : location;
  return { type: "files", paths: [path], indexLines: [], forks: [] };
}
