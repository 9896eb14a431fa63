/** The texts of native sessions and of their sub-agents, each read by the reader of its agent. */

import {
  type AgentName,
  cancellableItems,
  isFailure,
  present,
  type SessionDetails,
  toSessionRow,
} from "@continuo/core/model";
import type { FoundFile, Places } from "@continuo/files";
import { formatOf, openNativeSession, READABLE_AGENTS } from "@continuo/native";
import {
  asOneStep,
  isSettled,
  type OpenText,
  type PreviousScan,
  stampOf,
  type TextSteps,
} from "@continuo/native/index-file";
import type {
  AgentReader,
  AncestorFiles,
  FindTitle,
  FoundBatch,
  FoundSession,
  KnownFiles,
  OpenedSession,
  SavedSkimMemo,
} from "@continuo/native/kit";
import { createStampOfDependency, type StampOfDependency, toDependencyStamps } from "./dependencies.ts";
import { everyMessage } from "./every-message.ts";
import { everyStep } from "./every-step.ts";
import { type GrowingFile, scanToContinue, toGrowingFile } from "./growth.ts";
import { type CatalogSource, noMessages, type StoredIndexedSession } from "./indexed-session.ts";
import { KnownText, type KnownTextOptions, placedOf } from "./texts-known.ts";

export interface NativeSourceOptions {
  readonly places: Places;
  readonly nowMs: number;
  /** A folder or a file. */
  readonly isExcluded: (path: string) => boolean;
  /** The patterns that exclude paths, as text; sessions are examined again after the patterns change. */
  readonly rules: string;
  readonly memo: SavedSkimMemo;
  readonly signal: AbortSignal | undefined;
  readonly onFound?: (sessions: number) => void;
}

export interface NativeTexts {
  readonly sources: readonly CatalogSource[];
  readonly known: readonly KnownText[];
}

/** Lists the text of every native session that has a file and is not excluded. */
export async function nativeTexts(options: NativeSourceOptions): Promise<NativeTexts> {
  const { memo, signal, isExcluded, onFound } = options;
  const files = await memo.knownFiles();
  const found: FoundSession[] = [];
  const batches: AgentBatch[] = [];
  let count = 0;
  for await (const one of cancellableItems(signal, () => batchesOf(files, options))) {
    found.push(...one.batch.found.filter(({ files, location }) => files.length > 0 && !isExcluded(location)));
    if (one.batch.known.length > 0) batches.push(one);
    count += one.batch.found.length + one.batch.known.length;
    onFound?.(count);
  }
  const known: KnownText[] = [];
  const shared = await factsOf(found, options, () => known.map((one) => one.found()));
  for (const { agent, batch } of batches) {
    const { nowMs, rules } = options;
    const titleOf = shared.titles.get(agent) ?? null;
    const toSource: KnownTextOptions["toSource"] = (one) => sourceOf(one, shared, options);
    const of = { files, nowMs, rules, besideNow: shared.besideNow, titleOf, toSource };
    for (const place of batch.known) {
      if (!isExcluded(files.pathAt(place))) known.push(new KnownText(place, batch, of));
    }
  }
  return { sources: found.map((one) => sourceOf(one, shared, options)), known };
}

interface AgentBatch {
  readonly agent: AgentName;
  readonly batch: FoundBatch;
}

async function* batchesOf(
  files: KnownFiles,
  { places, memo, signal }: NativeSourceOptions,
): AsyncGenerator<AgentBatch, void, void> {
  const looking = { ...present({ memo, signal }), subagents: "include" } as const;
  for (const agent of READABLE_AGENTS) {
    const reader = await formatOf(agent);
    if (reader.findBatches !== undefined) {
      for await (const batch of reader.findBatches(places, { ...looking, files })) yield { agent, batch };
      continue;
    }
    const found = await Array.fromAsync(reader.find(places, looking));
    yield { agent, batch: { found, known: [], isArchived: noneKnown, toFound: noneKnown } };
  }
}

function noneKnown(): never {
  throw new Error("no session of this batch is known");
}

/** The texts of sessions that were found. */
export async function toSources(
  found: readonly FoundSession[],
  options: Omit<NativeSourceOptions, "onFound">,
): Promise<CatalogSource[]> {
  const shared = await factsOf(found, options, () => []);
  return found.map((one) => sourceOf(one, shared, options));
}

/** These facts serve to make the sources of many sessions. */
interface SharedFacts {
  readonly sharing: ReadonlyMap<string, number>;
  readonly titles: ReadonlyMap<string, FindTitle>;
  readonly states: ReadonlyMap<string, string>;
  readonly besideNow: StampOfDependency;
}

/** @param others returns the sessions that are not among those found */
async function factsOf(
  found: readonly FoundSession[],
  { places, memo }: Omit<NativeSourceOptions, "onFound">,
  others: () => readonly FoundSession[],
): Promise<SharedFacts> {
  const sharing = new Map<string, number>();
  for (const one of found) sharing.set(fileOf(one), (sharing.get(fileOf(one)) ?? 0) + 1);
  const readers = new Map<string, AgentReader>();
  const titles = new Map<string, FindTitle>();
  const states = new Map<string, string>();
  for (const agent of READABLE_AGENTS) {
    const reader = await formatOf(agent);
    readers.set(agent, reader);
    titles.set(agent, await titlesBeside(reader, places));
    const shared = found.filter((one) => one.agent === agent && (sharing.get(fileOf(one)) ?? 1) > 1);
    if (reader.statesOf === undefined || shared.length === 0) continue;
    await memo.expect(shared.flatMap(({ files }) => files.slice(0, 1)));
    for (const [location, state] of await reader.statesOf(shared, memo)) {
      states.set(location, state);
    }
  }
  const besideNow = createStampOfDependency(() => [...found, ...others()], [...readers.values()]);
  return { sharing, titles, states, besideNow };
}

function sourceOf(
  one: FoundSession,
  { sharing, titles, states, besideNow }: SharedFacts,
  options: Omit<NativeSourceOptions, "memo" | "onFound">,
): CatalogSource {
  const title = titles.get(one.agent)?.(one) ?? null;
  const state = states.get(one.location) ?? null;
  const told = { sharing: sharing.get(fileOf(one)) ?? 1, state, placed: placedOf(one, title), besideNow };
  return toSource(one, told, options);
}

/** If titles cannot be read, the session reports it when it is opened. */
async function titlesBeside(reader: AgentReader, places: Places): Promise<FindTitle> {
  const ofAll = await nullIfUnreadable(async () => await reader.titlesBeside?.(places));
  return (found) => {
    try {
      return ofAll?.(found) ?? null;
    } catch (error) {
      if (!isFailure(error)) throw error;
      return null;
    }
  };
}

async function nullIfUnreadable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (!isFailure(error)) throw error;
    return null;
  }
}

interface SideFileFacts {
  /** The number of sessions in the same file, for a database. */
  readonly sharing: number;
  /** A value that changes only if this session of the file changes; `null` if there is none. */
  readonly state: string | null;
  readonly placed: string;
  readonly besideNow: StampOfDependency;
}

function fileOf({ files }: FoundSession): string {
  return files[0]?.path ?? "";
}

function toSource(
  found: FoundSession,
  told: SideFileFacts,
  options: Omit<NativeSourceOptions, "memo" | "onFound">,
): CatalogSource {
  const { files, location } = found;
  const { sharing, state, placed, besideNow } = told;
  const { nowMs, rules } = options;
  const stamp = state ?? (isSettled(files, nowMs) ? stampOf(files) : null);
  return {
    key: location,
    sessionId: found.sessionId,
    found,
    stamp: stamp === null ? null : `${stamp}${placed}${rules}`,
    besideNow,
    sizeBytes: files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / sharing,
    changedMs: changedMsOf(files),
    open: async (signal, before) =>
      await openText(found, options, { signal, before, besideNow, keep: sharing === 1 }),
    insideOf: (kept) =>
      subagentsInside(found, kept).map((subagent) => {
        // The bytes of the sub-agent are counted with those of the session. Saved scans of many sub-agents would use
        // more memory than allowed.
        const open: CatalogSource["open"] = async (signal) =>
          await openText(subagent, options, { signal, before: null, besideNow, keep: false });
        return { ...toSource(subagent, told, options), sizeBytes: 0, open };
      }),
  };
}

/** Sub-agents whose records are inside the session's own file. */
export function subagentsInside(found: FoundSession, { inside }: StoredIndexedSession): FoundSession[] {
  return inside.map(({ id, location }) => ({
    ...found,
    sessionId: id,
    location,
    parentId: found.sessionId,
  }));
}

export function changedMsOf(files: readonly FoundFile[]): number {
  return Math.max(...files.map(({ mtimeMs }) => mtimeMs));
}

export interface OpenTextOptions {
  readonly signal: AbortSignal | undefined;
  readonly before: PreviousScan | null;
  readonly besideNow: StampOfDependency;
  /** True if the scan is kept, so that it can continue after the session has grown. */
  readonly keep: boolean;
}

/** Errors: those of opening the session. */
export async function openText(
  found: FoundSession,
  { places, isExcluded, nowMs }: Pick<NativeSourceOptions, "places" | "isExcluded" | "nowMs">,
  { signal, before, besideNow, keep }: OpenTextOptions,
): Promise<OpenText> {
  const file = toGrowingFile(found, nowMs);
  const scan = keep && before !== null ? scanToContinue(before, file, besideNow) : null;
  const session = await openNativeSession(found, {
    places,
    save: keep,
    ...present({ signal, continue: scan ?? undefined }),
  });
  const { details, filesBefore = NONE } = session;
  // The folder of a session is known only after its file was opened.
  const isKeptOut = details.cwd !== null && isExcluded(details.cwd);
  return {
    source: JSON.stringify(toKept(details, found.parentId ?? null)),
    steps: isKeptOut ? asOneStep(noMessages()) : stepsOf(session, file, signal),
    beside: toDependencyStamps(found.agent, filesBefore),
    [Symbol.dispose]: () => session.close(),
  };
}

const NONE: AncestorFiles = { there: [], gone: [] };

function stepsOf(session: OpenedSession, file: GrowingFile, signal: AbortSignal | undefined): TextSteps {
  const every = everyStep(session);
  if (every === null) return asOneStep(everyMessage(session, present({ signal })));
  const { keys, lastLines, withIds } = every;
  return {
    keys,
    withIds,
    isContinued: session.continued,
    read: (from, before) => every.read(from, before, signal),
    saved() {
      if (session.saved === null || !file.isUnchanged()) return null;
      const { lines } = session.saved.position;
      const unsettled = lastLines.findIndex((line) => line > lines);
      return { scan: file.toKept(session.saved), settled: unsettled === -1 ? keys.length : unsettled };
    },
  };
}

function toKept(details: SessionDetails, parentId: string | null): StoredIndexedSession {
  const { location } = details;
  return {
    ...toSessionRow(details),
    live: null,
    location,
    parentId,
    trashId: null,
    nativeRefs: [],
    inside: details.subagents
      .filter((one) => parentId === null && one.location.startsWith(`${location}#`))
      .map(({ id, location }) => ({ id, location })),
  };
}
