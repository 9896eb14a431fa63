/** Which conversation a person means: by an id, or the last one of the folder. */

import { type FoundSession, listSessions, lookUpSession, type ToldSession } from "../../agents/index.ts";
import {
  type AgentDriver,
  type AgentName,
  ContinuoError,
  isAgentName,
  isContinuoError,
  type Session,
  type Store,
} from "../../model/index.ts";
import type { Configuration } from "../config/index.ts";
import { isToldAlone, openDriver, toldSessions } from "../driving/index.ts";
import { cacheFileOf, placesOf } from "../places/index.ts";
import type { Shell } from "../terminal/index.ts";
import { TALK_LIMITS } from "./limits.ts";
import { nativeIdOf } from "./native-id.ts";

export type Origin =
  | { readonly type: "own"; readonly session: Session }
  | { readonly type: "native"; readonly found: FoundSession }
  /** By its agent's own word alone: nobody here reads its files. */
  | { readonly type: "told"; readonly told: ToldSession };

interface Looking {
  readonly store: Store;
  readonly shell: Shell;
}

export interface Finding extends Looking {
  readonly configuration: Configuration;
  /** Asked for what is found nowhere else. */
  readonly lister: () => Promise<AgentDriver | null>;
}

/**
 * A session of Continuo's by its id or the beginning of one, or an agent's by whatever finds it elsewhere. An
 * agent's session that was taken up before is Continuo's. Errors: `not_found`, `ambiguous`.
 */
export async function findOrigin(id: string, looking: Finding): Promise<Origin> {
  const own = await ownSessions(id, looking.store);
  const [only] = own;
  if (only !== undefined && (own.length === 1 || only.sessionId === id))
    return { type: "own", session: only };
  if (own.length > 1) throw ambiguous(id, own);
  const named = await findNamed(id, looking);
  if (named !== null) return named;
  try {
    const { found } = await lookUpSession(id, { places: placesOf(looking.shell), cwd: looking.shell.cwd });
    return await belongingTo(found, looking.store);
  } catch (error) {
    if (!isContinuoError(error, "not_found")) throw error;
    const lister = await looking.lister();
    const told = lister === null ? null : await findTold(id, lister, looking.store);
    if (told === null) throw error;
    return told;
  }
}

/** `NAME:ID` of an agent whose files nobody here reads; one that lists nothing is believed by its id. */
async function findNamed(id: string, { configuration, shell, store }: Finding): Promise<Origin | null> {
  const [, agent = "", sessionId = ""] = /^([a-z][a-z0-9-]*):(.+)$/u.exec(id) ?? [];
  const settings = isToldAlone(agent) ? configuration.agents[agent] : undefined;
  if (settings === undefined) return null;
  const told = await findTold(sessionId, await openDriver(settings, shell), store);
  return told ?? (await originAt({ agent, sessionId, cwd: null }, { store, shell }));
}

/** Where an agent says that it is. Errors: `not_found` where our reader does not find it. */
export async function originAt(
  { agent, sessionId, cwd }: NativeId & { readonly cwd: string | null },
  { store, shell }: Looking,
): Promise<Origin> {
  if (isToldAlone(agent)) {
    return await belongingToTold({ agent, sessionId, cwd, title: null, updatedAt: null }, store);
  }
  const { found } = await lookUpSession(`${agent}:${sessionId}`, { places: placesOf(shell) });
  return await belongingTo(found, store);
}

async function ownSessions(id: string, store: Store): Promise<readonly Session[]> {
  const exact = id === "" ? null : await store.getSession(id);
  if (exact !== null) return [exact];
  if (!/^[\w-]+$/u.test(id)) return [];
  return (await store.listSessions({ prefix: id, limit: 5 })).items;
}

function ambiguous(id: string, sessions: readonly Session[]): ContinuoError {
  const matches = sessions.map(({ sessionId, title }) => ({
    agent: "continuo",
    sessionId,
    location: title ?? "",
  }));
  return new ContinuoError("ambiguous", `${JSON.stringify(id)} names ${matches.length} sessions or more`, {
    hint: "Give more of the id.",
    details: { matches },
  });
}

/** The session of Continuo's that goes on there, if there is one. */
export async function belongingTo(found: FoundSession, store: Store): Promise<Origin> {
  return (await ownWith(found, store)) ?? { type: "native", found };
}

/** As `belongingTo`, of what an agent tells. */
async function belongingToTold(told: ToldSession, store: Store): Promise<Origin> {
  return (await ownWith(told, store)) ?? { type: "told", told };
}

/**
 * A session that an agent tells of, by its id, or the beginning of one where the agent lists its sessions.
 *
 * Errors: `ambiguous`; those of starting the agent.
 */
async function findTold(id: string, driver: AgentDriver, store: Store): Promise<Origin | null> {
  const listed = (await toldSessions(driver, {})).filter(({ sessionId }) => sessionId.startsWith(id));
  const exact = listed.find(({ sessionId }) => sessionId === id);
  if (exact === undefined && listed.length > 1) {
    const matches = listed.map(({ agent, sessionId, title }) => ({
      agent,
      sessionId,
      location: title ?? "",
    }));
    throw new ContinuoError("ambiguous", `${JSON.stringify(id)} names ${matches.length} sessions`, {
      hint: "Give more of the id.",
      details: { matches },
    });
  }
  const told = exact ?? listed[0];
  return told === undefined ? null : await belongingToTold(told, store);
}

interface NativeId {
  readonly agent: string;
  readonly sessionId: string;
}

async function ownWith({ agent, sessionId }: NativeId, store: Store): Promise<Origin | null> {
  let looked = 0;
  for (let cursor: string | null | undefined; cursor !== null && looked < TALK_LIMITS.lookedThrough; ) {
    const page = await store.listSessions({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    const session = page.items.find((one) => nativeIdOf(one, agent) === sessionId);
    if (session !== undefined) return { type: "own", session };
    looked += page.items.length;
    cursor = page.nextCursor;
  }
  return null;
}

export interface LastWhere {
  readonly cwd: string;
  /** Of this agent alone. */
  readonly agent: string | null;
  /** Asked for its own list, too. */
  readonly lister: AgentDriver | null;
}

/** The newest of the folder, of Continuo's and of the agents'. Errors: `not_found`; those of asking. */
export async function lastOrigin(
  { store, shell }: Looking,
  { cwd, agent, lister }: LastWhere,
): Promise<Origin> {
  const own = (await store.listSessions({ cwd, limit: 50 })).items.find(
    (session) => agent === null || session.agent === agent,
  );
  const native = await newestNative(shell, cwd, agent);
  const [told] = lister === null ? [] : await toldSessions(lister, { cwd });
  const known = [own?.updatedAt, native?.updatedAt ?? undefined].filter((time) => time !== undefined);
  if (told !== undefined && known.every((time) => isNewer(told.updatedAt, time)))
    return await belongingToTold(told, store);
  if (native !== null && isNewer(native.updatedAt, own?.updatedAt))
    return await belongingTo(native.found, store);
  if (own !== undefined) return { type: "own", session: own };
  throw await nothingToContinue({ store, shell }, { cwd, agent, lister });
}

async function nothingToContinue(looking: Looking, { cwd, agent }: LastWhere): Promise<ContinuoError> {
  const whose = agent === null ? "" : ` of ${agent}`;
  const other = agent === null ? null : await newestOfAny(looking, cwd);
  const hint =
    other === null
      ? "`continuo session list` shows those of every folder."
      : `The newest one here goes on with ${agent} by --resume ${other} instead of --continue.`;
  return new ContinuoError("not_found", `there is no session${whose} in ${cwd} to continue`, { hint });
}

async function newestOfAny({ store, shell }: Looking, cwd: string): Promise<string | null> {
  const [own] = (await store.listSessions({ cwd, limit: 1 })).items;
  const native = await newestNative(shell, cwd, null);
  if (native !== null && isNewer(native.updatedAt, own?.updatedAt)) return native.found.sessionId;
  return own?.sessionId ?? null;
}

function isNewer(native: string | null, own: string | undefined): boolean {
  if (own === undefined) return true;
  return native !== null && Date.parse(native) > Date.parse(own);
}

async function newestNative(
  shell: Shell,
  cwd: string,
  agent: string | null,
): Promise<{ readonly found: FoundSession; readonly updatedAt: string | null } | null> {
  if (agent !== null && !isAgentName(agent)) return null;
  const places = placesOf(shell);
  const agents: { readonly agents?: readonly AgentName[] } = agent === null ? {} : { agents: [agent] };
  const { sessions } = await listSessions({
    places,
    cwd,
    limit: 1,
    cacheFile: cacheFileOf(shell),
    ...agents,
  });
  const [newest] = sessions;
  if (newest === undefined) return null;
  try {
    return { found: (await lookUpSession(newest, { places })).found, updatedAt: newest.updatedAt };
  } catch (error) {
    // It went away meanwhile.
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}
