/** The list of all sessions: native ones, Continuo's own, and those that agents report; each conversation once. */

import {
  type AgentDriver,
  type AgentName,
  type Block,
  type ContinuoError,
  isAgentName,
  isFailure,
  type Problem,
  present,
  type SessionInfo,
  textOf,
} from "@continuo/core/model";
import {
  canonicalFolder,
  continuoHome,
  debugOf,
  isJson,
  type Places,
  type PlacesAt,
  placesOf,
} from "@continuo/files";
import {
  formatOf,
  isEmptySession,
  type ListOptions,
  type NativeList,
  pick,
  READABLE_AGENTS,
  readNativeList,
} from "@continuo/native";
import { settleBeforeReading } from "@continuo/native/editing";
import { onlyCopies } from "@continuo/native/editing/guard";
import { mirrorRows } from "@continuo/native/editing/mirrors";
import { byNewestDeletion } from "@continuo/native/editing/trash";
import { toTitle } from "@continuo/native/kit";
import { agentListsOf, type ListFailure, rowOfAgentList } from "./agent-lists.ts";
import { checkRow } from "./check.ts";
import { rowsOf } from "./examples.ts";
import {
  hasNoUserMessage,
  type RowFilter,
  type RowOrder,
  type RowQuery,
  toOrder,
  toRowFilter,
} from "./list-filter.ts";
import { readMarks } from "./marks.ts";
import { type ModelIndex, openModels } from "./models.ts";
import { readProjectMarks } from "./project-marks.ts";
import {
  byNewest,
  isSame,
  type ListedSession,
  OWN,
  type OwnRow,
  type TrashedOwn,
  toTrashedOwn,
  withNative,
} from "./rows.ts";
import { isTrashed, type OpenOwn, openOwn, readOwnRows } from "./store.ts";

const debug = debugOf("catalog");

export interface CatalogList
  extends Pick<NativeList, "total" | "archivedLeftOut" | "emptyLeftOut" | "metIds"> {
  readonly sessions: readonly ListedSession[];
  /** Continuo's own sessions of the query's agents, folder and time; the limit leaves none of them out. */
  readonly own: readonly OwnRow[];
  /** Continuo's own sessions in the trash, whatever the query asks for; the newest deletion is first. */
  readonly trashedOwn: readonly TrashedOwn[];
  /** The reason why Continuo's own sessions are missing, if the store cannot be read. */
  readonly error: ContinuoError | null;
  /** Agents that did not return the requested list. */
  readonly failures: readonly ListFailure[];
  /** Edits of killed processes that cannot be settled at present. */
  readonly unfinished: readonly Problem[];
}

export interface ListQuery extends Omit<ListOptions, "agents" | "isSetAside" | "places" | "memo">, RowQuery {
  /** Names of agents, `continuo` for its own sessions; all that are read from disk by default. */
  readonly agents?: readonly string[];
  /**
   * Only sessions in which a model with this text in its name answered, in any letter case; each session is read once.
   */
  readonly model?: string;
  /** Only sessions with problems, as `session check` finds them: each session is read as a whole. */
  readonly withProblems?: boolean;
  /** The newest first by default. */
  readonly sort?: RowOrder;
  /** Agents whose own lists are requested in addition; this may start a program. */
  readonly drivers?: readonly AgentDriver[];
}

/** The places and stores that a list or a look-up reads. */
export interface CatalogSources {
  readonly places: PlacesAt;
  /**
   * The store, if it is already open; `null` for only native sessions. If it is left out, the store of the environment
   * is used.
   */
  readonly store?: OpenOwn | null;
}

/** No store is loaded if none exists. A store or a list that cannot be read does not affect the others. */
export async function listCatalog(
  wanted: ListQuery,
  { places, store: given }: CatalogSources,
): Promise<CatalogList> {
  const begun = performance.now();
  const { agents, drivers = [], limit, sort, archived, empty, model } = wanted;
  const unfinished = await settleBeforeReading(present({ places: placesOf(places), signal: wanted.signal }));
  const models = model === undefined ? null : openModels(places);
  const filter = toFilter(wanted, { places, models });
  // The rows that pass a filter, and their order, are known only after all rows are known.
  const needsAll = filter !== null || sort !== undefined;
  const natives = agents === undefined ? null : toAgents(agents);
  const lists = await agentListsOf(drivers, wanted);
  const opened = given === undefined ? await openReadable(places) : { store: given, error: null };
  // A store that the caller opened stays open.
  await using _own = given === undefined ? opened.store : null;
  const { store } = opened;
  const stored = store === null ? [] : await readOwnRows(store);
  const rows = stored.filter((row) => !isTrashed(row));
  const marks = readMarks(placesOf(places));
  const isOfOwn = amongRefsOf(rows);
  // Sessions that were archived here do not use up the limit, and those beyond it are counted too.
  const isArchivedHere = needsAll || archived === "include" ? (): boolean => false : marks.isArchived;
  const list = await readNativeList({
    ...pick(wanted, "cwd", "since", "newestBy", "signal", "onProgress"),
    ...present({ limit: needsAll ? undefined : limit }),
    // Rows that the filter hides are not counted as archived or empty.
    ...(filter === null ? present({ archived, empty }) : { archived: "include" }),
    places: placesOf(places),
    memo: rowsOf(places),
    ...present({ agents: natives === null ? undefined : natives.length > 0 ? natives : agentsOf(rows) }),
    isSetAside: (session) => isOfOwn(session) || isArchivedHere(session),
  });
  const archivedHere = list.setAside.filter((row) => !isOfOwn(row) && isWithin(row, pick(wanted, "since")));
  // In this case, native sessions were read only for their times.
  const isOwnAlone = natives?.length === 0;
  const met = new Set(list.metIds);
  const toldRows = lists.listed.map(rowOfAgentList);
  const alone = toldRows.filter((row) => !met.has(row.sessionId) && !rows.some((one) => isSame(one, row)));
  const copies = isOwnAlone ? [] : await copiesOf(wanted, { places: placesOf(places), met, natives, rows });
  const shown: readonly ListedSession[] = isOwnAlone ? alone : [...list.sessions, ...copies, ...alone];
  const own = rows
    .map((row) => withNative(row, [...list.setAside, ...toldRows]))
    .filter((row) => isWanted(row, wanted));
  const sorted = [...shown, ...own].sort(byNewest).map(marks.mark);
  const most = limit ?? Number.POSITIVE_INFINITY;
  const first = await firstOf(sorted, {
    ...present({ archived, empty }),
    most: needsAll ? Number.POSITIVE_INFINITY : most,
    filter,
    store,
  });
  await models?.save();
  const { emptyLeftOut } = first;
  const sessions = sort === undefined ? first.sessions : [...first.sessions].sort(toOrder(sort));
  const all = (isOwnAlone ? 0 : list.total) + copies.length + alone.length + own.length;
  debug("listed", () => ({
    sessions: all,
    shown: Math.min(sessions.length, most),
    ofStore: rows.length,
    failures: lists.failures.length,
    ms: Math.round(performance.now() - begun),
  }));
  return {
    sessions: sessions.slice(0, most),
    own,
    trashedOwn: stored.filter(isTrashed).map(toTrashedOwn).sort(byNewestDeletion),
    total: filter === null ? all - emptyLeftOut - first.archivedLeftOut : sessions.length,
    archivedLeftOut: first.archivedLeftOut + (isOwnAlone ? 0 : list.archivedLeftOut + archivedHere.length),
    emptyLeftOut: emptyLeftOut + (isOwnAlone ? 0 : list.emptyLeftOut),
    metIds: [...list.metIds, ...[...copies, ...alone, ...rows].map(({ sessionId }) => sessionId)],
    error: opened.error,
    failures: lists.failures,
    unfinished,
  };
}

/**
 * Returns the list with these native rows as their files are now; all other rows stay as they are. Returns `null` if a
 * new list is necessary: for a row of another kind, for a session that is gone or has another id, and for a session in
 * which nobody has said anything.
 */
export async function renewRows(
  list: CatalogList,
  rows: readonly ListedSession[],
  places: PlacesAt,
): Promise<CatalogList | null> {
  const { mark } = readMarks(placesOf(places));
  const renewed = new Map<ListedSession, ListedSession>();
  for (const row of rows) {
    const info = await readRow(row, placesOf(places));
    if (info === null) return null;
    renewed.set(row, mark(info));
  }
  const sessions = list.sessions.map((row) => renewed.get(row) ?? row).sort(byNewest);
  return { ...list, sessions };
}

async function readRow(
  { agent, sessionId, location }: ListedSession,
  places: Places,
): Promise<SessionInfo | null> {
  // Copies of sessions have rows of their own.
  if (!isAgentName(agent) || location.startsWith(continuoHome(places))) return null;
  const reader = await formatOf(agent);
  const found = await reader.recognise(location, places);
  if (found?.sessionId !== sessionId || found.location !== location) return null;
  const info = await reader.skim(found, { part: "whole" });
  return isEmptySession(info) ? null : info;
}

interface CopySources {
  readonly places: Places;
  readonly met: ReadonlySet<string>;
  readonly natives: readonly AgentName[] | null;
  readonly rows: readonly OwnRow[];
}

/** Sessions that their agent deleted and the guard copied, and those that other machines mirror here. */
async function copiesOf(
  { cwd, since, signal }: ListQuery,
  { places, met, natives, rows }: CopySources,
): Promise<readonly SessionInfo[]> {
  const isWanted = (one: { readonly agent: AgentName; readonly cwd: string | null }): boolean =>
    (natives === null || natives.includes(one.agent)) &&
    (cwd === undefined || (one.cwd !== null && canonicalFolder(one.cwd) === canonicalFolder(cwd)));
  const mirrors = await mirrorRows({
    places,
    metIds: met,
    isWanted: ({ agent, folder }) => isWanted({ agent, cwd: folder }),
    memo: rowsOf(places),
    ...present({ signal }),
  });
  return [...onlyCopies({ places, metIds: met, isWanted }), ...mirrors].filter(
    (row) => (since === undefined || (row.updatedAt ?? "") >= since) && !rows.some((own) => isSame(own, row)),
  );
}

/** The requested agents whose sessions are read from disk; none if the query asks only for other ones. */
function toAgents(names: readonly string[]): AgentName[] {
  return READABLE_AGENTS.filter((agent) => names.includes(agent));
}

export interface StoreOrError {
  readonly store: OpenOwn | null;
  readonly error: ContinuoError | null;
}

/** A store that cannot be opened does not affect native sessions. */
export async function openReadable(places: PlacesAt): Promise<StoreOrError> {
  try {
    return { store: await openOwn(places), error: null };
  } catch (error) {
    if (isFailure(error)) return { store: null, error };
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

/** A session of Continuo belongs also to each agent that took part in it. */
function isWanted(row: OwnRow, { agents, ...query }: ListQuery): boolean {
  const isOfAgent =
    agents === undefined ||
    agents.includes(OWN) ||
    (row.lastAgent !== null && agents.includes(row.lastAgent)) ||
    row.nativeRefs.some(({ agent }) => agents.includes(agent));
  return isOfAgent && isWithin(row, query);
}

/** True if the row has the folder and the time that the query asks for. */
function isWithin(
  row: Pick<ListedSession, "cwd" | "updatedAt">,
  { cwd, since }: Pick<ListQuery, "cwd" | "since">,
): boolean {
  const isOfFolder =
    cwd === undefined || (row.cwd !== null && canonicalFolder(row.cwd) === canonicalFolder(cwd));
  return isOfFolder && (since === undefined || (row.updatedAt !== null && row.updatedAt >= since));
}

/** Reads the payload of a `message_sent`, which may have another shape. */
function wordsOf(data: unknown): string | null {
  const content = isJson(data) ? data.content : undefined;
  if (typeof content === "string") return content;
  return Array.isArray(content) ? textOf(content.filter((block): block is Block => isJson(block))) : null;
}

/** Returns the row for the list; `null` if the filter hides it. */
type Filter = (row: ListedSession, store: OpenOwn | null) => Promise<ListedSession | null>;

interface FilterSources {
  readonly places: PlacesAt;
  readonly models: ModelIndex | null;
}

/** `null` if the query has no filter. */
function toFilter(query: ListQuery, { places, models }: FilterSources): Filter | null {
  const { withProblems, model = "" } = query;
  const marks = query.ofProject === undefined ? undefined : readProjectMarks(placesOf(places));
  const isOfQuery: RowFilter | null = toRowFilter(query, marks);
  if (isOfQuery === null && withProblems !== true && models === null) return null;
  const wanted = model.toLowerCase();
  return async (row, store) => {
    if (isOfQuery?.(row) === false) return null;
    if (models !== null) {
      const names = await models.of(row, store);
      if (!names.some((name) => name.toLowerCase().includes(wanted))) return null;
    }
    if (withProblems !== true) return row;
    const problems = await checkRow(row, { store, places: placesOf(places) });
    return problems.length > 0 ? { ...row, problems } : null;
  };
}

interface FirstPageOptions extends Pick<ListQuery, "archived" | "empty"> {
  readonly most: number;
  readonly filter: Filter | null;
  readonly store: OpenOwn | null;
}

/** Returns the requested number of rows, with their titles, or all rows if a filter has to count them. */
async function firstOf(
  sorted: readonly ListedSession[],
  { archived, empty, most, filter, store }: FirstPageOptions,
): Promise<Pick<CatalogList, "sessions" | "archivedLeftOut" | "emptyLeftOut">> {
  const sessions: ListedSession[] = [];
  let [archivedLeftOut, emptyLeftOut] = [0, 0];
  for (const row of sorted) {
    if (filter === null && sessions.length >= most) break;
    const titled = store === null ? row : await withTitle(row, store);
    const wanted = filter === null ? titled : await filter(titled, store);
    if (wanted === null) continue;
    if (archived !== "include" && wanted.archived) archivedLeftOut += 1;
    else if (empty === "exclude" && hasNoUserMessage(wanted)) emptyLeftOut += 1;
    else sessions.push(wanted);
  }
  return { sessions, archivedLeftOut, emptyLeftOut };
}

/** The first message of the person replaces a missing title. */
async function withTitle(row: ListedSession, { store }: OpenOwn): Promise<ListedSession> {
  if (row.title !== null || row.agent !== OWN) return row;
  const { events } = await store.read(row.sessionId, { types: ["message_sent"], limit: 1 });
  return { ...row, title: toTitle(wordsOf(events[0]?.data)) };
}
