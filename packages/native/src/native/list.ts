/** The list: every session of every agent on this machine, newest first. */

import {
  type AgentName,
  assertKnownOptions,
  cancellable,
  cancellableItems,
  isFailure,
  type KnownOptions,
  present,
  type SessionInfo,
} from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import {
  type AgentReader,
  type FindOptions,
  type FoundBatch,
  type FoundFile,
  type FoundSession,
  type KnownFiles,
  type SavedSkimMemo,
  type SkimOptions,
  sessionIdOfLine,
  toKnownLine,
  updatedAtOfLine,
} from "./kit/index.ts";
import { formatOf, READABLE_AGENTS } from "./registry.ts";

export interface ListOptions {
  /** All readable agents by default. */
  readonly agents?: readonly AgentName[];
  /** Only sessions of this folder. */
  readonly cwd?: string;
  /** Updated at or after this time, ISO 8601. */
  readonly since?: string;
  /** Number of the newest sessions; all without it. */
  readonly limit?: number;
  /**
   * With `limit`: the newest sessions by the times of their files, so that only these are read. Without this option,
   * the times in the sessions decide.
   */
  readonly newestBy?: "file times";
  /** `include` also lists archived sessions; `exclude` by default. */
  readonly archived?: "include" | "exclude";
  /** `include` also lists sessions in which nobody said anything; `include` by default. */
  readonly empty?: "include" | "exclude";
  /** The environment of this user by default. */
  readonly places?: Places;
  /** The memo in which a list stores its results for the next one. */
  readonly memo?: SavedSkimMemo;
  /** Sessions that the caller recognizes by other means: they are only in `setAside`. */
  readonly isSetAside?: (session: Pick<FoundSession, "agent" | "sessionId">) => boolean;
  readonly signal?: AbortSignal;
  /** Called from time to time while the list is made. */
  readonly onProgress?: (looked: number) => void;
}

const LIST_OPTIONS: KnownOptions<ListOptions> = {
  agents: true,
  cwd: true,
  since: true,
  limit: true,
  newestBy: true,
  archived: true,
  empty: true,
  places: true,
  memo: true,
  isSetAside: true,
  signal: true,
  onProgress: true,
};

export interface NativeList {
  readonly sessions: readonly SessionInfo[];
  /** The number of sessions that pass the filters, before `limit`. */
  readonly total: number;
  /** The number of sessions that were left out because they are archived. */
  readonly archivedLeftOut: number;
  /** The number of sessions that were left out because they are empty. */
  readonly emptyLeftOut: number;
  /** The sessions that `isSetAside` names, archived or not, in no order; their titles may be missing. */
  readonly setAside: readonly SessionInfo[];
  /**
   * The ids of all sessions that were found, in no order, also of those that were left out. `agents` and `cwd` limit
   * which sessions are found.
   */
  readonly metIds: readonly string[];
}

/** The rows of `readNativeList`. */
export async function listNativeSessions(options: ListOptions = {}): Promise<readonly SessionInfo[]> {
  return (await readNativeList(options)).sessions;
}

/**
 * Returns sessions by `updatedAt`, the newest first, and those without a time last. Files are read at their start and
 * their end. In the sessions that `limit` lets through, a byte search for titles reads the rest, and a session without
 * a title is read to find a picture. Errors: `usage` for an unknown option.
 */
export async function readNativeList(options: ListOptions = {}): Promise<NativeList> {
  assertKnownOptions("readNativeList", options, LIST_OPTIONS);
  return await cancellable(options.signal, () => readList(options));
}

async function readList(options: ListOptions): Promise<NativeList> {
  const places = options.places ?? placesOfThisUser();
  const looking = pick(options, "signal", "memo");
  const files = usesLines(options) ? ((await options.memo?.knownFiles()) ?? null) : null;
  const titles = new Map<AgentReader, Pick<SkimOptions, "titleBeside">>();
  const list = createRows(options, { files, titles });
  for (const agent of options.agents ?? READABLE_AGENTS) {
    const reader = await formatOf(agent);
    // Only a list of all sessions saves work by looking for all titles at once.
    if (options.limit === undefined) titles.set(reader, await titlesOf(reader, places));
    if (files !== null && reader.findBatches !== undefined) {
      for await (const batch of reader.findBatches(places, { files, ...looking })) {
        if (batch.found.length > 0) await options.memo?.expect(batch.found.flatMap((found) => found.files));
        for (const found of batch.found) await list.add(reader, found);
        list.addKnown({ reader, batch, files });
      }
    } else {
      for await (const found of reader.find(places, { ...pick(options, "cwd"), ...looking })) {
        await list.add(reader, found);
      }
    }
  }
  const { aside } = list;
  const newest = options.limit === undefined ? null : newestOf(list, 2 * options.limit);
  if (newest !== null) await options.memo?.expect(filesOf([...aside, ...newest]));
  const setAside: SessionInfo[] = [];
  for (const { reader, found } of aside) {
    setAside.push(await reader.skim(found, { part: "ends", ...looking }));
  }
  const sessions: SessionInfo[] = [];
  let emptyLeftOut = 0;
  for (const { reader, found, info } of newestFirst(list, newest)) {
    if (sessions.length >= (options.limit ?? Number.POSITIVE_INFINITY)) break;
    const skimmed = info ?? (await reader.skim(found, { part: "whole", ...looking, ...titles.get(reader) }));
    const whole = isEmptySession(skimmed) ? await withPicture(skimmed, { reader, found, places }) : skimmed;
    if (options.empty === "exclude" && isEmptySession(whole)) emptyLeftOut += 1;
    else sessions.push(whole);
  }
  const isEverything = options.agents === undefined && options.cwd === undefined && !options.newestBy;
  await options.memo?.save(isEverything ? "everything" : "part");
  const { total, archivedLeftOut, metIds } = list;
  return { sessions, total: total - emptyLeftOut, archivedLeftOut, emptyLeftOut, setAside, metIds };
}

/** Stored lines are used only if the list needs neither the folders of sessions nor the times of files. */
function usesLines({ cwd, newestBy }: ListOptions): boolean {
  return cwd === undefined && newestBy === undefined;
}

interface Rows extends Pick<NativeList, "metIds" | "archivedLeftOut" | "total"> {
  readonly rows: readonly Row[];
  readonly known: readonly KnownRows[];
  readonly aside: readonly FoundRow[];
  add(reader: AgentReader, found: FoundSession): Promise<void>;
  addKnown(batch: KnownBatch): void;
}

interface KnownBatch {
  readonly reader: AgentReader;
  readonly batch: FoundBatch;
  readonly files: KnownFiles;
}

/** The rows of known sessions: numbers, because a list has thousands of them and shows few. */
interface KnownRows extends KnownBatch {
  readonly places: readonly number[];
}

interface RowSources {
  /** Keeps the lines of sessions for the next list. */
  readonly files: KnownFiles | null;
  readonly titles: ReadonlyMap<AgentReader, Pick<SkimOptions, "titleBeside">>;
}

/** Collects the rows that pass the filters. */
function createRows(options: ListOptions, { files, titles }: RowSources): Rows {
  // If every row is shown, reading the ends first would only be an additional read.
  const part = options.limit === undefined ? "whole" : "ends";
  const skimming = { part, ...pick(options, "signal", "memo") } as const;
  const rows: Row[] = [];
  const known: KnownRows[] = [];
  const aside: FoundRow[] = [];
  const metIds: string[] = [];
  let [ofKnown, archivedLeftOut] = [0, 0];
  const isHidden = (archived: boolean): boolean => archived && options.archived !== "include";
  return {
    rows,
    known,
    aside,
    metIds,
    get total() {
      return rows.length + ofKnown;
    },
    get archivedLeftOut() {
      return archivedLeftOut;
    },
    async add(reader, found) {
      metIds.push(found.sessionId);
      if (options.isSetAside?.(found)) {
        aside.push({ reader, found });
        return;
      }
      // An archived session needs no row, except to keep its line for the next list.
      const hasLine = files !== null && options.limit !== undefined;
      if (isHidden(found.archived) && options.since === undefined && !hasLine) {
        archivedLeftOut += 1;
        return;
      }
      const row =
        quick(reader, found, options) ??
        knownRow(reader, found, skimming) ??
        (await rowOf(reader, found, { ...skimming, ...titles.get(reader) }));
      if (files !== null) keepLine(row, found, { files, ...pick(options, "memo") });
      if (isWanted(row, options)) {
        // A session that another filter hides is not hidden because it is archived.
        if (isHidden(found.archived)) archivedLeftOut += 1;
        else rows.push(row);
      }
      options.onProgress?.(rows.length + ofKnown);
    },
    addKnown({ reader, batch, files }) {
      const { agent } = reader;
      const places: number[] = [];
      for (const place of batch.known) {
        const line = files.lineAt(place);
        const sessionId = sessionIdOfLine(line);
        metIds.push(sessionId);
        if (options.isSetAside?.({ agent, sessionId })) aside.push({ reader, found: batch.toFound(place) });
        else if (options.since === undefined || updatedAtOfLine(line) >= options.since) {
          if (isHidden(batch.isArchived(place))) archivedLeftOut += 1;
          else places.push(place);
        }
      }
      known.push({ reader, batch, files, places });
      ofKnown += places.length;
      options.onProgress?.(rows.length + ofKnown);
    },
  };
}

interface LineOptions extends Pick<ListOptions, "memo"> {
  readonly files: KnownFiles;
}

/** Keeps the line of a session for the next list, if its time is that of its one file. */
function keepLine({ reader, updatedAt }: Row, found: FoundSession, { files, memo }: LineOptions): void {
  const [file] = found.files;
  if (memo === undefined || file === undefined || reader.findBatches === undefined) return;
  if (reader.knownUpdatedAt?.(found, memo) !== updatedAt) return;
  const line = toKnownLine(found, updatedAt);
  if (line !== null) files.keep(file, line);
}

export interface FindNativeOptions extends Omit<FindOptions, "cwd" | "memo"> {
  readonly places?: Places;
  readonly memo?: SavedSkimMemo;
  readonly agents?: readonly AgentName[];
}

const FIND_OPTIONS: KnownOptions<FindNativeOptions> = {
  places: true,
  agents: true,
  subagents: true,
  memo: true,
  signal: true,
};

/** Every session of every agent, only by its place and without opening it: the candidates of a look-up. */
export async function* findNativeSessions(
  options: FindNativeOptions = {},
): AsyncGenerator<FoundSession, void, void> {
  assertKnownOptions("findNativeSessions", options, FIND_OPTIONS);
  yield* cancellableItems(options.signal, () => find(options));
}

async function* find(options: FindNativeOptions): AsyncGenerator<FoundSession, void, void> {
  const places = options.places ?? placesOfThisUser();
  const looking = pick(options, "subagents", "memo", "signal");
  const files = (await options.memo?.knownFiles()) ?? null;
  for (const agent of options.agents ?? READABLE_AGENTS) {
    const reader = await formatOf(agent);
    if (files === null || reader.findBatches === undefined) {
      yield* reader.find(places, looking);
      continue;
    }
    for await (const { found, known, toFound } of reader.findBatches(places, { files, ...looking })) {
      yield* found;
      for (const one of known) yield toFound(one);
    }
  }
}

/** If the titles cannot be read, each session looks for its own title, and reports the error. */
async function titlesOf(reader: AgentReader, places: Places): Promise<Pick<SkimOptions, "titleBeside">> {
  try {
    return present({ titleBeside: await reader.titlesBeside?.(places) });
  } catch (error) {
    if (!isFailure(error)) throw error;
    return {};
  }
}

interface FoundRow {
  readonly reader: AgentReader;
  readonly found: FoundSession;
}

interface Row extends FoundRow {
  readonly updatedAt: string | null;
  /** The row; `null` if only the time was needed. */
  readonly info: SessionInfo | null;
}

/**
 * A row with the newest time of the session's files. `null` unless `newestBy` and `limit` are set, and for a session in
 * a database, which is one file for many sessions.
 */
function quick(reader: AgentReader, found: FoundSession, { newestBy, limit }: ListOptions): Row | null {
  if (newestBy === undefined || limit === undefined) return null;
  const times = found.files.map(({ mtimeMs }) => mtimeMs);
  if (!found.files.some(({ path }) => path === found.location)) return null;
  return { reader, found, updatedAt: new Date(Math.max(...times)).toISOString(), info: null };
}

/** Returns `null` if the time is not in memory. */
function knownRow(reader: AgentReader, found: FoundSession, { part, memo }: SkimOptions): Row | null {
  const updatedAt = memo === undefined || part !== "ends" ? undefined : reader.knownUpdatedAt?.(found, memo);
  return updatedAt === undefined ? null : { reader, found, updatedAt, info: null };
}

async function rowOf(reader: AgentReader, found: FoundSession, options: SkimOptions): Promise<Row> {
  if (options.part === "ends" && reader.updatedAt !== undefined) {
    return { reader, found, updatedAt: await reader.updatedAt(found, options), info: null };
  }
  const info = await reader.skim(found, options);
  const whole = options.part === "whole" ? info : null;
  return { reader, found, updatedAt: info.updatedAt, info: whole };
}

function isWanted({ updatedAt }: Row, { since }: ListOptions): boolean {
  return since === undefined || (updatedAt !== null && updatedAt >= since);
}

function filesOf(rows: readonly FoundRow[]): FoundFile[] {
  return rows.flatMap(({ found }) => found.files);
}

/** True if the person typed nothing, and no damaged record can be a prompt. */
export function isEmptySession({ title, problems }: Pick<SessionInfo, "title" | "problems">): boolean {
  return title === null && problems.every(({ code }) => code === "empty");
}

/** The title of a session in which a person sent only pictures. */
const PICTURE_TITLE = "[picture]";

/** A session without a title is read: the first prompt can be a picture without text. */
async function withPicture(
  info: SessionInfo,
  { reader, found, places }: FoundRow & { readonly places: Places },
): Promise<SessionInfo> {
  try {
    using session = await reader.open(found, places, {});
    for await (const { role, origin, content } of session.history()) {
      const isSaid = role === "user" && (origin === undefined || origin === "person");
      if (isSaid && content.some(({ type }) => type === "image" || type === "file")) {
        return { ...info, title: PICTURE_TITLE };
      }
    }
  } catch (error) {
    // A session that cannot be read has problems of its own, which the row names.
    if (!isFailure(error)) throw error;
  }
  return info;
}

/** Most lists end within the newest rows, so the others are sorted only if they do not. */
function* newestFirst(list: Rows, newest: readonly Row[] | null): Generator<Row, void, void> {
  if (newest !== null) yield* newest;
  const before = newest?.length ?? 0;
  if (before < list.total) yield* newestOf(list, list.total).slice(before);
}

/** The first rows in their order: at least `count` of them, or all. Known sessions become rows only if they are among them. */
function newestOf({ rows, known, total }: Rows, count: number): readonly Row[] {
  const least = count < total ? leastOfNewest(timesOf(rows, known), count) : "";
  const ofKnown = known.flatMap(({ reader, batch, files, places }) =>
    places
      .filter((place) => files.lineAt(place) >= least)
      .map((place): Row => {
        const updatedAt = updatedAtOfLine(files.lineAt(place));
        return { reader, found: batch.toFound(place), updatedAt, info: null };
      }),
  );
  return [...rows.filter(({ updatedAt }) => (updatedAt ?? "") >= least), ...ofKnown].sort(byNewest);
}

/** Lines begin with a time, and are sorted as their times are. */
function* timesOf(rows: Rows["rows"], known: Rows["known"]): Generator<string, void, void> {
  for (const { updatedAt } of rows) yield updatedAt ?? "";
  for (const { files, places } of known) for (const place of places) yield files.lineAt(place);
}

/** The time of the last of the `count` newest; empty if there are fewer. Most texts are only compared with one other. */
function leastOfNewest(texts: Iterable<string>, count: number): string {
  const newest: string[] = [];
  let least = "";
  const keepNewest = (): void => {
    newest.sort().splice(0, newest.length - count);
    least = newest.length < count ? "" : (newest[0] ?? "");
  };
  for (const text of texts) {
    if (text <= least) continue;
    newest.push(text);
    if (newest.length > 2 * count) keepNewest();
  }
  keepNewest();
  // Rows of the same time are sorted by other facts than those of lines.
  return updatedAtOfLine(least);
}

/**
 * Newest first; equal times by agent, id and location (an id can be in two files), so that the order never depends on
 * the file system.
 */
function byNewest(a: Row, b: Row): number {
  const x = a.updatedAt ?? "";
  const y = b.updatedAt ?? "";
  if (x !== y) return x < y ? 1 : -1;
  const i = nameOf(a);
  const j = nameOf(b);
  return i < j ? -1 : i > j ? 1 : 0;
}

function nameOf({ reader, found: { sessionId, location } }: Row): string {
  return `${reader.agent}:${sessionId} ${location}`;
}

/** Returns the named options that are present. */
export function pick<T extends object, K extends keyof T>(options: T, ...keys: readonly K[]): Pick<T, K> {
  const picked: Partial<T> = {};
  for (const key of keys) if (options[key] !== undefined) picked[key] = options[key];
  return picked as Pick<T, K>;
}
