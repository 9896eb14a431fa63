/** The places of Copilot's sessions, and the facts in the names of folders and files. Seen in 1.0.102. */

import { basename, dirname, join, resolve } from "node:path";
import type { Places } from "@continuo/files";

/** The file of a session, in a folder that is named by the session's id. */
export const EVENTS = "events.jsonl";

/** `COPILOT_HOME` moves everything that Copilot stores. */
function copilotHome({ home, env }: Places): string {
  return env.COPILOT_HOME ? resolve(env.COPILOT_HOME) : join(home, ".copilot");
}

/** One folder for each session. */
export function sessionsFolder(places: Places): string {
  return join(copilotHome(places), "session-state");
}

/** The session id in the path of a session's file; `null` for a file of another name. */
export function sessionIdOf(path: string): string | null {
  return basename(path) === EVENTS ? basename(dirname(path)) : null;
}
