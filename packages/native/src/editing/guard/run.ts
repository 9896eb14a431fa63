/**
 * A run of the guard: stores every session that an agent may delete by itself, or that is stored as rows of a database,
 * if it changed since the last run; removes copies beyond the person's limits; and computes when sessions will be
 * deleted.
 */

import { existsSync } from "node:fs";
import { join, sep } from "node:path";
import { type AgentName, isFailure, present } from "@continuo/core/model";
import {
  isWriteFailure,
  lockSession,
  type Places,
  removeDurably,
  type WriterLock,
  writeDurably,
  writeFailure,
} from "@continuo/files";
import { formatOf } from "../../native/index.ts";
import type {
  AgentReader,
  AgentRetention,
  FoundRow,
  FoundSession,
  SessionEnd,
  SkimMemo,
} from "../../native/kit/index.ts";
import { type Chain, openChain } from "./chain.ts";
import { orphanedDictionaries } from "./dictionaries.ts";
import {
  type GuardSettings,
  guardFolder,
  isInPlace,
  keyOf,
  readGuardSettings,
  type SessionKey,
} from "./folder.ts";
import { type GuardedSession, manifestsIn, readLedger, toGuarded, writeLedger } from "./ledger.ts";
import { piecesOf } from "./manifest.ts";
import { removeManifest } from "./manifest-file.ts";
import { markPath, sessionsToForget } from "./only-copies.ts";
import { type Piece, releaseDictionaries, removeOtherPieces } from "./pieces.ts";
import { storeSession } from "./store-session.ts";

export interface GuardRunOptions {
  readonly places: Places;
  readonly now?: Date;
  /** Files and folders that the person excluded. */
  readonly isExcluded?: (path: string) => boolean;
  readonly memo?: SkimMemo;
  /** The one session to store, which the hook of an agent named; if it does not exist, all sessions are checked. */
  readonly only?: NamedSession;
  /** The longest wait for another run; none by default. */
  readonly waitMs?: number;
  readonly signal?: AbortSignal;
}

export interface NamedSession {
  readonly sessionId: string;
  readonly location: string;
}

export interface GuardRun {
  /** Sessions that agents may delete by themselves, and those that are stored as rows of a database. */
  readonly sessions: number;
  readonly stored: number;
  readonly unchanged: number;
  /** Left out because the person excluded them. */
  readonly excluded: number;
  /** The sessions that could not be stored now, with the reason. */
  readonly failed: readonly { readonly sessionId: string; readonly message: string }[];
  /**
   * Copies that were removed: those of sessions that the person deleted permanently, and those beyond the limits of
   * size and age.
   */
  readonly removed: number;
  /** Sessions without a copy because of the limit of size. */
  readonly withoutRoom: number;
}

const NAME_OF_LOCK = "guard";

/** Errors: `busy` if another run is at work, `unwritable`, `corrupt` for settings that cannot be read. */
export async function runGuard(options: GuardRunOptions): Promise<GuardRun> {
  const { places, waitMs = 0, signal } = options;
  const lock = await lockGuard(places, waitMs, signal);
  try {
    return await runLocked(options, readGuardSettings(places));
  } catch (error) {
    throw isWriteFailure(error) ? writeFailure(`cannot write to ${guardFolder(places)}`, error) : error;
  } finally {
    lock.release();
  }
}

/** Errors: `busy`, `unwritable`. */
function lockGuard(places: Places, waitMs: number, signal?: AbortSignal): Promise<WriterLock> {
  return lockSession(`/${NAME_OF_LOCK}`, NAME_OF_LOCK, { places, waitMs, signal });
}

interface Counts {
  sessions: number;
  stored: number;
  unchanged: number;
  excluded: number;
  withoutRoom: number;
  readonly failed: { readonly sessionId: string; readonly message: string }[];
}

interface RunState extends GuardRunOptions {
  readonly now: Date;
  readonly settings: GuardSettings;
  readonly chain: Chain;
  readonly ledger: Map<string, GuardedSession>;
  readonly counts: Counts;
}

async function runLocked(options: GuardRunOptions, settings: GuardSettings): Promise<GuardRun> {
  const { places, now = new Date() } = options;
  const counts: Counts = { sessions: 0, stored: 0, unchanged: 0, excluded: 0, withoutRoom: 0, failed: [] };
  const ledger = new Map(readLedger(places));
  const running: RunState = { ...options, now, settings, chain: openChain(places), ledger, counts };
  try {
    if (options.only !== undefined && (await storeOnly(options.only, running)))
      return { ...counts, removed: 0 };
    for (const { agent, reader, retention } of await agentsWithRules()) {
      await storeAgent({ agent, reader, retention }, running);
    }
    for (const agent of AGENTS_WITH_ROWS)
      await storeAgent({ agent, reader: await formatOf(agent), retention: null }, running);
    const removed = removeMarked(running) + removeOld(running);
    const isLeft = existsSync(notCleanedPath(places)) || orphanedDictionaries(places).size > 0;
    if (counts.stored > 0 || removed > 0 || isLeft) removeUnnamed(places);
    running.chain.packOld();
    return { ...counts, removed };
  } finally {
    writeLedger(ledger, places);
  }
}

interface AgentWithRules {
  readonly agent: AgentName;
  readonly reader: AgentReader;
  readonly retention: AgentRetention;
}

/** The other agents have no such rules, so a hook need not wait for their readers. */
export const DELETING_AGENTS: readonly AgentName[] = ["claude", "gemini"];

/** These agents delete a session only on a person's request, but then its rows cannot be restored. */
const AGENTS_WITH_ROWS: readonly AgentName[] = ["opencode"];

/** A guarded agent, which need not delete sessions by itself. */
interface GuardedAgent extends Pick<AgentWithRules, "agent" | "reader"> {
  readonly retention: AgentRetention | null;
}

/** The agents that delete sessions by themselves, whatever their settings say now. */
export async function agentsWithRules(): Promise<readonly AgentWithRules[]> {
  return await Array.fromAsync(eachWithRules(DELETING_AGENTS));
}

async function* eachWithRules(agents: readonly AgentName[]): AsyncGenerator<AgentWithRules> {
  for (const agent of agents) {
    const reader = await formatOf(agent);
    const retention = await reader.retention?.();
    if (retention !== undefined) yield { agent, reader, retention };
  }
}

/**
 * Returns false if the file is not a session in the folder of an agent that deletes sessions. The pieces that are only
 * in the replaced copy stay until the next run over all sessions.
 */
async function storeOnly({ sessionId, location }: NamedSession, running: RunState): Promise<boolean> {
  const { places, counts, ledger } = running;
  // The agent that the path names comes first, so that a hook mostly loads one reader.
  const agents = DELETING_AGENTS.toSorted(
    (a, b) => location.lastIndexOf(`.${b}/`) - location.lastIndexOf(`.${a}/`),
  );
  for await (const { reader, retention } of eachWithRules(agents)) {
    const isInside = reader.folders?.(places).some((folder) => location.startsWith(folder + sep)) === true;
    const found = isInside ? await reader.recognise(location, places) : null;
    if (found === null || found.location !== location || found.sessionId !== sessionId) continue;
    counts.sessions = 1;
    const before = ledger.get(keyOf(found));
    const stamp = stampOfFiles(found);
    if (isStored(before, stamp) || isStoredQuickly(before, stamp)) {
      counts.unchanged = 1;
      return true;
    }
    const info = await rowIfReadable(reader, found, running);
    if (info === null || isLeftOut(found, info, running)) return true;
    if (!existsSync(notCleanedPath(places))) writeDurably(notCleanedPath(places), "");
    if (await storeOne(found, info, { reader, retention, quick: true }, running)) counts.stored = 1;
    const stored = ledger.get(keyOf(found));
    // If a rule counts sessions, the time of deletion depends on other sessions too: the next full run computes it
    // again.
    if (stored !== undefined) ledger.set(keyOf(found), { ...stored, endsAtMs: before?.endsAtMs ?? null });
    return true;
  }
  return false;
}

function notCleanedPath(places: Places): string {
  return join(guardFolder(places), "not-cleaned");
}

function isLeftOut(found: FoundSession, { cwd }: Row, { isExcluded, counts }: RunState): boolean {
  if (isExcluded?.(found.location) !== true && (cwd === null || isExcluded?.(cwd) !== true)) return false;
  counts.excluded += 1;
  return true;
}

async function storeAgent({ reader, retention }: GuardedAgent, running: RunState): Promise<void> {
  const { places, counts, ledger, memo, signal } = running;
  const rows: { readonly key: string; readonly found: FoundSession; readonly info: Row }[] = [];
  for await (const found of reader.find(places, present({ memo, signal }))) {
    signal?.throwIfAborted();
    counts.sessions += 1;
    const key = keyOf(found);
    const row = await rowIfReadable(reader, found, running);
    if (row === null) continue;
    if (isLeftOut(found, row, running)) continue;
    rows.push({ found, info: row, key });
  }
  const ends = (await retention?.endsOf(rows, places, memo)) ?? new Map<string, SessionEnd>();
  const endOf = ({ found }: FoundRow): number => ends.get(found.location)?.atMs ?? Number.POSITIVE_INFINITY;
  // If there is not enough space for all, the sessions with the earliest deletion get it.
  for (const row of rows.toSorted((a, b) => endOf(a) - endOf(b))) {
    const before = ledger.get(row.key);
    const stamp = stampOf(row.found, row.info);
    const isNew = !isStored(before, stamp) && !isStoredQuickly(before, stamp);
    if (!isNew) counts.unchanged += 1;
    if (!isStored(before, stamp)) {
      const isDone = await storeOne(row.found, row.info, { reader, retention, quick: false }, running);
      if (isDone && isNew) counts.stored += 1;
    }
    const one = ledger.get(row.key);
    if (one !== undefined)
      ledger.set(row.key, { ...one, endsAtMs: ends.get(row.found.location)?.atMs ?? null });
  }
}

type Row = Awaited<ReturnType<AgentReader["skim"]>>;

async function rowIfReadable(
  reader: AgentReader,
  found: FoundSession,
  running: RunState,
): Promise<Row | null> {
  try {
    return await reader.skim(found, {
      part: "whole",
      ...present({ memo: running.memo, signal: running.signal }),
    });
  } catch (error) {
    return fail(found, error, running);
  }
}

interface StoreSessionOptions extends Pick<GuardedAgent, "reader" | "retention"> {
  /** True if an agent waits. */
  readonly quick: boolean;
}

/** Returns false if the session could not be stored, and counts the failure. */
async function storeOne(
  found: FoundSession,
  info: Row,
  { reader, retention, quick }: StoreSessionOptions,
  running: RunState,
): Promise<boolean> {
  const { places, chain, now, ledger, settings, counts } = running;
  // A copy that was compressed quickly is always compressed again, because that can only make it smaller.
  if (
    totalOf(ledger) >= settings.maxBytes &&
    !isStoredQuickly(ledger.get(keyOf(found)), stampOf(found, info))
  ) {
    counts.withoutRoom += 1;
    return false;
  }
  try {
    const manifest = await storeSession(found, info, { reader, retention, places, chain, now, quick });
    const stamp = `${quick ? QUICK : ""}${stampOf(found, info)}`;
    ledger.set(keyOf(found), toGuarded(manifest, stamp, null));
    return true;
  } catch (error) {
    fail(found, error, running);
    return false;
  }
}

/** Counts a session that failed, so that the others are stored nevertheless. Only an error of the disk ends the run. */
function fail(found: FoundSession, error: unknown, { counts }: RunState): null {
  const isOfFile = isFailure(error) && error.code !== "unwritable";
  const { code, message } = error as NodeJS.ErrnoException;
  if (!isOfFile && !["ENOENT", "EACCES", "EPERM", "ENOTDIR"].includes(String(code))) throw error;
  counts.failed.push({ sessionId: found.sessionId, message });
  return null;
}

/**
 * The prefix of the stamp of a session that was compressed quickly while an agent waited; the next full run compresses
 * it better.
 */
const QUICK = "quick ";

function isStored(one: GuardedSession | undefined, stamp: string): boolean {
  return one?.stamp === stamp;
}

function isStoredQuickly(one: GuardedSession | undefined, stamp: string): boolean {
  return one?.stamp === `${QUICK}${stamp}`;
}

/** The stamp of a session in a database comes from its row, because the file changes with each of its sessions. */
function stampOf(found: FoundSession, { updatedAt, sizeBytes, title }: Row): string {
  const isRow = !found.files.some(({ path }) => path === found.location);
  return isRow ? JSON.stringify([updatedAt, sizeBytes, title]) : stampOfFiles(found);
}

function stampOfFiles({ files }: FoundSession): string {
  return files.map(({ sizeBytes, mtimeMs, inode }) => `${sizeBytes} ${mtimeMs} ${inode}`).join(", ");
}

export function totalOf(ledger: ReadonlyMap<string, GuardedSession>): number {
  let sum = 0;
  for (const { storedBytes } of ledger.values()) sum += storedBytes;
  return sum;
}

/**
 * Removes the copies of sessions that the person deleted permanently. A session with the same id that exists again
 * keeps its copy.
 */
function removeMarked(running: RunState): number {
  const { places, ledger } = running;
  const marked = sessionsToForget(places);
  let removed = 0;
  for (const key of marked) {
    const location = ledger.get(keyOf(key))?.location;
    if (location === undefined || !isInPlace(location)) {
      forgetOne(key, running);
      removed += 1;
    }
  }
  // Otherwise the list would show copies that are gone.
  if (removed > 0) writeLedger(ledger, places);
  for (const key of marked) removeDurably(markPath(key, places));
  return removed;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * Removes the copies of deleted sessions that are too old. Above the limit of size, copies of existing sessions are
 * removed first, beginning with the one whose deletion is furthest away; then the oldest of the others. Returns the
 * number of removed copies.
 */
function removeOld(running: RunState): number {
  const { ledger, settings, now } = running;
  const isGone = ({ location }: GuardedSession): boolean => !isInPlace(location);
  let removed = 0;
  if (settings.maxAgeDays !== null) {
    const before = new Date(now.getTime() - settings.maxAgeDays * DAY_MS).toISOString();
    for (const one of [...ledger.values()]) {
      if (one.storedAt >= before || !isGone(one)) continue;
      forgetOne(one, running);
      removed += 1;
    }
  }
  if (totalOf(ledger) <= settings.maxBytes) return removed;
  const [gone, there] = [
    [...ledger.values()].filter(isGone),
    [...ledger.values()].filter((one) => !isGone(one)),
  ];
  there.sort((a, b) => (b.endsAtMs ?? Number.POSITIVE_INFINITY) - (a.endsAtMs ?? Number.POSITIVE_INFINITY));
  gone.sort((a, b) => (a.storedAt < b.storedAt ? -1 : 1));
  for (const one of [...there, ...gone]) {
    if (totalOf(ledger) <= settings.maxBytes) break;
    forgetOne(one, running);
    removed += 1;
  }
  return removed;
}

/**
 * The manifest is removed after its line in the log is written; its pieces are removed if no other manifest uses them.
 */
function forgetOne(
  { agent, sessionId }: SessionKey,
  { ledger, places, chain, now }: Pick<RunState, "ledger" | "places" | "chain" | "now">,
): void {
  chain.append({ at: now.toISOString(), what: "forgotten", agent, sessionId, manifest: null });
  removeManifest({ agent, sessionId }, places);
  ledger.delete(keyOf({ agent, sessionId }));
}

/** If a manifest cannot be read, all pieces stay, because it may use any of them. */
function removeUnnamed(places: Places): void {
  const named = new Map<string, Piece>();
  for (const { manifest } of manifestsIn(places)) {
    if (manifest === null) return;
    for (const piece of piecesOf(manifest)) named.set(piece.sha256, piece);
  }
  removeOtherPieces(named, places);
  releaseDictionaries(named.values(), places);
  if (existsSync(notCleanedPath(places))) removeDurably(notCleanedPath(places));
}
