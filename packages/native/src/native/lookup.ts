/** Finds the one session that a person names by an id, the beginning of an id, `agent:id`, or a path. */

import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import {
  type AgentName,
  assertKnownOptions,
  ContinuoError,
  cancellable,
  isAgentName,
  type KnownOptions,
  type NativeRef,
} from "@continuo/core/model";
import { fileOfLocation, type Places, placesOfThisUser } from "@continuo/files";
import type { AgentReader, FoundSession, SavedSkimMemo } from "./kit/index.ts";

import { pick } from "./list.ts";
import { formatOf, READABLE_AGENTS } from "./registry.ts";

export interface LookupOptions {
  readonly places?: Places;
  /** The folder for relative paths; by default that of the process. */
  readonly cwd?: string;
  /** The memo in which lists store their results. With it, an id can be found without opening every file. */
  readonly memo?: SavedSkimMemo;
  readonly signal?: AbortSignal;
}

export const LOOKUP_OPTIONS: KnownOptions<LookupOptions> = {
  places: true,
  cwd: true,
  memo: true,
  signal: true,
};

/** A session by exactly its id. Its location, if it is known, is looked at first. */
export interface ExactRef extends Pick<NativeRef, "sessionId" | "location"> {
  readonly agent: AgentName;
  readonly cwd?: NativeRef["cwd"];
}

/**
 * The text of a person, a row of a list, or a result of `findNativeSessions`, which does not have to be searched again.
 */
export type SessionRef = string | ExactRef | FoundSession;

export interface Lookup {
  readonly reader: AgentReader;
  readonly found: FoundSession;
}

/**
 * A reference is found at its location, or by exactly its id. A text is a path if the file exists, and otherwise an id
 * or the beginning of one.
 *
 * Errors: `not_found`; `ambiguous` with `details.matches: [{ agent, sessionId, location }]`.
 */
export async function lookUpSession(ref: SessionRef, options: LookupOptions = {}): Promise<Lookup> {
  assertKnownOptions("lookUpSession", options, LOOKUP_OPTIONS);
  return await cancellable(options.signal, () => lookUp(ref, options));
}

async function lookUp(ref: SessionRef, options: LookupOptions): Promise<Lookup> {
  const places = options.places ?? placesOfThisUser();
  if (typeof ref !== "string" && "files" in ref) return { reader: await formatOf(ref.agent), found: ref };
  if (typeof ref !== "string") return await lookUpRef(ref, places, options);
  if (ref === "") throw notFound(ref);
  const byPath = await lookUpPath(ref, places, options);
  if (byPath !== null) return byPath;
  const { agent, id } = splitId(ref);
  const unread: string[] = [];
  const matches = await matchesOf(id, agent === null ? READABLE_AGENTS : [agent], places, {
    ...options,
    unread,
  });
  const exact = matches.filter((match) => match.found.sessionId.toLowerCase() === id.toLowerCase());
  const candidates = exact.length > 0 ? exact : matches;
  const [only] = candidates;
  if (only === undefined) throw notFound(ref, unread);
  if (candidates.length > 1) throw ambiguous(ref, candidates);
  return only;
}

async function lookUpRef(ref: ExactRef, places: Places, options: LookupOptions): Promise<Lookup> {
  const reader = await formatOf(ref.agent);
  const found = ref.location === null ? null : await reader.recognise(ref.location, places);
  // The file may belong to another session than when the reference was made.
  if (found?.sessionId === ref.sessionId) return { reader, found };
  const matches = await matchesOf(ref.sessionId, [ref.agent], places, options);
  const exact = matches.filter((match) => match.found.sessionId === ref.sessionId);
  const [first] = exact;
  if (first === undefined) throw notFound(`${ref.agent}:${ref.sessionId}`);
  // Only a place can tell two of the same id apart.
  if (exact.length > 1 && ref.location === null) throw ambiguous(`${ref.agent}:${ref.sessionId}`, exact);
  return first;
}

async function lookUpPath(text: string, places: Places, options: LookupOptions): Promise<Lookup | null> {
  const path = isAbsolute(text) ? text : resolve(options.cwd ?? process.cwd(), text);
  // A database names the session after a `#`.
  const isFile = statSync(fileOfLocation(path), { throwIfNoEntry: false })?.isFile() ?? false;
  if (!isFile && !text.includes("/")) return null;
  if (!isFile) throw new ContinuoError("not_found", `there is no file ${path}`);
  for (const agent of READABLE_AGENTS) {
    const reader = await formatOf(agent);
    const found = await reader.recognise(path, places);
    if (found !== null) return { reader, found };
  }
  throw new ContinuoError("unsupported", `${path} is not a session of an agent that Continuo reads`, {
    hint: `Give a session of ${READABLE_AGENTS.join(", ")}.`,
  });
}

async function matchesOf(
  id: string,
  agents: readonly AgentName[],
  places: Places,
  options: LookupOptions & { readonly unread?: string[] },
): Promise<Lookup[]> {
  const wanted = id.toLowerCase();
  const matches: Lookup[] = [];
  for (const agent of agents) {
    const reader = await formatOf(agent);
    for await (const found of reader.find(places, pick(options, "memo", "signal"))) {
      if (found.sessionId.toLowerCase().startsWith(wanted)) matches.push({ reader, found });
      const unreadable = found.problems.find(({ code }) => code === "unreadable");
      if (unreadable !== undefined) options.unread?.push(unreadable.message);
    }
  }
  return matches;
}

function splitId(text: string): { agent: AgentName | null; id: string } {
  const [, name, rest] = /^([a-z]+):(.+)$/su.exec(text) ?? [];
  return isAgentName(name) && rest !== undefined ? { agent: name, id: rest } : { agent: null, id: text };
}

/** @param unread the reasons why sessions could not be read; the wanted session may be one of them. */
function notFound(text: string, unread: readonly string[] = []): ContinuoError {
  const [first] = unread;
  const more = unread.length > 1 ? `, and ${unread.length - 1} more` : "";
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(text)}`, {
    hint:
      first === undefined
        ? "Run `continuo session list --all --archived` to see every session."
        : `Check what Continuo could not read: ${first}${more}.`,
  });
}

function ambiguous(text: string, candidates: readonly Lookup[]): ContinuoError {
  const matches = candidates.map(({ found }) => pick(found, "agent", "sessionId", "location"));
  return new ContinuoError("ambiguous", `${JSON.stringify(text)} names ${matches.length} sessions`, {
    hint: "Give more of the id, AGENT:ID, or the path of the file.",
    details: { matches },
  });
}
