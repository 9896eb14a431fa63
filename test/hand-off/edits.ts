/** Every edit of a native session. A test and the process that it kills call it in the same way. */

import { join } from "node:path";
import {
  forkNativeSession,
  handOff,
  type Places,
  renameNativeSession,
  repairNativeSession,
  restoreNativeSession,
  trashNativeSession,
} from "@continuo/agents";
import type { AgentName } from "@continuo/core/model";

export type Edit = "fork" | "rename" | "repair" | "delete" | "restore" | `hand-off to ${AgentName}`;

export const TITLE = "A title that was killed";

/** Returns the id of the session that the edit made, if it makes one. */
export async function runEdit(edit: Edit, ref: string, places: Places): Promise<string | null> {
  switch (edit) {
    case "fork":
      return (await forkNativeSession(ref, { places })).sessionId;
    case "rename":
      await renameNativeSession(ref, TITLE, { places });
      return null;
    case "repair":
      await repairNativeSession(ref, { places, write: "in place" });
      return null;
    case "delete":
      await trashNativeSession(ref, { places });
      return null;
    case "restore":
      await restoreNativeSession(ref, { places });
      return null;
    default: {
      const to = edit.slice("hand-off to ".length) as AgentName;
      const cwd = join(places.home, "project");
      return (await handOff(ref, { to, cwd, places, verifyBy: "own" })).sessionId;
    }
  }
}
