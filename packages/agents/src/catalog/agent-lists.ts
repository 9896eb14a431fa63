/** Reads the lists that agents report about their own sessions, and adds them to the sessions that readers find. */

import {
  type AgentDriver,
  assertKnownOptions,
  ContinuoError,
  cancellable,
  type DriverSession,
  isAgentName,
  isContinuoError,
  isFailure,
  type KnownOptions,
  present,
  type SessionInfo,
} from "@continuo/core/model";
import { canonicalFolder } from "@continuo/files";
import { type ListOptions, READABLE_AGENTS, readNativeList } from "@continuo/native";
import { CATALOG_LIMITS } from "./limits.ts";
import type { ListedSession } from "./rows.ts";

/** A row of an agent's own list. */
export interface ReportedSession extends DriverSession {
  readonly agent: string;
}

export interface ListFailure {
  readonly agent: string;
  readonly error: ContinuoError;
}

interface Filter {
  readonly cwd?: string;
  readonly since?: string;
  readonly signal?: AbortSignal;
}

/** Returns true if only the agent's own list names its sessions. */
export function isListedOnlyByAgent(agent: string): boolean {
  return !isAgentName(agent);
}

/** Makes a row of the list. The name of the session is used in place of the location, which is unknown. */
export function rowOfAgentList({ agent, sessionId, title, cwd, updatedAt }: ReportedSession): ListedSession {
  return {
    agent,
    sessionId,
    title,
    cwd,
    updatedAt,
    gitBranch: null,
    createdAt: null,
    sizeBytes: null,
    archived: false,
    live: null,
    problems: [],
    location: `${agent}:${sessionId}`,
  };
}

/**
 * Reads all pages of the agent's own list, and starts its program if none is open. Returns an empty list if the agent
 * has no list, but Continuo reads its sessions. Errors: `agent_missing`, `agent_failed`; `unsupported` for another
 * agent that has no list.
 */
export async function agentListOf(driver: AgentDriver, filter: Filter): Promise<readonly ReportedSession[]> {
  try {
    return (await pagesOf(driver, filter)).filter((listed) => isWanted(listed, filter));
  } catch (error) {
    if (isContinuoError(error, "unsupported") && isAgentName(driver.agent)) return [];
    throw error;
  }
}

async function pagesOf(driver: AgentDriver, { cwd, signal }: Filter): Promise<readonly ReportedSession[]> {
  const listed: ReportedSession[] = [];
  const asked = present({ cwd, signal });
  let cursor: string | null = null;
  for (let pages = 0; pages < CATALOG_LIMITS.toldPages; pages += 1) {
    const page: Awaited<ReturnType<AgentDriver["listSessions"]>> = await driver.listSessions(
      cursor === null ? asked : { ...asked, cursor },
    );
    listed.push(...page.items.map((item) => ({ ...item, agent: driver.agent })));
    cursor = page.nextCursor;
    if (cursor === null) return listed;
  }
  throw new ContinuoError(
    "agent_failed",
    `${driver.agent} lists more than ${CATALOG_LIMITS.toldPages} pages of sessions`,
  );
}

/** Filters by folder too, because some agents also return sessions of other folders. */
function isWanted(listed: ReportedSession, { since, cwd }: Filter): boolean {
  const isOfFolder =
    cwd === undefined || listed.cwd === null || canonicalFolder(listed.cwd) === canonicalFolder(cwd);
  return isOfFolder && (since === undefined || (listed.updatedAt !== null && listed.updatedAt >= since));
}

export interface AgentLists {
  readonly listed: readonly ReportedSession[];
  readonly failures: readonly ListFailure[];
}

/** Returns the lists of several agents, together with the failures of the other lists. */
export async function agentListsOf(drivers: readonly AgentDriver[], filter: Filter): Promise<AgentLists> {
  const listed: ReportedSession[] = [];
  const failures: ListFailure[] = [];
  for (const driver of drivers) {
    try {
      listed.push(...(await agentListOf(driver, filter)));
    } catch (error) {
      if (filter.signal?.aborted === true || !isFailure(error)) throw error;
      failures.push({ agent: driver.agent, error });
    }
  }
  return { listed, failures };
}

export interface ListAgentSessionsOptions extends Omit<ListOptions, "limit"> {
  /** Drivers whose lists are read in addition to our readers. */
  readonly drivers?: readonly AgentDriver[];
}

const LIST_OPTIONS: KnownOptions<ListAgentSessionsOptions> = {
  drivers: true,
  agents: true,
  cwd: true,
  since: true,
  newestBy: true,
  archived: true,
  empty: true,
  places: true,
  memo: true,
  isSetAside: true,
  signal: true,
  onProgress: true,
};

export interface AgentSessionList {
  /** Newest first. If both know a session, the reader's row is used: it has more facts. */
  readonly sessions: readonly (SessionInfo | ReportedSession)[];
  /** The lists that are missing, each with its reason. */
  readonly failures: readonly ListFailure[];
}

/** Lists the sessions that readers find on disk, and those that agents report. */
export async function listAgentSessions(options: ListAgentSessionsOptions = {}): Promise<AgentSessionList> {
  assertKnownOptions("listAgentSessions", options, LIST_OPTIONS);
  return await cancellable(options.signal, () => listSessions(options));
}

async function listSessions(options: ListAgentSessionsOptions): Promise<AgentSessionList> {
  const { drivers = [], agents = READABLE_AGENTS, ...reading } = options;
  const rows = new Map<string, SessionInfo | ReportedSession>();
  const failures: ListFailure[] = [];
  // A session that a filter removed stays removed if an agent reports it too.
  const met = new Set<string>();
  for (const agent of agents) {
    try {
      const { sessions, metIds } = await readNativeList({ ...reading, agents: [agent] });
      for (const id of metIds) met.add(`${agent}:${id}`);
      for (const row of sessions) rows.set(`${agent}:${row.sessionId}`, row);
    } catch (error) {
      if (options.signal?.aborted === true || !isFailure(error)) throw error;
      failures.push({ agent, error });
    }
  }
  const lists = await agentListsOf(drivers, options);
  for (const row of lists.listed) {
    const key = `${row.agent}:${row.sessionId}`;
    if (!met.has(key) && !rows.has(key)) rows.set(key, row);
  }
  return { sessions: [...rows.values()].sort(byTime), failures: [...failures, ...lists.failures] };
}

function byTime(a: SessionInfo | ReportedSession, b: SessionInfo | ReportedSession): number {
  const [x, y] = [a.updatedAt ?? "", b.updatedAt ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  return `${a.agent}:${a.sessionId}` < `${b.agent}:${b.sessionId}` ? -1 : 1;
}
