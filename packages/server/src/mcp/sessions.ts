/** Opens the session that a caller names. */

import { devNull } from "node:os";
import {
  type CatalogSession,
  excludes,
  isSubagentPlace,
  type ListedSession,
  type LookUpHit,
  type LookUpOptions,
  listCatalog,
  locateRow,
  lookUp,
  OWN,
  openCatalogSession,
} from "@continuo/agents/catalog";
import { ContinuoError, isContinuoError } from "@continuo/core/model";
import type { ToolContext } from "./tool-context.ts";

export interface OpenedSession {
  /** The name by which the caller can open it again. */
  readonly name: string;
  readonly located: LookUpHit;
  readonly shown: CatalogSession & Disposable;
}

/** Matches a short id that cannot be read as an instruction. Other names stay inside quotes. */
const PLAIN_ID = /^[\w.-]{1,100}$/u;

/** Returns `AGENT:ID`, or the location of a sub-agent, which is in no list, or of a session with an unusual id. */
export function nameFor({
  agent,
  sessionId,
  location,
  parentId = null,
}: Match & { readonly parentId?: string | null }): string {
  return PLAIN_ID.test(sessionId) && parentId === null ? `${agent}:${sessionId}` : location;
}

export function isPlainName(name: string): boolean {
  return /^[a-z][\w-]{0,40}:[\w.-]{1,100}$/u.test(name);
}

/**
 * Errors: `not_found`, also for a session that is kept out of the index; `ambiguous`; those of opening it. A path is
 * accepted only as the name of a session in the list: no other file is read.
 */
export async function openNamed(name: string, context: ToolContext): Promise<OpenedSession> {
  const located = await locate(name, context);
  const session = await openCatalogSession(located, context.places);
  const { details } = session;
  const isExcluded = excludes(await context.exclude(), context.places.home);
  if (isExcluded(details.location) || (details.cwd !== null && isExcluded(details.cwd))) {
    session[Symbol.dispose]();
    throw notFound(name);
  }
  return { name: isPath(name) ? name : nameFor(details), located, shown: session };
}

async function locate(name: string, context: ToolContext): Promise<LookUpHit> {
  const looking = sourcesOf(context);
  if (!isPath(name)) return await lookUpById(name, looking);
  const { sessions } = await listCatalog({ archived: "include" }, looking);
  const row = sessions.find(({ location }) => location === name);
  if (row !== undefined) return await locateRow(row, context.places);
  // Lists contain no sub-agents.
  if (!(await isSubagentPlace(name, context.places))) throw notFound(name);
  return await lookUp(name, { ...looking, examples: "without examples" });
}

function isPath(name: string): boolean {
  return /[/\\#]/u.test(name);
}

async function lookUpById(name: string, looking: LookUpOptions): Promise<LookUpHit> {
  try {
    // A file of the caller's folder must not be accepted as a session because of its name.
    const places = { ...looking.places, cwd: devNull };
    return await lookUp(name, { ...looking, places, examples: "without examples" });
  } catch (error) {
    if (isContinuoError(error, "not_found")) throw notFound(name);
    if (!isContinuoError(error, "ambiguous")) throw error;
    const matches = error.details.matches as readonly Match[];
    throw new ContinuoError("ambiguous", error.message, {
      hint: `Name one of them: ${matches.map((match) => JSON.stringify(matchName(match, matches))).join(", ")}.`,
    });
  }
}

type Match = Pick<ListedSession, "agent" | "sessionId" | "location">;

/** Two files can have the same id. Then the name is the location of the file. */
function matchName(match: Match, matches: readonly Match[]): string {
  const name = nameFor(match);
  return matches.filter((one) => nameFor(one) === name).length > 1 ? match.location : name;
}

/** Returns the places in which a caller's sessions are searched. */
function sourcesOf({ places, ownSessions }: ToolContext): {
  readonly places: ToolContext["places"];
  readonly store?: null;
} {
  return ownSessions === "hidden" ? { places, store: null } : { places };
}

/** Deleted sessions are visible only to the person. */
export function isVisible({ agent, trashId }: SeenSession, { ownSessions }: ToolContext): boolean {
  return trashId === null && (ownSessions === "shown" || agent !== OWN);
}

interface SeenSession {
  readonly agent: string;
  readonly trashId: string | null;
}

function notFound(name: string): ContinuoError {
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(name)}`, {
    hint: "Use `search` to find sessions: its answer names each of them.",
  });
}
