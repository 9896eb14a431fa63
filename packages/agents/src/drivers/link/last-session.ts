/** The session that was used last, by Continuo's own order: in the list of its reader, else in the agent's list. */

import {
  ContinuoError,
  type DriverSession,
  type OpenConversation,
  present,
  type ResumptionStep,
  type SessionInfo,
} from "@continuo/core/model";
import { canonicalFolder } from "@continuo/files";
import { type AgentReader, type FoundSession, isSpoken } from "@continuo/native/kit";
import type { DriverOptions } from "./options.ts";

export interface Lister {
  /** The agent's name for people, for messages. */
  readonly agent: string;
  /** Returns the agent's complete own list; called if Continuo cannot read its sessions. Errors: `unsupported`. */
  list(): Promise<readonly DriverSession[]>;
}

type LastSessionScope = Pick<OpenConversation, "cwd" | "signal">;

/** Errors: `not_found`, `unsupported`. */
export async function lastSession(
  lister: Lister,
  where: LastSessionScope,
  options: DriverOptions,
): Promise<{ readonly sessionId: string; readonly step: ResumptionStep }> {
  const { reader } = options;
  const last =
    reader === undefined
      ? newestOf(await lister.list(), where.cwd)
      : await lastOnDisk(reader, where, options);
  const way = reader === undefined ? "list by the agent" : "list from disk";
  const step: ResumptionStep = { step: way, outcome: "done" };
  if (last !== null) return { sessionId: last.sessionId, step };
  throw new ContinuoError("not_found", `${lister.agent} has no session in ${where.cwd} to continue`, {
    details: { steps: [step] },
  });
}

/**
 * The newest session of the folder, or of an unknown folder; `null` if there is none. Pure, except that it resolves
 * links.
 */
function newestOf(sessions: readonly DriverSession[], cwd: string): DriverSession | null {
  const folder = canonicalFolder(cwd);
  let newest: DriverSession | null = null;
  for (const session of sessions) {
    if (session.cwd !== null && canonicalFolder(session.cwd) !== folder) continue;
    if (newest === null || timeOf(session) > timeOf(newest)) newest = session;
  }
  return newest;
}

function timeOf({ updatedAt }: Pick<DriverSession, "updatedAt">): number {
  const time = updatedAt === null ? Number.NaN : Date.parse(updatedAt);
  return Number.isNaN(time) ? Number.NEGATIVE_INFINITY : time;
}

/** At every start, agents begin files without any message: such a session is not continued. */
async function lastOnDisk(
  reader: AgentReader,
  { cwd, signal }: LastSessionScope,
  { places }: DriverOptions,
): Promise<FoundSession | null> {
  const sessions: { readonly found: FoundSession; readonly info: SessionInfo }[] = [];
  const folder = present({ cwd: canonicalFolder(cwd), signal });
  for await (const found of reader.find(places, folder)) {
    if (found.archived) continue;
    sessions.push({ found, info: await reader.skim(found, present({ part: "ends", signal })) });
  }
  sessions.sort((a, b) => timeOf(b.info) - timeOf(a.info));
  for (const { found } of sessions) {
    if (await isSpoken(found, present({ reader, places, signal }))) return found;
  }
  return null;
}
