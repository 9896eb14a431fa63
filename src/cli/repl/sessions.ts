/** The sessions of a folder: Continuo's own, and those of agents that nobody took up yet. */

import { findSessions, listAllSessions } from "../../agents/index.ts";
import { type AgentDriver, isContinuoError } from "../../model/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import type { Talk } from "../conversation/index.ts";
import { cacheFileOf, placesOf } from "../places/index.ts";
import { cutEnd, type Paint, relativeTime, type Shell } from "../terminal/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface SessionRow {
  readonly sessionId: string;
  readonly agent: string;
  readonly title: string;
  readonly updatedAt: string | null;
  readonly isCurrent: boolean;
}

export interface Here {
  readonly rows: readonly SessionRow[];
  /** Which lists are missing, and why. */
  readonly missing: readonly string[];
}

/** `asking` asks the agent that is open, too, and one whose files nobody here reads. */
export async function listHere(talk: Talk, shell: Shell, asking?: "asking"): Promise<Here> {
  const lister = asking === undefined ? { drivers: [], missing: [] } : await listerOf(talk);
  const store = await talk.store();
  const { items } = await store.listSessions({ cwd: talk.cwd, limit: 200 });
  const own = items.map((session) => ({
    sessionId: session.sessionId,
    agent: session.agent ?? "",
    title: session.title ?? "untitled",
    updatedAt: session.updatedAt,
    isCurrent: session.sessionId === talk.session?.sessionId,
  }));
  const kept = new Set(items.flatMap(({ metadata }) => nativeIds(metadata)));
  const { sessions, failures } = await listAllSessions({
    places: placesOf(shell),
    cwd: talk.cwd,
    cacheFile: cacheFileOf(shell),
    drivers: lister.drivers,
  });
  const native = sessions
    .filter(({ agent, sessionId }) => !kept.has(`${agent}:${sessionId}`))
    .map(({ agent, sessionId, title, updatedAt }) => ({
      sessionId,
      agent,
      title: title ?? "untitled",
      updatedAt,
      isCurrent: false,
    }));
  const rows = [...own, ...native].toSorted((a, b) => timeOf(b) - timeOf(a));
  const missing = failures.map(({ agent, error }) => missingList(agent, error));
  return { rows: rows.slice(0, REPL_LIMITS.sessionRows), missing: [...lister.missing, ...missing] };
}

interface Listers {
  readonly drivers: readonly AgentDriver[];
  readonly missing: readonly string[];
}

async function listerOf(talk: Talk): Promise<Listers> {
  try {
    const lister = await talk.lister();
    return { drivers: lister === null ? [] : [lister], missing: [] };
  } catch (error) {
    if (!isContinuoError(error)) throw error;
    return { drivers: [], missing: [missingList(talk.agent, error)] };
  }
}

function missingList(agent: string, { message }: Error): string {
  return `the list of ${agent} is missing: ${message}`;
}

function nativeIds(metadata: Readonly<Record<string, unknown>>): string[] {
  const references = (metadata.providerSessions ?? {}) as Readonly<Record<string, { sessionId?: unknown }>>;
  return Object.entries(references).map(([agent, { sessionId }]) => `${agent}:${String(sessionId)}`);
}

function timeOf({ updatedAt }: SessionRow): number {
  return updatedAt === null ? 0 : Date.parse(updatedAt);
}

interface Drawing {
  readonly shell: Shell;
  readonly paint: Paint;
  readonly columns: number;
}

/** Enough of each id to tell it from the others. */
export function toLines(rows: readonly SessionRow[], { paint, columns }: Drawing): string[] {
  const now = new Date();
  const length = idLength(rows.map(({ sessionId }) => sessionId));
  const agents = Math.max(...rows.map(({ agent }) => agent.length));
  return rows.map(({ sessionId, agent, title, updatedAt, isCurrent }) => {
    const id = visibleLine(sessionId.slice(0, length)).padEnd(length);
    const facts = `${visibleLine(agent).padEnd(agents)}  ${relativeTime(updatedAt, now).padEnd(10)}`;
    const room = Math.max(10, columns - length - agents - 20);
    const shown = cutEnd(visibleLine(title), room);
    return `${isCurrent ? paint("*", "green") : " "} ${paint(id, "cyan")}  ${paint(facts, "dim")}  ${shown}`;
  });
}

const MIN_ID_CHARS = 8;

function idLength(ids: readonly string[]): number {
  for (let length = MIN_ID_CHARS; length < 40; length++) {
    if (new Set(ids.map((id) => id.slice(0, length))).size === ids.length) return length;
  }
  return Math.max(...ids.map((id) => id.length));
}

/** For Tab: of this folder without a beginning, of every folder with one. */
export async function idsBeginning(prefix: string, talk: Talk, shell: Shell): Promise<readonly string[]> {
  if (prefix === "") return (await listHere(talk, shell)).rows.map(({ sessionId }) => sessionId);
  const store = await talk.store();
  const own = /^[\w-]+$/u.test(prefix)
    ? (await store.listSessions({ prefix, limit: REPL_LIMITS.candidates })).items.map(
        ({ sessionId }) => sessionId,
      )
    : [];
  const ids = new Set(own);
  for await (const { sessionId } of findSessions({ places: placesOf(shell) })) {
    if (sessionId.startsWith(prefix)) ids.add(sessionId);
    if (ids.size >= REPL_LIMITS.candidates) break;
  }
  return [...ids].filter((id) => /^[\w.-]+$/u.test(id));
}
