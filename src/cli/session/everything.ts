/** The list of all sessions: native ones and Continuo's own, each conversation once. */

import { type ListOptions, listSessions, READABLE_AGENTS, type SessionList } from "../../agents/index.ts";
import { canonicalFolder, isJson, toTitle } from "../../agents/reader/index.ts";
import {
  type AgentName,
  type Block,
  type ContinuoError,
  isAgentName,
  isContinuoError,
  textOf,
} from "../../model/index.ts";
import {
  isSame,
  type ListedSession,
  listOwn,
  type OpenOwn,
  OWN,
  type OwnRow,
  openOwn,
  withNative,
} from "../own/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ToldRows } from "./told.ts";

export interface Everything extends Pick<SessionList, "total" | "archivedLeftOut" | "metIds"> {
  readonly sessions: readonly ListedSession[];
  /** Why Continuo's own are missing, where the store cannot be read. */
  readonly error: ContinuoError | null;
  /** Agents that were asked for their lists, and did not give them. */
  readonly failures: readonly { readonly agent: string; readonly error: ContinuoError }[];
}

export interface Wanted extends Omit<ListOptions, "agents" | "isSetAside"> {
  /**
   * Names of agents, `continuo` for its own sessions; all that are read from disk when left out. One of the
   * configuration whose files nobody reads is started and asked.
   */
  readonly agents?: readonly string[];
}

/** Where there is no store, none is loaded. Errors: `usage` for an agent that is none; those of `listTold`. */
export async function listEverything(wanted: Wanted, shell: Shell): Promise<Everything> {
  const { agents, ...options } = wanted;
  const natives = agents === undefined ? null : toAgents(agents);
  const told = await toldOf(wanted, shell);
  const opened = await openReadable(shell);
  await using store = opened.store;
  const rows = store === null ? [] : await listOwn(store);
  const list = await listSessions({
    ...options,
    ...(natives === null ? {} : { agents: natives.length > 0 ? natives : agentsOf(rows) }),
    ...(rows.length === 0 ? {} : { isSetAside: amongRefsOf(rows) }),
  });
  // The agents' own sessions were asked for their times alone.
  const isOwnAlone = natives?.length === 0;
  const alone = told.rows.filter((row) => !rows.some((one) => isSame(one, row)));
  const shown: readonly ListedSession[] = isOwnAlone ? alone : [...list.sessions, ...alone];
  const own = rows.map((row) => withNative(row, list.setAside)).filter((row) => isWanted(row, wanted));
  const sessions = [...shown, ...own].sort(byNewest).slice(0, options.limit ?? Number.POSITIVE_INFINITY);
  return {
    sessions: store === null ? sessions : await withTitles(sessions, store),
    total: (isOwnAlone ? 0 : list.total) + alone.length + own.length,
    archivedLeftOut: isOwnAlone ? 0 : list.archivedLeftOut,
    metIds: [...list.metIds, ...[...alone, ...rows].map(({ sessionId }) => sessionId)],
    error: opened.error,
    failures: told.failures,
  };
}

/** Those that are read from disk; none of them where only Continuo's own, or others, are asked for. */
function toAgents(names: readonly string[]): AgentName[] {
  return READABLE_AGENTS.filter((agent) => names.includes(agent));
}

/** The configuration is loaded only where somebody names an agent that is not read from disk. */
async function toldOf({ agents = [], cwd, since }: Wanted, shell: Shell): Promise<ToldRows> {
  const others = [...new Set(agents)].filter((name) => name !== OWN && !isAgentName(name));
  if (others.length === 0) return { rows: [], failures: [] };
  const { listTold } = await import("./told.ts");
  const filter = { ...(cwd === undefined ? {} : { cwd }), ...(since === undefined ? {} : { since }) };
  return await listTold({ agents: others, ...filter }, shell);
}

interface Readable {
  readonly store: OpenOwn | null;
  readonly error: ContinuoError | null;
}

/** A store that cannot be read takes nothing from the native list. */
async function openReadable(shell: Shell): Promise<Readable> {
  try {
    return { store: await openOwn(shell), error: null };
  } catch (error) {
    if (isContinuoError(error)) return { store: null, error };
    throw error;
  }
}

function agentsOf(rows: readonly OwnRow[]): AgentName[] {
  const names = new Set(rows.flatMap(({ nativeRefs }) => nativeRefs.map(({ agent }) => agent)));
  return READABLE_AGENTS.filter((agent) => names.has(agent));
}

function amongRefsOf(rows: readonly OwnRow[]): NonNullable<ListOptions["isSetAside"]> {
  const keys = new Set(
    rows.flatMap(({ nativeRefs }) => nativeRefs.map(({ agent, sessionId }) => `${agent}:${sessionId}`)),
  );
  return ({ agent, sessionId }) => keys.has(`${agent}:${sessionId}`);
}

/** An own session is also of the agents that took part in it. */
function isWanted(row: OwnRow, { agents, cwd, since }: Wanted): boolean {
  const isOfAgent =
    agents === undefined ||
    agents.includes(OWN) ||
    row.nativeRefs.some(({ agent }) => agents.includes(agent));
  const isOfFolder =
    cwd === undefined || (row.cwd !== null && canonicalFolder(row.cwd) === canonicalFolder(cwd));
  return (
    isOfAgent && isOfFolder && (since === undefined || (row.updatedAt !== null && row.updatedAt >= since))
  );
}

/** As the native list is sorted. */
function byNewest(a: ListedSession, b: ListedSession): number {
  const [x, y] = [a.updatedAt ?? "", b.updatedAt ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  const [i, j] = [`${a.agent}:${a.sessionId}`, `${b.agent}:${b.sessionId}`];
  return i < j ? -1 : i > j ? 1 : 0;
}

/** Of the payload of a `message_sent`, which may be no such thing. */
function wordsOf(data: unknown): string | null {
  const content = isJson(data) ? data.content : undefined;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? textOf(content.filter((block): block is Block => isJson(block))) : null;
}

/** What the person said first stands for a title that nobody gave. */
async function withTitles(
  sessions: readonly ListedSession[],
  { store }: OpenOwn,
): Promise<readonly ListedSession[]> {
  return await Promise.all(
    sessions.map(async (session) => {
      if (session.title !== null || session.agent !== OWN) return session;
      const { events } = await store.read(session.sessionId, { types: ["message_sent"], limit: 1 });
      return { ...session, title: toTitle(wordsOf(events[0]?.data)) };
    }),
  );
}
