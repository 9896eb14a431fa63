/**
 * One list of what our readers find on disk and what agents tell of themselves: those that are open for a
 * conversation, and those whose files nobody here reads. A list that fails is told beside the others.
 */

import {
  type AgentDriver,
  type AgentSession,
  ContinuoError,
  isAgentName,
  isContinuoError,
  type SessionInfo,
} from "../model/index.ts";
import { type ListOptions, listSessions, READABLE_AGENTS } from "./lookup/index.ts";
import { canonicalFolder } from "./reader/index.ts";

const MAX_PAGES = 1_000;

export interface ListAllOptions extends Omit<ListOptions, "limit"> {
  /** Asked beside our readers. */
  readonly drivers?: readonly AgentDriver[];
}

type Row = SessionInfo | ToldSession;

/** A row of an agent's own list. */
export interface ToldSession extends AgentSession {
  readonly agent: string;
}

export interface AllSessions {
  /** Newest first. A session that both know is our reader's row: it tells more. */
  readonly sessions: readonly Row[];
  /** Which lists are missing, and why. */
  readonly failures: readonly { readonly agent: string; readonly error: ContinuoError }[];
}

export async function listAllSessions(options: ListAllOptions = {}): Promise<AllSessions> {
  const { drivers = [], agents = READABLE_AGENTS, ...reading } = options;
  const rows = new Map<string, Row>();
  const failures: { agent: string; error: ContinuoError }[] = [];
  const collect = async (agent: string, list: () => Promise<readonly Row[]>): Promise<void> => {
    try {
      for (const row of await list()) if (!rows.has(keyOf(row))) rows.set(keyOf(row), row);
    } catch (error) {
      if (options.signal?.aborted === true || !isContinuoError(error)) throw error;
      failures.push({ agent, error });
    }
  };
  // What our readers met and filters left out is not brought back by the agent's own word.
  const met = new Set<string>();
  for (const agent of agents) {
    await collect(agent, async () => {
      const { sessions, metIds } = await listSessions({ ...reading, agents: [agent] });
      for (const id of metIds) met.add(`${agent}:${id}`);
      return sessions;
    });
  }
  for (const driver of drivers) {
    await collect(driver.agent, async () => {
      const told = await toldBy(driver, options);
      return told.filter((row) => !met.has(keyOf(row)) && isWanted(row, options));
    });
  }
  return { sessions: [...rows.values()].sort(byNewest), failures };
}

function keyOf({ agent, sessionId }: Row): string {
  return `${agent}:${sessionId}`;
}

/** All pages; nothing where the agent has no list. */
async function toldBy(driver: AgentDriver, { cwd, signal }: ListAllOptions): Promise<ToldSession[]> {
  const told: ToldSession[] = [];
  const asked = { ...(cwd === undefined ? {} : { cwd }), ...(signal === undefined ? {} : { signal }) };
  let cursor: string | null = null;
  try {
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const page: Awaited<ReturnType<AgentDriver["listSessions"]>> = await driver.listSessions(
        cursor === null ? asked : { ...asked, cursor },
      );
      told.push(...page.items.map((item) => ({ ...item, agent: driver.agent })));
      cursor = page.nextCursor;
      if (cursor === null) return told;
    }
  } catch (error) {
    // What our reader finds is all there is.
    if (isContinuoError(error, "unsupported") && isAgentName(driver.agent)) return [];
    throw error;
  }
  throw new ContinuoError("agent_failed", `${driver.agent} gives more than ${MAX_PAGES} pages of sessions.`);
}

/** Not every agent keeps to the folder that it is asked about. */
function isWanted(told: ToldSession, { since, cwd }: ListAllOptions): boolean {
  const isOfFolder =
    cwd === undefined || told.cwd === null || canonicalFolder(told.cwd) === canonicalFolder(cwd);
  return isOfFolder && (since === undefined || (told.updatedAt !== null && told.updatedAt >= since));
}

function byNewest(a: Row, b: Row): number {
  const [x, y] = [a.updatedAt ?? "", b.updatedAt ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  const [i, j] = [`${a.agent}:${a.sessionId}`, `${b.agent}:${b.sessionId}`];
  return i < j ? -1 : i > j ? 1 : 0;
}
