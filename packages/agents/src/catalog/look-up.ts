/**
 * Finds the session that a person names; all commands use this look-up.
 *
 * A name is, in this order: `last` or `last:AGENT`, the first row of `session list` (of that agent) that has a message;
 * the path of a session's file, or of the store with `#ID`; `continuo:ID`; `AGENT:ID`; an id or the beginning of one,
 * in upper or lower case. An exact id has priority over ids that only begin with the text. A conversation with a native
 * and an own session counts once. `AGENT:ID` is the session of that agent; if that is gone, it is the own session in
 * which the conversation continues.
 */

import { resolve } from "node:path";
import {
  AGENT_NAMES,
  type AgentDriver,
  ContinuoError,
  isAgentName,
  isContinuoError,
  isFailure,
  type NativeRef,
  nearest,
  type Problem,
  present,
  type SessionInfo,
  shellWord,
} from "@continuo/core/model";
import { type Places, type PlacesAt, placesOf } from "@continuo/files";
import {
  findNativeSessions,
  formatOf,
  type Lookup,
  lookUpSession,
  pick,
  readNativeDetails,
} from "@continuo/native";
import { restoreGuardedSession, settleBeforeReading } from "@continuo/native/editing";
import { copyRow, findCopy, type GuardManifest, openCopy } from "@continuo/native/editing/guard";
import { findMirror, type Mirror, mirrorRow, openMirror } from "@continuo/native/editing/mirrors";
import { agentListOf, isListedOnlyByAgent, type ReportedSession, rowOfAgentList } from "./agent-lists.ts";
import { examplePlaces, hasSessions, rowsOf } from "./examples.ts";
import { lastSession } from "./last-session.ts";
import { CATALOG_LIMITS } from "./limits.ts";
import type { CatalogSources } from "./list.ts";
import { ownerOf } from "./moves.ts";
import { isOwn, isSame, type ListedSession, type NativeName, nativeKey, OWN, type OwnRow } from "./rows.ts";
import { existingStoreUrl, findOwn, listOwn, type OpenOwn, openOwn } from "./store.ts";

export interface LocatedSession extends Lookup {
  readonly places: Places;
  /** True for an example that ships with Continuo. Examples are found only if this machine has no sessions. */
  readonly isExample: boolean;
  /**
   * For a session that its agent deleted, or that another machine mirrors here: the row of the session. The session was
   * opened from a copy, in a separate home. `null` for all others.
   */
  readonly copyOf: SessionInfo | null;
}

/** A session that commands can open. */
export type LookUpHit =
  | { readonly kind: "own"; readonly row: OwnRow }
  | { readonly kind: "native"; readonly native: LocatedSession };

type NativeHit = Extract<LookUpHit, { readonly kind: "native" }>;

/** Includes sessions that only their agent reports; only a conversation with that agent can open such a session. */
export type ResolvedSession = LookUpHit | { readonly kind: "told"; readonly told: ReportedSession };

export interface LookUpOptions extends CatalogSources {
  /** If this machine has no sessions, the examples that ship with Continuo are searched. */
  readonly examples?: "with examples" | "without examples";
  /**
   * For a session that its agent deleted: `open` opens its copy, and `restore` puts the session back; `open` by
   * default.
   */
  readonly copies?: "open" | "restore";
  /** Called with edits that killed processes left incomplete, and that cannot be finished or undone now. */
  readonly onUnfinished?: (problems: readonly Problem[]) => void;
}

/** The agents whose files Continuo does not read. */
export interface AgentListOptions {
  /** Returns the agent that has this name in the configuration; `null` if none has. */
  named(agent: string): Promise<AgentDriver | null>;
  /** Returns the agent to ask for a session that is found nowhere else; `null` if there is none. */
  lister(): Promise<AgentDriver | null>;
}

/**
 * Errors: `not_found`; `ambiguous` with `details.matches: [{ agent, sessionId, location }]` and `details.count`;
 * `unsupported` for a file that is not a session; those of opening the store.
 */
export async function lookUp(name: string, options: LookUpOptions): Promise<LookUpHit>;
export async function lookUp(
  name: string,
  options: LookUpOptions & { readonly asking: AgentListOptions },
): Promise<ResolvedSession>;
export async function lookUp(
  name: string,
  options: LookUpOptions & { readonly asking?: AgentListOptions },
): Promise<ResolvedSession> {
  const { asking } = options;
  const unfinished = await settleBeforeReading({ places: placesOf(options.places) });
  options.onUnfinished?.(unfinished);
  const last = /^last(?::(.+))?$/u.exec(name);
  if (last !== null) return await lookUpLast(last[1] ?? null, options);
  try {
    return await lookUpHere(name, options);
  } catch (error) {
    if (!isContinuoError(error, "not_found")) throw error;
    const found =
      (await lookUpCopy(name, options)) ??
      (await lookUpMirror(name, options)) ??
      (asking === undefined ? null : await lookUpTold(name, asking)) ??
      (await lookUpExample(name, options));
    if (found === null) throw error;
    return found;
  }
}

/**
 * Finds the session of a row by its location, without a search. Errors: `not_found` if it disappeared in the meantime.
 */
export async function locateRow(
  row: ListedSession,
  places: PlacesAt,
  signal?: AbortSignal,
): Promise<LookUpHit> {
  if (isOwn(row)) return { kind: "own", row };
  const { agent, sessionId, location, cwd } = row;
  const nativeName = `${agent}:${sessionId}`;
  const ref = isAgentName(agent) ? { agent, sessionId, location, cwd } : location;
  try {
    return toNative(await lookUpSession(ref, present({ places, signal })), places);
  } catch (error) {
    const copy = isContinuoError(error, "not_found")
      ? ((await lookUpCopy(nativeName, { places })) ?? (await lookUpMirror(nativeName, { places })))
      : null;
    if (copy === null) throw error;
    return copy;
  }
}

/** The guard's copy of a session that is gone; `null` if there is none. */
async function lookUpCopy(
  name: string,
  { places, copies = "open" }: Pick<LookUpOptions, "places" | "copies">,
): Promise<LookUpHit | null> {
  const at = placesOf(places);
  const copy = copyNamed(name, at);
  if (copy === null) return null;
  const { info } = copy;
  if (copies === "restore") {
    const { location } = await restoreGuardedSession(`${info.agent}:${info.sessionId}`, { places: at });
    return toNative(await lookUpSession(location, { places: at }), places);
  }
  const opened = await openCopy(copy, at);
  const lookup = await lookUpSession(opened.location, { places: opened.places });
  const native = { ...lookup, places: opened.places, isExample: false, copyOf: copyRow(info) };
  return { kind: "native", native };
}

/**
 * A session that another machine mirrors here; `null` if there is none. Errors: `conflict` if the command needs it in
 * its agent's folder: the other machine may still continue it.
 */
async function lookUpMirror(
  name: string,
  { places, copies = "open" }: Pick<LookUpOptions, "places" | "copies">,
): Promise<LookUpHit | null> {
  const at = placesOf(places);
  const mirror = mirrorNamed(name, at);
  if (mirror === null) return null;
  if (copies === "restore") throw belongsElsewhere(mirror);
  const opened = openMirror(mirror, at);
  const lookup = await lookUpSession(opened.location, { places: opened.places });
  const row = await lookup.reader.skim(lookup.found, { part: "ends" });
  const native = { ...lookup, places: opened.places, isExample: false, copyOf: mirrorRow(row, mirror) };
  return { kind: "native", native };
}

function mirrorNamed(name: string, places: Places): Mirror | null {
  try {
    return findMirror(name, places);
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

function belongsElsewhere({ agent, sessionId, machine }: Mirror): ContinuoError {
  return new ContinuoError("conflict", `session ${sessionId} is a mirror: it belongs to ${machine}`, {
    hint: `Run \`continuo move ${shellWord(`${agent}:${sessionId}`)} --take-over\` when that machine is gone.`,
  });
}

function copyNamed(name: string, places: Places): GuardManifest | null {
  try {
    return findCopy(name, places);
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

async function lookUpHere(name: string, looking: CatalogSources): Promise<LookUpHit> {
  const { places } = looking;
  const own = ownNameOf(name, places);
  if (own !== null) {
    const rows = await ownOf(own, looking);
    return { kind: "own", row: onlyOf(name, rows) };
  }
  if (name.includes("/")) return toNative(await lookUpSession(name, { places, cwd: places.cwd }), places);
  const ofAgent = nameOfAgent(name);
  if (ofAgent !== null) return await lookUpOfAgent(ofAgent, looking);
  const { lookup, matches, isPath } = await lookUpNative(name, places);
  if (isPath && lookup !== undefined) return toNative(lookup, places);
  const rows = await ownOf(name, looking).catch((error: unknown) => {
    // A native session is found even if the store cannot be read, as on a full or a read-only disk.
    if (isFailure(error) && matches.length > 0) return [];
    throw error;
  });
  const same = (id: string): boolean => id.toLowerCase() === name.toLowerCase();
  const candidates: readonly Candidate[] = [
    ...rows.map((row) => ({ ...row, own: row })),
    ...matches.filter((match) => same(match.sessionId) || !rows.some((row) => isSame(row, match))),
  ];
  const exact = candidates.filter(({ sessionId }) => same(sessionId));
  const only = onlyOf(name, exact.length > 0 ? exact : candidates);
  if (only.own !== undefined) return { kind: "own", row: only.own };
  if (lookup !== undefined) return toNative(lookup, places);
  return toNative(await lookUpSession(only.location, { places }), places);
}

interface Match {
  readonly agent: string;
  readonly sessionId: string;
  readonly location: string;
}

interface Candidate extends Match {
  readonly own?: OwnRow;
}

/**
 * Returns the id if the text can only name an own session: `continuo:ID`, or its location as `--json` prints it.
 * Returns `null` for other text.
 */
function ownNameOf(name: string, places: PlacesAt): string | null {
  if (name.startsWith(`${OWN}:`)) return name.slice(OWN.length + 1);
  const [, path, id] = /^(.*[^#])#([^#]+)$/su.exec(name) ?? [];
  if (path === undefined || id === undefined) return null;
  const url = existingStoreUrl(places);
  return url !== null && url === `sqlite:${resolve(places.cwd, path)}` ? id : null;
}

/** Splits `AGENT:ID` into its parts. */
function nameOfAgent(name: string): NativeName | null {
  const at = name.indexOf(":");
  const agent = name.slice(0, Math.max(0, at));
  return isAgentName(agent) ? { agent, sessionId: name.slice(at + 1) } : null;
}

/** Errors: `not_found`, `ambiguous`. */
async function lookUpOfAgent(named: NativeName, looking: CatalogSources): Promise<LookUpHit> {
  const { places } = looking;
  try {
    return toNative(
      await lookUpSession(nativeKey(named), { places, cwd: places.cwd, memo: rowsOf(places) }),
      places,
    );
  } catch (error) {
    if (!isContinuoError(error, "not_found")) throw error;
    const row = ownerOf(named, await allOwn(looking));
    if (row === null) throw error;
    return { kind: "own", row };
  }
}

/** Returns an empty list if the store cannot be read: the name then stays unknown. */
async function allOwn({ places, store }: CatalogSources): Promise<readonly OwnRow[]> {
  try {
    if (store !== undefined) return store === null ? [] : await listOwn(store);
    await using own = await openOwn(places);
    return own === null ? [] : await listOwn(own);
  } catch (error) {
    if (isFailure(error)) return [];
    throw error;
  }
}

interface NativeMatches {
  readonly lookup?: Lookup;
  readonly matches: readonly Match[];
  /** True if the text is the name of a file. */
  readonly isPath: boolean;
}

async function lookUpNative(name: string, places: PlacesAt): Promise<NativeMatches> {
  try {
    const lookup = await lookUpSession(name, { places, cwd: places.cwd, memo: rowsOf(places) });
    const match = pick(lookup.found, "agent", "sessionId", "location");
    const isPath = !match.sessionId.toLowerCase().startsWith(name.toLowerCase());
    return { lookup, matches: [match], isPath };
  } catch (error) {
    if (isContinuoError(error, "not_found")) return { matches: [], isPath: false };
    if (!isContinuoError(error, "ambiguous")) throw error;
    return { matches: error.details.matches as readonly Match[], isPath: false };
  }
}

async function ownOf(id: string, { places, store }: CatalogSources): Promise<readonly OwnRow[]> {
  if (store !== undefined) return store === null ? [] : await findOwn(store, id);
  await using own: OpenOwn | null = await openOwn(places);
  return own === null ? [] : await findOwn(own, id);
}

function toNative(lookup: Lookup, places: PlacesAt): NativeHit {
  return { kind: "native", native: { ...lookup, places: placesOf(places), isExample: false, copyOf: null } };
}

/** The newest row of the list that has a message, of one agent or of all. */
async function lookUpLast(
  agent: string | null,
  options: LookUpOptions & { readonly asking?: AgentListOptions },
): Promise<ResolvedSession> {
  const { asking, places } = options;
  const driver =
    agent !== null && isListedOnlyByAgent(agent) && agent !== OWN ? await asking?.named(agent) : null;
  if (
    driver === undefined ||
    (driver === null && agent !== null && isListedOnlyByAgent(agent) && agent !== OWN)
  ) {
    throw noAgent(agent ?? "");
  }
  const wanted = present({
    agents: agent === null ? undefined : [agent],
    drivers: driver === null ? undefined : [driver],
  });
  const { row, error, failures } = await lastSession(wanted, options);
  const failed = error ?? failures[0]?.error;
  if (failed !== undefined && failed !== null) throw failed;
  if (row === null) {
    throw new ContinuoError("not_found", agent === null ? "no session yet" : `no session of ${agent} yet`, {
      hint: "Run `continuo session list --all --archived` to see every session.",
    });
  }
  if (!isOwn(row) && isListedOnlyByAgent(row.agent)) return { kind: "told", told: row };
  return await locateRow(row, places);
}

/** Finds `NAME:ID` of an agent of the configuration, or a session in the list of the open agent. */
async function lookUpTold(name: string, asking: AgentListOptions): Promise<ResolvedSession | null> {
  const [, agent = "", id = ""] = /^([a-z][a-z0-9-]*):(.+)$/u.exec(name) ?? [];
  const driver = isListedOnlyByAgent(agent) && agent !== OWN ? await asking.named(agent) : null;
  if (driver !== null) {
    const told = await listedBy(driver, id);
    // An agent without a list cannot report that it lacks the session.
    return told ?? { kind: "told", told: { agent, sessionId: id, cwd: null, title: null, updatedAt: null } };
  }
  const lister = await asking.lister();
  return lister === null ? null : await listedBy(lister, name);
}

async function listedBy(driver: AgentDriver, id: string): Promise<ResolvedSession | null> {
  const listed = (await listOf(driver)).filter(({ sessionId }) => sessionId.startsWith(id));
  const exact = listed.filter(({ sessionId }) => sessionId === id);
  const candidates = exact.length > 0 ? exact : listed;
  if (candidates.length === 0) return null;
  const rows = candidates.map((told) => ({ ...rowOfAgentList(told), told }));
  return { kind: "told", told: onlyOf(id, rows).told };
}

/** Empty if the agent has no list. */
async function listOf(driver: AgentDriver): Promise<readonly ReportedSession[]> {
  try {
    return await agentListOf(driver, {});
  } catch (error) {
    if (isContinuoError(error, "unsupported")) return [];
    throw error;
  }
}

/** Errors: `not_found` if an example cannot be used; its hint says what examples are. */
async function lookUpExample(name: string, options: LookUpOptions): Promise<LookUpHit | null> {
  const at = name.startsWith(`${OWN}:`) ? null : examplePlaces();
  if (at === null) return null;
  const why = await whyNoExample(options);
  let found: Lookup;
  try {
    found = await lookUpSession(name, { places: at });
  } catch (error) {
    if (why !== null || isContinuoError(error, "not_found")) return null;
    throw error;
  }
  if (why !== null) throw notFound(name, why);
  return { kind: "native", native: { ...found, places: at, isExample: true, copyOf: null } };
}

/** The hint if an example cannot be used. */
async function whyNoExample({ places, examples }: LookUpOptions): Promise<string | null> {
  if (examples === "without examples") return UNCHANGED_EXAMPLE;
  return (await hasSessions(placesOf(places))) ? NO_EXAMPLE : null;
}

const UNCHANGED_EXAMPLE =
  "Use `session show`, `session export` or `handoff`: this is an example session, which cannot be changed.";
const NO_EXAMPLE =
  "Run `continuo session list` to see your sessions: this is an example, which is only there on a machine without sessions.";

/** Errors: `not_found` for none, `ambiguous` for several. */
function onlyOf<T extends Match>(name: string, candidates: readonly T[]): T {
  const [only] = candidates;
  if (only === undefined) throw notFound(name);
  if (candidates.length === 1) return only;
  const matches = candidates
    .slice(0, CATALOG_LIMITS.matches)
    .map(({ agent, sessionId, location }) => ({ agent, sessionId, location }));
  throw new ContinuoError("ambiguous", `${JSON.stringify(name)} names ${candidates.length} sessions`, {
    hint: "Give more of the id, AGENT:ID, or the path of the file.",
    details: { matches, count: candidates.length },
  });
}

const SEE_ALL = "Run `continuo session list --all --archived` to see every session.";

/** Suggests a similar name of an agent if there is one; otherwise returns the general hint. */
function hintFor(name: string): string {
  const [agent = "", ...id] = name.split(":");
  const near = id.length === 0 ? null : nearest(agent, [...AGENT_NAMES, OWN]);
  return near === null || near === agent ? SEE_ALL : `Did you mean ${near}:${id.join(":")}?`;
}

function notFound(name: string, hint: string = hintFor(name)): ContinuoError {
  return new ContinuoError("not_found", `there is no session ${JSON.stringify(name)}`, { hint });
}

function noAgent(agent: string): ContinuoError {
  return new ContinuoError(
    "not_found",
    `there is no agent ${JSON.stringify(agent)} with sessions that Continuo can search`,
    {
      hint: "Run `continuo agents` to see the agents.",
    },
  );
}

/**
 * The rows of sessions whose ids begin with the text, both own and native sessions; about as many as a completion
 * offers.
 */
export async function rowsByIdPrefix(
  prefix: string,
  looking: CatalogSources,
): Promise<readonly ListedSession[]> {
  const [wanted, memo] = [prefix.toLowerCase(), rowsOf(looking.places)];
  const rows: ListedSession[] = [...(await ownOf(prefix, looking))];
  for await (const found of findNativeSessions({ places: placesOf(looking.places), memo })) {
    if (rows.length >= CATALOG_LIMITS.candidates) break;
    if (!found.sessionId.toLowerCase().startsWith(wanted)) continue;
    rows.push(await (await formatOf(found.agent)).skim(found, { part: "whole", memo }));
  }
  return rows;
}

/** True if the sub-agent exists, in its own place or inside a session's file. */
export async function isSubagentPlace(location: string, places: Places): Promise<boolean> {
  const file = location.replace(/#[^#]*$/u, "");
  for await (const found of findNativeSessions({ places, subagents: "include", memo: rowsOf(places) })) {
    if (found.location === location) return found.parentId !== undefined;
    if (found.location !== file) continue;
    const { subagents } = await readNativeDetails(found, { places });
    return subagents.some((one) => one.location === location);
  }
  return false;
}

/**
 * Finds the native session of a reference; `null` if this machine does not have its files. Errors: those of
 * `lookUpSession` except `not_found`.
 */
export async function locateNative(
  { agent, sessionId, location }: NativeRef,
  places: PlacesAt,
): Promise<NativeHit | null> {
  if (!isAgentName(agent)) return null;
  try {
    return toNative(await lookUpSession({ agent, sessionId, location }, { places }), places);
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}
