/** Which conversation a person means: by an id, or the last one of the folder. */

import { type FoundSession, listSessions, lookUpSession } from "../../agents/index.ts";
import {
  type AgentName,
  ContinuoError,
  isAgentName,
  isContinuoError,
  type Session,
  type Store,
} from "../../model/index.ts";
import { cacheFileOf, placesOf } from "../places/index.ts";
import type { Shell } from "../terminal/index.ts";
import { TALK_LIMITS } from "./limits.ts";

export type Origin =
  | { readonly type: "own"; readonly session: Session }
  | { readonly type: "native"; readonly found: FoundSession };

interface Looking {
  readonly store: Store;
  readonly shell: Shell;
}

/**
 * A session of Continuo's by its id or the beginning of one, or an agent's by whatever finds it elsewhere. An
 * agent's session that was taken up before is Continuo's. Errors: `not_found`, `ambiguous`.
 */
export async function findOrigin(id: string, looking: Looking): Promise<Origin> {
  const own = await ownSessions(id, looking.store);
  const [only] = own;
  if (only !== undefined && (own.length === 1 || only.sessionId === id))
    return { type: "own", session: only };
  if (own.length > 1) throw ambiguous(id, own);
  const { found } = await lookUpSession(id, { places: placesOf(looking.shell), cwd: looking.shell.cwd });
  return await belongingTo(found, looking.store);
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
  let looked = 0;
  for (let cursor: string | null | undefined; cursor !== null && looked < TALK_LIMITS.lookedThrough; ) {
    const page = await store.listSessions({ limit: 500, ...(cursor === undefined ? {} : { cursor }) });
    const session = page.items.find((one) => nativeIdOf(one, found.agent) === found.sessionId);
    if (session !== undefined) return { type: "own", session };
    looked += page.items.length;
    cursor = page.nextCursor;
  }
  return { type: "native", found };
}

export function nativeIdOf({ metadata }: Session, agent: string): string | null {
  const references = metadata.providerSessions as
    | Readonly<Record<string, { readonly sessionId?: unknown } | undefined>>
    | undefined;
  const id = references?.[agent]?.sessionId;
  return typeof id === "string" ? id : null;
}

/** The newest of the folder, of Continuo's and of the agents'. Errors: `not_found`. */
export async function lastOrigin(
  { store, shell }: Looking,
  { cwd, agent }: { readonly cwd: string; readonly agent: string | null },
): Promise<Origin> {
  const own = (await store.listSessions({ cwd, limit: 50 })).items.find(
    (session) => agent === null || session.agent === agent,
  );
  const native = await newestNative(shell, cwd, agent);
  if (native !== null && isNewer(native.updatedAt, own?.updatedAt))
    return await belongingTo(native.found, store);
  if (own !== undefined) return { type: "own", session: own };
  const whose = agent === null ? "" : ` of ${agent}`;
  throw new ContinuoError("not_found", `there is no session${whose} in ${cwd} to continue`, {
    hint: "`continuo session list` shows those of every folder.",
  });
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
