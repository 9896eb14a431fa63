/** The list: every session of every agent on this machine, newest first. */

import {
  type AgentName,
  assertKnownOptions,
  cancellable,
  cancellableItems,
  isFailure,
  type KnownOptions,
  type SessionInfo,
} from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import type {
  AgentReader,
  FindOptions,
  FoundFile,
  FoundSession,
  SavedSkimMemo,
  SkimOptions,
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
  /** With `limit`: the newest by the times of their files, so that only those are read. Left out: by what sessions say. */
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
  readonly isSetAside?: (found: FoundSession) => boolean;
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
  /** Ids of every session that was met, those left out too; beyond `agents` and `cwd` none is met. */
  readonly metIds: readonly string[];
}

/** The rows of `readNativeList`. */
export async function listNativeSessions(options: ListOptions = {}): Promise<readonly SessionInfo[]> {
  return (await readNativeList(options)).sessions;
}

/**
 * Sessions by `updatedAt`, newest first; those without a time last. No file is read whole but for a byte
 * search for titles, and that only in what the limit lets through. Errors: `usage` for an unknown option.
 */
export async function readNativeList(options: ListOptions = {}): Promise<NativeList> {
  assertKnownOptions("readNativeList", options, LIST_OPTIONS);
  return await cancellable(options.signal, () => readList(options));
}

async function readList(options: ListOptions): Promise<NativeList> {
  const places = options.places ?? placesOfThisUser();
  const looking = pick(options, "signal", "memo");
  const rows: Row[] = [];
  const metIds: string[] = [];
  // If every row is shown, reading the ends first would only be an additional read.
  const part = options.limit === undefined ? "whole" : "ends";
  const aside: Pick<Row, "reader" | "found">[] = [];
  let archivedLeftOut = 0;
  for (const agent of options.agents ?? READABLE_AGENTS) {
    const reader = await formatOf(agent);
    for await (const found of reader.find(places, { ...pick(options, "cwd"), ...looking })) {
      metIds.push(found.sessionId);
      if (options.isSetAside?.(found)) {
        aside.push({ reader, found });
        continue;
      }
      if (found.archived && options.archived !== "include") {
        // A session that another filter hides is not hidden because it is archived.
        const isHidden =
          options.since === undefined || isWanted(await rowOf(reader, found, { part, ...looking }), options);
        if (isHidden) archivedLeftOut += 1;
        continue;
      }
      const row =
        quick(reader, found, options) ??
        knownRow(reader, found, { part, ...looking }) ??
        (await rowOf(reader, found, { part, ...looking }));
      if (isWanted(row, options)) rows.push(row);
      options.onProgress?.(rows.length);
    }
  }
  rows.sort(byNewest);
  if (part === "ends")
    await options.memo?.expect(filesOf([...aside, ...rows.slice(0, 2 * (options.limit ?? 0))]));
  const setAside: SessionInfo[] = [];
  for (const { reader, found } of aside) {
    setAside.push(await reader.skim(found, { part: "ends", ...looking }));
  }
  const sessions: SessionInfo[] = [];
  let emptyLeftOut = 0;
  for (const { reader, found, info } of rows) {
    if (sessions.length >= (options.limit ?? rows.length)) break;
    const skimmed = info ?? (await reader.skim(found, { part: "whole", ...looking }));
    const whole = isEmptySession(skimmed) ? await withPicture(skimmed, { reader, found, places }) : skimmed;
    if (options.empty === "exclude" && isEmptySession(whole)) emptyLeftOut += 1;
    else sessions.push(whole);
  }
  const isEverything = options.agents === undefined && options.cwd === undefined && !options.newestBy;
  await options.memo?.save(isEverything ? "everything" : "part");
  return { sessions, total: rows.length - emptyLeftOut, archivedLeftOut, emptyLeftOut, setAside, metIds };
}

export interface FindNativeOptions extends Omit<FindOptions, "cwd"> {
  readonly places?: Places;
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
  for (const agent of options.agents ?? READABLE_AGENTS) {
    yield* (await formatOf(agent)).find(places, pick(options, "subagents", "memo", "signal"));
  }
}

interface Row {
  readonly reader: AgentReader;
  readonly found: FoundSession;
  readonly updatedAt: string | null;
  /** The row; `null` if only the time was needed. */
  readonly info: SessionInfo | null;
}

/** A row by the times of its files; `null` if they do not say: a database is one file for many sessions. */
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
  return { reader, found, updatedAt: info.updatedAt, info: options.part === "whole" ? info : null };
}

function isWanted({ updatedAt }: Row, { since }: ListOptions): boolean {
  return since === undefined || (updatedAt !== null && updatedAt >= since);
}

function filesOf(rows: readonly Pick<Row, "found">[]): FoundFile[] {
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
  { reader, found, places }: Pick<Row, "reader" | "found"> & { readonly places: Places },
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

/** Newest first; equal times by agent and id, so that the order never depends on the file system. */
function byNewest(a: Row, b: Row): number {
  const [x, y] = [a.updatedAt ?? "", b.updatedAt ?? ""];
  if (x !== y) return x < y ? 1 : -1;
  const [i, j] = [nameOf(a), nameOf(b)];
  return i < j ? -1 : i > j ? 1 : 0;
}

function nameOf({ found: { agent, sessionId } }: Row): string {
  return `${agent}:${sessionId}`;
}

/** Returns the named options that are present. */
export function pick<T extends object, K extends keyof T>(options: T, ...keys: readonly K[]): Pick<T, K> {
  const picked: Partial<T> = {};
  for (const key of keys) if (options[key] !== undefined) picked[key] = options[key];
  return picked as Pick<T, K>;
}
