/** The parts of a session of pi: its file. A fork is a copy, and does not read its source (seen in 1.5.2). */

import type { FoundSession, TrashPlan } from "../kit/index.ts";

export async function trashPlan({ location }: FoundSession): Promise<TrashPlan> {
  return { type: "files", paths: [location], indexLines: [], forks: [] };
}
