/** Every edit of native sessions, one by one, in a home whose disk is full or read-only. */

import { appendFileSync, cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import {
  forkNativeSession,
  handOff,
  listNativeSessions,
  openSessionAdapter,
  type Places,
  renameNativeSession,
  repairNativeSession,
  restoreNativeSession,
  trashNativeSession,
} from "@continuo/agents";
import type { AgentName, SessionInfo } from "@continuo/core/model";
import { FORMATS } from "../hand-off/homes.ts";
import { tested } from "../tested-agents.ts";

const FIXTURES = join(import.meta.dirname, "../fixtures");
/** The folder of each agent's files, below a home, and a session that can be damaged. */
export const FIXTURES_OF: Readonly<Record<AgentName, { readonly folder: string; readonly fixture: string }>> =
  tested(({ folder, recorded }) => ({ folder, fixture: recorded.powerCut }));

/** A session of a fixture, copied into a home. */
async function useFixture(agent: AgentName, places: Places): Promise<SessionInfo> {
  const { folder, fixture } = FIXTURES_OF[agent];
  cpSync(join(FIXTURES, agent, fixture, "home"), join(places.home, folder), { recursive: true });
  const [info] = await listNativeSessions({ agents: [agent], places });
  if (info === undefined) throw new Error(`no session of ${agent}`);
  return info;
}

export interface EditedHome {
  readonly places: Places;
  /** The edits, by name. */
  readonly edits: Readonly<Record<string, () => Promise<unknown>>>;
}

/** A session to edit, a damaged one, a deleted one, and one of another agent. */
export async function prepareHome(agent: AgentName, home: string): Promise<EditedHome> {
  const cwd = join(home, "project");
  mkdirSync(cwd, { recursive: true });
  const places: Places = { home, env: {} };
  const damaged = await useFixture(agent, places);
  const source = await useFixture(agent === "pi" ? "claude" : "pi", places);
  if (agent !== "opencode") appendFileSync(damaged.location, '{"type":"user","to');
  const create = async (): Promise<{ readonly sessionId: string; readonly sessionFile: string }> => {
    await using adapter = openSessionAdapter({ format: FORMATS[agent], places, create: { cwd } });
    await adapter.appendUserMessage("Begin.");
    return { sessionId: (await adapter.getMetadata()).sessionId, sessionFile: adapter.sessionFile };
  };
  const whole = await create();
  const deleted = await create();
  await trashNativeSession(`${agent}:${deleted.sessionId}`, { places });
  const ref = `${agent}:${whole.sessionId}`;
  return {
    places,
    edits: {
      create,
      append: async () => {
        await using adapter = openSessionAdapter({ format: FORMATS[agent], places, ...whole });
        await adapter.appendUserMessage("Go on.");
      },
      fork: () => forkNativeSession(ref, { places }),
      rename: () => renameNativeSession(ref, "Another title", { places }),
      repair: () => repairNativeSession(`${agent}:${damaged.sessionId}`, { places, write: "in place" }),
      "hand over": () =>
        handOff(`${source.agent}:${source.sessionId}`, { to: agent, cwd, places, verifyBy: "own" }),
      restore: () => restoreNativeSession(`${agent}:${deleted.sessionId}`, { places }),
      delete: () => trashNativeSession(ref, { places }),
    },
  };
}
