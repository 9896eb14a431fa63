/** From what a person types to one session, Continuo's own or native. */

import { type Lookup, lookUpSession } from "../../agents/index.ts";
import { ContinuoError, isAgentName, isContinuoError } from "../../model/index.ts";
import { type LocatedSession, locate, placesOf } from "../places/index.ts";
import type { Shell } from "../terminal/index.ts";
import { ownStoreUrl } from "./place.ts";
import { OWN, type OwnRow } from "./rows.ts";
import { findOwn, openOwn } from "./store.ts";

export type Located =
  | { readonly kind: "own"; readonly row: OwnRow }
  | { readonly kind: "native"; readonly native: LocatedSession };

/**
 * As `locate`, among Continuo's own sessions too. The store is asked only where it may know better.
 *
 * Errors: as `locate`, and those of opening the store.
 */
export async function locateAny(
  id: string,
  shell: Shell,
  examples: "with examples" | "without examples" = "with examples",
): Promise<Located> {
  if (id.startsWith(`${OWN}:`)) {
    const bare = id.slice(OWN.length + 1);
    const [row, ...others] = await ownOf(bare, shell);
    if (row === undefined) throw notFound(id);
    if (others.length > 0) throw ambiguous(id, [row, ...others]);
    return { kind: "own", row };
  }
  if (ownStoreUrl(shell) === null || isNativeAlone(id)) return await locateNative(id, shell, examples);
  const { lookup, matches } = await lookUpNative(id, shell);
  if (lookup?.found.sessionId === id) return toNative(lookup, shell);
  const own = await ownOf(id, shell);
  const [row] = own;
  if (row !== undefined && (row.sessionId === id || own.length + matches.length === 1)) {
    return { kind: "own", row };
  }
  if (own.length + matches.length > 1) throw ambiguous(id, [...own, ...matches]);
  // Also where an example has the id.
  return lookup === undefined ? await locateNative(id, shell, examples) : toNative(lookup, shell);
}

async function locateNative(
  id: string,
  shell: Shell,
  examples: "with examples" | "without examples",
): Promise<Located> {
  if (examples === "without examples") {
    return toNative(await lookUpSession(id, { places: placesOf(shell), cwd: shell.cwd }), shell);
  }
  return { kind: "native", native: await locate(id, shell) };
}

function toNative(lookup: Lookup, shell: Shell): Located {
  return { kind: "native", native: { ...lookup, places: placesOf(shell) } };
}

/** A path, or an id with its agent. */
function isNativeAlone(id: string): boolean {
  return id.includes("/") || isAgentName(id.slice(0, Math.max(0, id.indexOf(":"))));
}

interface Match {
  readonly agent: string;
  readonly sessionId: string;
  readonly location: string;
}

interface NativeMatches {
  readonly lookup?: Lookup;
  readonly matches: readonly Match[];
}

async function lookUpNative(id: string, shell: Shell): Promise<NativeMatches> {
  try {
    const lookup = await lookUpSession(id, { places: placesOf(shell), cwd: shell.cwd });
    const { agent, sessionId, location } = lookup.found;
    return { lookup, matches: [{ agent, sessionId, location }] };
  } catch (error) {
    if (isContinuoError(error, "not_found")) return { matches: [] };
    if (isContinuoError(error, "ambiguous")) return { matches: error.details.matches as readonly Match[] };
    throw error;
  }
}

async function ownOf(id: string, shell: Shell): Promise<readonly OwnRow[]> {
  await using own = await openOwn(shell);
  return own === null || id === "" ? [] : await findOwn(own, id);
}

function notFound(id: string): ContinuoError {
  return new ContinuoError("not_found", `no session ${JSON.stringify(id)}`, {
    hint: "`continuo session list --all --archived` shows every session there is.",
  });
}

function ambiguous(id: string, found: readonly Match[]): ContinuoError {
  const matches = found.map(({ agent, sessionId, location }) => ({ agent, sessionId, location }));
  return new ContinuoError("ambiguous", `${JSON.stringify(id)} names ${matches.length} sessions`, {
    hint: "Give more of the id, `agent:id`, or the path.",
    details: { matches },
  });
}
