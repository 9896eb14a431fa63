/** The sessions of a folder: Continuo's own, and agents' sessions that Continuo has not continued yet. */

import { isOwn, listCatalog, readOwn, rowsByIdPrefix } from "@continuo/agents/catalog";
import type { Talk } from "@continuo/agents/conversations";
import { type AgentDriver, isContinuoError } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { cutEnd, type Paint, relativeTime, type Shell } from "../terminal/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface FolderRow {
  readonly sessionId: string;
  readonly agent: string;
  readonly title: string;
  readonly updatedAt: string | null;
  readonly isCurrent: boolean;
}

export interface FolderOptions {
  readonly rows: readonly FolderRow[];
  /** The lists that are missing, each with its reason. */
  readonly missing: readonly string[];
}

/** With `asking`, the agent of the conversation is asked too, if Continuo does not read its files. */
export async function listFolder(talk: Talk, shell: Shell, asking?: "asking"): Promise<FolderOptions> {
  const lister = asking === undefined ? { drivers: [], missing: [] } : await listerOf(talk);
  const { sessions, failures } = await listCatalog(
    { cwd: talk.cwd, limit: REPL_LIMITS.sessionRows, drivers: lister.drivers },
    { places: shell, store: readOwn(await talk.store()) },
  );
  const rows = sessions.map((row) => ({
    sessionId: row.sessionId,
    agent: isOwn(row) ? (row.lastAgent ?? "") : row.agent,
    title: row.title ?? "untitled",
    updatedAt: row.updatedAt,
    isCurrent: isOwn(row) && row.sessionId === talk.session?.sessionId,
  }));
  const missing = failures.map(({ agent, error }) => missingList(agent, error));
  return { rows, missing: [...lister.missing, ...missing] };
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
  return `cannot list the sessions of ${agent}: ${message}`;
}

interface DrawOptions {
  readonly shell: Shell;
  readonly paint: Paint;
  readonly columns: number;
}

/** Draws a line per session, with enough characters of each id to distinguish it from the others. */
export function toLines(rows: readonly FolderRow[], { paint, columns }: DrawOptions): string[] {
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

/** The candidates of Tab: the sessions of this folder if no prefix is typed, otherwise those of every folder. */
export async function idsBeginning(prefix: string, talk: Talk, shell: Shell): Promise<readonly string[]> {
  const looking = { places: shell, store: readOwn(await talk.store()) };
  const rows = prefix === "" ? (await listFolder(talk, shell)).rows : await rowsByIdPrefix(prefix, looking);
  return [...new Set(rows.map(({ sessionId }) => sessionId))].filter((id) => /^[\w.-]+$/u.test(id));
}
