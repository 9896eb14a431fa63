/** Finds the conversation that a person means, by a name, or the last one of the folder. */

import {
  type AgentDriver,
  ContinuoError,
  isAgentName,
  present,
  type Session,
  type Store,
} from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { lookUpSession } from "@continuo/native";
import type { FoundSession } from "@continuo/native/kit";
import {
  type AgentListOptions,
  isListedOnlyByAgent,
  isOwn,
  type ListedSession,
  lastSession,
  lookUp,
  ownSessionContinuedIn,
  type ReportedSession,
  type ResolvedSession,
  readOwn,
} from "../catalog/index.ts";
import { type Configuration, openDriver } from "../config/index.ts";
import type { ConversationAgent } from "./conversation-agent.ts";

export type Origin =
  | { readonly type: "own"; readonly session: Session }
  | { readonly type: "native"; readonly found: FoundSession }
  /** A session that only its agent reports, because Continuo does not read its files. */
  | { readonly type: "told"; readonly told: ReportedSession };

interface OriginSources {
  readonly store: Store;
  readonly places: PlacesAt;
}

export interface FindOriginOptions extends OriginSources {
  readonly configuration: Configuration;
  /** Called for an id that was found nowhere else. */
  readonly lister: () => Promise<AgentDriver | null>;
}

/**
 * Finds the session that a name means, as in every command. An agent's session that was imported before is found as
 * Continuo's session.
 * Errors: as `lookUp` of the catalog.
 */
export async function findOrigin(name: string, looking: FindOriginOptions): Promise<Origin> {
  const { store, places, configuration, lister } = looking;
  const asking: AgentListOptions = {
    async named(agent) {
      const settings = configuration.agents[agent];
      return settings === undefined ? null : await openDriver(settings, places);
    },
    lister,
  };
  const own = readOwn(store);
  const named = await lookUp(name, {
    places,
    store: own,
    examples: "without examples",
    copies: "restore",
    asking,
  });
  return await originOf(named, looking);
}

/**
 * The agent chooses its last session, so the id is known only after it has opened the session for the first turn.
 * Errors: as `ConversationAgent.enter`; `not_found`.
 */
export async function lastOriginByAgent(
  { name: agent, enter }: ConversationAgent,
  { cwd, note, ...sources }: OriginSources & { readonly cwd: string; readonly note: (text: string) => void },
): Promise<Origin> {
  const { sessionId, resumption } = await enter({
    cwd,
    continueLast: true,
    continueBy: "agent",
    ...(isListedOnlyByAgent(agent) ? { wantHistory: true } : {}),
  });
  if (resumption.steps?.[0]?.outcome === "not offered") {
    note(`${agent} cannot choose its last session itself: the newest one in its list is used`);
  }
  return await originAt({ agent, sessionId, cwd }, sources);
}

/**
 * Finds a session by its agent and its id. Errors: `not_found` if Continuo reads the agent's files and does not find
 * it.
 */
async function originAt(
  {
    agent,
    sessionId,
    cwd,
  }: { readonly agent: string; readonly sessionId: string; readonly cwd: string | null },
  looking: OriginSources,
): Promise<Origin> {
  if (isListedOnlyByAgent(agent)) {
    return await originOf(
      { kind: "told", told: { agent, sessionId, cwd, title: null, updatedAt: null } },
      looking,
    );
  }
  const ref = isAgentName(agent) ? { agent, sessionId, location: null } : `${agent}:${sessionId}`;
  const { found } = await lookUpSession(ref, { places: looking.places });
  return await belongingTo({ type: "native", found }, looking);
}

async function originOf(named: ResolvedSession, looking: OriginSources): Promise<Origin> {
  switch (named.kind) {
    case "own":
      return { type: "own", session: await sessionOf(named.row, looking.store) };
    case "native":
      return await belongingTo({ type: "native", found: named.native.found }, looking);
    case "told":
      return await belongingTo({ type: "told", told: named.told }, looking);
  }
}

/** Finds Continuo's own session that continues in the native session, or was cut off in it. */
async function belongingTo(
  origin: Exclude<Origin, { type: "own" }>,
  { store, places }: OriginSources,
): Promise<Origin> {
  const row = await ownSessionContinuedIn(
    origin.type === "told" ? origin.told : origin.found,
    readOwn(store),
  );
  if (row !== null) return { type: "own", session: await sessionOf(row, store) };
  if (origin.type === "told") return origin;
  const { cutOffIn } = await import("./crash-recovery.ts");
  const session = await cutOffIn(origin.found, { store, places, cwd: places.cwd });
  return session === null ? origin : { type: "own", session };
}

/** Errors: `not_found` if it disappeared in the meantime. */
async function sessionOf({ sessionId }: Pick<ListedSession, "sessionId">, store: Store): Promise<Session> {
  const session = await store.getSession(sessionId);
  if (session !== null) return session;
  throw new ContinuoError("not_found", `session ${sessionId} was deleted in the meantime`);
}

export interface LastSessionQuery {
  readonly cwd: string;
  /** Only sessions in which this agent took part. */
  readonly agent: string | null;
  /** The agent whose own list is requested, too. */
  readonly lister: AgentDriver | null;
}

/**
 * Finds the newest session of the folder; for one agent, the newest in which it took part. Errors: `not_found`; those
 * of the agent's own list.
 */
export async function lastOrigin(looking: OriginSources, where: LastSessionQuery): Promise<Origin> {
  const row = await newestRow(looking, where);
  if (row === null) throw await nothingToContinue(looking, where);
  const { store, places } = looking;
  if (isOwn(row)) return { type: "own", session: await sessionOf(row, store) };
  const { agent, sessionId, location, cwd } = row;
  if (!isAgentName(agent)) return { type: "told", told: row };
  const { found } = await lookUpSession({ agent, sessionId, location, cwd }, { places });
  return await belongingTo({ type: "native", found }, { store, places: { ...places, cwd: where.cwd } });
}

async function newestRow(
  { store, places }: OriginSources,
  { cwd, agent, lister }: LastSessionQuery,
): Promise<ListedSession | null> {
  const { row, failures } = await lastSession(
    present({
      cwd,
      agents: agent === null ? undefined : [agent],
      drivers: lister === null ? undefined : [lister],
    }),
    { places, store: readOwn(store) },
  );
  const [failure] = failures;
  if (failure !== undefined) throw failure.error;
  return row;
}

async function nothingToContinue(
  looking: OriginSources,
  { cwd, agent }: LastSessionQuery,
): Promise<ContinuoError> {
  const whose = agent === null ? "" : ` of ${agent}`;
  const other = agent === null ? null : await newestRow(looking, { cwd, agent: null, lister: null });
  const hint =
    other === null
      ? "Run `continuo session list` to see the sessions of all folders."
      : `Continue the newest session here with ${agent} by --resume ${other.sessionId} instead of --continue.`;
  return new ContinuoError("not_found", `there is no session${whose} in ${cwd} to continue`, { hint });
}
