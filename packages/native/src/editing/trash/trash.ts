/**
 * Moves sessions to the trash and back.
 *
 * A trashed session is a folder with a `manifest.json` that is on disk before anything moves, so that an interrupted
 * deletion can be restored like any other.
 */

import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { ContinuoError, isFailure, openInAgent, present, type SessionInfo } from "@continuo/core/model";
import {
  makeFolderDurably,
  type Places,
  removeDurably,
  removeLeft,
  renameDurably,
  unfinishedPath,
  writeDurably,
  writeFailure,
} from "@continuo/files";
import type { FilesPlan, FoundSession, TrashPlan } from "../../native/kit/index.ts";
import { writeNewFile } from "../../native/writing/index.ts";
import { beginNote, type EmptyNote, type RestoreNote, type TrashNote, underNote } from "../placing/index.ts";
import {
  exchange,
  foldersToMake,
  giveBack,
  hasRowsOnly,
  refuseWritten,
  settleExchange,
  writtenSince,
} from "./exchange.ts";
import {
  areInPlace,
  hashFile,
  hashOf,
  inTheWay,
  isReplaced,
  type KeptFile,
  keepToo,
  listKeptFiles,
  moveAside,
  moveBack,
  removeUnfinished,
  replaceFile,
  settleMoved,
} from "./files.ts";
import {
  giveIndexRowsBack,
  keepsIndexRows,
  putChangedRows,
  putIndexRows,
  takeIndexRows,
} from "./index-rows.ts";
import {
  findManifest,
  listTrash,
  MANIFEST,
  type Manifest,
  readManifest,
  type TrashedSession,
  trashFolder,
} from "./manifest.ts";
import {
  changedPlaces,
  type NewPlace,
  placeElsewhere,
  refuseChanged,
  refuseTaken,
  removePlaced,
  toPlaced,
} from "./places.ts";
import { areRowsThere, keepAndDelete, putRows, takeRows } from "./rows.ts";

export interface TrashOptions {
  readonly places: Places;
  readonly now: Date;
  /** The replacement of the removed session. */
  readonly replacement?: Replacement;
  /** With a replacement: columns of `plan.indexRows` that have these values as long as the replacement exists. */
  readonly indexSet?: Readonly<Record<string, string>>;
}

export type Replacement =
  | { readonly bytes: Uint8Array }
  /** Files in places other than those of the session; the first file is the session's main file. */
  | { readonly placed: readonly NewPlace[] }
  /** A whole project: its files in other places, with other bytes or both, and rows with other values. */
  | { readonly exchanged: readonly NewPlace[] }
  /** Runs `take`, and then writes rows with the same ids, in one transaction of the database. */
  | { readonly rows: (take: (database: DatabaseSync) => void) => void | Promise<void> };

/**
 * Errors: `session_live`, `has_forks`, `not_found`, `unreadable`, `conflict`, `busy`, `unsupported`, `unwritable`;
 * nothing has moved then.
 */
export async function moveToTrash(
  found: FoundSession,
  info: SessionInfo,
  plan: TrashPlan,
  { places, now, replacement, indexSet }: TrashOptions,
): Promise<TrashedSession> {
  refuseWhatIsInUse(found, plan);
  if (replacement !== undefined && "placed" in replacement) refuseTaken(replacement.placed);
  const trashedAt = timeAfter(lastTrashed(info, places), now);
  const trashId = `${trashedAt.replace(/[:.]/gu, "-")}-${info.agent}-${info.sessionId}`.replace(
    /[^\w.-]/gu,
    "_",
  );
  const { agent, sessionId, title, cwd, updatedAt, sizeBytes, location } = info;
  const trashed = {
    trashId,
    trashedAt,
    info: { agent, sessionId, title, cwd, updatedAt, sizeBytes, location },
  };
  const isFileless =
    replacement !== undefined && "exchanged" in replacement && plan.type === "files" && hasRowsOnly(plan);
  const files = plan.type === "files" && !isFileless ? listFiles(plan) : [];
  if (replacement !== undefined && "exchanged" in replacement) {
    const old = new Set(files.map(({ from }) => from));
    refuseTaken(replacement.exchanged.filter(({ path }) => !old.has(path)));
  }
  const manifest: Manifest = {
    version: 1,
    ...trashed,
    plan,
    files,
    ...markOf(replacement),
    ...present({ indexSet }),
  };
  const note: TrashNote = { how: "trash", trashId };
  await underNote(places, note, async () => {
    const folder = makeFolder(places, trashId);
    try {
      writeManifest(folder, manifest);
      await take(manifest, replacement, folder);
    } catch (error) {
      // A file or a row that could not be put back stays in the trash, and can be restored. A manifest that reappears
      // after a power cut would record a deletion that never happened.
      if (areInPlace(files, manifest.replacement) && !keepsRows(plan, folder))
        removeDurably(folder, { recursive: true });
      throw error;
    }
  });
  return trashed;
}

function keepsRows(plan: TrashPlan, folder: string): boolean {
  return plan.type === "files" && keepsIndexRows(plan, folder);
}

/** The newest deletion is restored first, even if the clock was set back before it. */
function timeAfter(last: string | undefined, now: Date): string {
  const time = now.toISOString();
  return last === undefined || last <= time ? time : new Date(Date.parse(last) + 1).toISOString();
}

function lastTrashed({ agent, sessionId }: SessionInfo, places: Places): string | undefined {
  const { sessions } = listTrash(places);
  return sessions.find(({ info }) => info.agent === agent && info.sessionId === sessionId)?.trashedAt;
}

function markOf(replacement: Replacement | undefined): Pick<Manifest, "replacement" | "placed" | "made"> {
  if (replacement === undefined) return {};
  if ("exchanged" in replacement) {
    const { exchanged } = replacement;
    return { placed: exchanged.map(toPlaced), made: foldersToMake(exchanged) };
  }
  if ("placed" in replacement) return { placed: replacement.placed.map(toPlaced) };
  return { replacement: "rows" in replacement ? "rows" : hashOf(replacement.bytes) };
}

async function take(manifest: Manifest, replacement: Replacement | undefined, folder: string): Promise<void> {
  const { plan, files, placed = [], indexSet = {} } = manifest;
  if (replacement !== undefined && "exchanged" in replacement)
    return await exchange(manifest, replacement.exchanged, folder);
  if (plan.type === "rows") {
    if (replacement === undefined || !("rows" in replacement)) return await takeRows(plan, folder);
    return await replacement.rows((database) => keepAndDelete(database, plan, folder));
  }
  const [file] = files;
  if (replacement !== undefined && "placed" in replacement) {
    try {
      placeElsewhere(replacement.placed);
      await takeFiles(files, plan, folder);
      return await putChangedRows(plan, folder, indexSet);
    } catch (error) {
      removePlaced(placed, "unchanged");
      throw error;
    }
  }
  if (replacement === undefined || "rows" in replacement || file === undefined) {
    return takeFiles(files, plan, folder);
  }
  const fresh = freshPath(file.from, process.pid);
  try {
    writeNewFile(fresh, Buffer.from(replacement.bytes));
    await takeIndexRows(plan, folder);
    replaceFile(file, fresh, folder);
    await putChangedRows(plan, folder, indexSet);
  } catch (error) {
    if (hashFile(file.from) === file.sha256) await giveIndexRowsBack(plan, folder, "replaced");
    throw error;
  } finally {
    removeLeft(fresh);
  }
}

async function takeFiles(files: readonly KeptFile[], plan: FilesPlan, folder: string): Promise<void> {
  moveAside(files, plan, folder);
  try {
    await takeIndexRows(plan, folder);
  } catch (error) {
    try {
      await giveIndexRowsBack(plan, folder, "fresh");
    } finally {
      moveBack(files, { ...plan, replacement: undefined, force: false }, folder);
    }
    throw error;
  }
}

/** The path of the complete new state of a file, next to its place. No agent reads a file with such a name. */
function freshPath(path: string, pid: number): string {
  return `${path}.repaired-${pid}`;
}

function listFiles(plan: FilesPlan): KeptFile[] {
  try {
    const files = listKeptFiles(plan);
    if (files.length > 0) return files;
  } catch (cause) {
    throw new ContinuoError("unreadable", `cannot read the session: ${(cause as Error).message}`, { cause });
  }
  throw new ContinuoError("not_found", `${plan.paths.join(", ")} no longer exists`);
}

function makeFolder(places: Places, trashId: string): string {
  const folder = join(trashFolder(places), trashId);
  if (existsSync(folder)) throw new ContinuoError("conflict", "another program is deleting this session");
  try {
    makeFolderDurably(folder);
    return folder;
  } catch (cause) {
    throw writeFailure(`cannot make ${folder}`, cause);
  }
}

/**
 * Puts a session back where it was, byte for byte.
 * @param id a trash id, or a session id or the beginning of one, with or without `agent:`; of several deletions, the
 * newest
 * Errors: `not_found`, `ambiguous`, `conflict`, `corrupt`, `busy`, `unwritable`.
 */
export async function restoreFromTrash(
  id: string,
  { places, now, force }: RestoreOptions,
): Promise<TrashedSession> {
  const manifest = findManifest(id, places);
  const { trashId, trashedAt, info } = manifest;
  const note: RestoreNote = { how: "restore", trashId };
  await underNote(places, note, async () => {
    const kept = force ? `${now.toISOString().replace(/[:.]/gu, "-")}-${trashId}` : null;
    await putBack(manifest, { places, now, kept });
    removeFolder(places, trashId);
  });
  return { trashId, trashedAt, info };
}

export interface RestoreOptions {
  readonly places: Places;
  readonly now: Date;
  /**
   * A session that is now at that place goes to the trash; a file that was changed in the trash is restored with the
   * change.
   */
  readonly force: boolean;
}

interface RestoreContext {
  readonly places: Places;
  readonly now: Date;
  /** The trash id of the files that may be moved away; `null` if none may. */
  readonly kept: string | null;
}

async function putBack(manifest: Manifest, { places, now, kept }: RestoreContext): Promise<void> {
  const { plan, files, replacement, placed = [], indexSet, trashId, info } = manifest;
  const folder = join(trashFolder(places), trashId);
  const giving: Manifest = {
    version: 1,
    trashId: kept ?? "",
    trashedAt: now.toISOString(),
    info,
    plan,
    files: [],
  };
  if (plan.type === "rows") {
    const isReplacedBy = replacement !== undefined;
    if (kept === null) return await putRows(plan, folder, isReplacedBy ? "replaced" : "fresh");
    return await underNote(places, { how: "trash", trashId: kept }, () =>
      putRows(plan, folder, "replaced", beginManifest(giving, places)),
    );
  }
  if (manifest.made !== undefined) return await takeExchangeBack(manifest, giving, { places, now, kept });
  const back = async (place: "fresh" | "replaced"): Promise<void> => {
    moveBack(files, { ...plan, replacement, force: kept !== null }, folder);
    await putIndexRows(plan, folder, place);
    removePlaced(placed, kept === null ? "unchanged" : "any");
  };
  if (kept === null) refuseChanged(placed);
  const paths = kept === null ? [] : [...inTheWay(files, folder, replacement), ...changedPlaces(placed)];
  if (kept === null || paths.length === 0) return await back(indexSet === undefined ? "fresh" : "replaced");
  await underNote(places, { how: "trash", trashId: kept }, async () => {
    const way = { type: "files", paths, indexLines: [], forks: [] } as const;
    const aside = listKeptFiles(way);
    const comes = files.find(({ from }) => from === paths[0]);
    const mark = comes === undefined ? {} : { replacement: hashFile(join(folder, comes.to)) };
    const path = beginManifest({ ...giving, plan: way, files: aside, ...mark }, places);
    for (const file of aside) keepToo(file, path);
    await back("replaced");
  });
}

async function takeExchangeBack(
  manifest: Manifest,
  giving: Manifest,
  { places, kept }: RestoreContext,
): Promise<void> {
  const folder = join(trashFolder(places), manifest.trashId);
  const paths = writtenSince(manifest);
  if (kept === null) refuseWritten(manifest);
  if (kept === null || paths.length === 0) return await giveBack(manifest, folder);
  await underNote(places, { how: "trash", trashId: kept }, async () => {
    const way = { type: "files", paths, indexLines: [], forks: [] } as const;
    const aside = listKeptFiles(way);
    const path = beginManifest({ ...giving, plan: way, files: aside }, places);
    for (const file of aside) keepToo(file, path);
    await giveBack(manifest, folder, true);
  });
}

/** Returns its folder. */
function beginManifest(manifest: Manifest, places: Places): string {
  const folder = makeFolder(places, manifest.trashId);
  writeManifest(folder, manifest);
  return folder;
}

/** Errors: `unwritable`. */
function writeManifest(folder: string, manifest: Manifest): void {
  const path = join(folder, MANIFEST);
  try {
    writeDurably(path, JSON.stringify(manifest, null, 2));
  } catch (cause) {
    throw writeFailure(`cannot write ${path}`, cause);
  }
}

/**
 * Renames the folder before its content is removed, so that an incomplete folder never counts as a trashed session. If
 * a full disk has no space for another name, the folder is removed under its own name.
 */
function removeFolder(places: Places, trashId: string): void {
  const folder = join(trashFolder(places), trashId);
  const gone = join(trashFolder(places), `.gone-${trashId}`);
  removeDurably(renamed(folder, gone) ? gone : folder, { recursive: true });
}

function renamed(from: string, to: string): boolean {
  try {
    renameDurably(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return false;
    throw error;
  }
}

/**
 * Settles an interrupted deletion or repair in place: afterwards the session is either in its place or in the trash.
 * @param pid the id of the process that is gone
 */
export async function settleTrash({ trashId }: TrashNote, pid: number, places: Places): Promise<void> {
  const folder = join(trashFolder(places), trashId);
  const manifest = readManifest(join(folder, MANIFEST));
  const isToStay = manifest === null ? holdsMore(folder) : await isTaken(manifest, pid, folder);
  if (!isToStay) removeIfThere(folder);
}

/** The manifest is written first, so if it cannot be read although other files exist, it was damaged later. */
function holdsMore(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => !name.startsWith(MANIFEST));
}

async function isTaken(manifest: Manifest, pid: number, folder: string): Promise<boolean> {
  const { plan, files, replacement, placed = [] } = manifest;
  if (manifest.made !== undefined) return await isExchangeToStay(manifest, pid, folder);
  if (plan.type === "rows") return !(await areRowsThere(plan, folder));
  removeUnfinished(files, folder, pid);
  for (const { path } of placed) removeLeft(unfinishedPath(path, pid));
  if (replacement === undefined) {
    if (settleMoved(files, plan, folder) === "back") {
      removePlaced(placed, "unchanged");
      return false;
    }
    await takeIndexRows(plan, folder);
    return true;
  }
  for (const { from } of files) {
    const fresh = freshPath(from, pid);
    for (const path of [fresh, unfinishedPath(fresh, pid)]) removeLeft(path);
  }
  return isReplaced(files, folder);
}

/** If another program has written to a file since then, nothing is changed, and the person must decide. */
async function isExchangeToStay(manifest: Manifest, pid: number, folder: string): Promise<boolean> {
  try {
    await settleExchange(manifest, pid, folder);
    return false;
  } catch (error) {
    if (isFailure(error)) return true;
    throw error;
  }
}

/**
 * An interrupted restoration continues; if that is refused, the session stays in the trash.
 * @param pid the id of the process that is gone
 */
export async function settleRestore({ trashId }: RestoreNote, pid: number, places: Places): Promise<void> {
  removeIfThere(join(trashFolder(places), `.gone-${trashId}`));
  const folder = join(trashFolder(places), trashId);
  const manifest = readManifest(join(folder, MANIFEST));
  if (manifest === null) return;
  removeUnfinished(manifest.files, folder, pid);
  try {
    await putBack(manifest, { places, now: new Date(), kept: null });
  } catch (error) {
    if (isFailure(error)) return;
    throw error;
  }
  removeFolder(places, trashId);
}

/** Permanently deletes the sessions that were trashed before a time, or all of them, and returns them. */
export function emptyTrash(places: Places, trashedBefore?: Date): TrashedSession[] {
  const before = trashedBefore?.toISOString();
  const old = listTrash(places).sessions.filter(
    ({ trashedAt }) => before === undefined || trashedAt < before,
  );
  // The oldest first: if this is interrupted, the newest state of each session is left.
  for (const { trashId } of old.toReversed()) {
    const end = beginNote(places, { how: "empty", trashId });
    removeFolder(places, trashId);
    end("done");
  }
  return old;
}

/** Finishes the removal of a session from the trash. */
export function settleEmpty({ trashId }: EmptyNote, places: Places): void {
  for (const name of [trashId, `.gone-${trashId}`]) removeIfThere(join(trashFolder(places), name));
}

function removeIfThere(folder: string): void {
  if (existsSync(folder)) removeDurably(folder, { recursive: true });
}

function refuseWhatIsInUse(found: FoundSession, plan: TrashPlan): void {
  const name = `${found.agent}:${found.sessionId}`;
  if (found.live === true) throw openInAgent(found);
  if (plan.forks.length > 0) {
    const readers = plan.forks.length === 1 ? "a fork reads" : `${plan.forks.length} forks read`;
    throw new ContinuoError("has_forks", `${readers} the files of ${name}`, {
      hint: `Delete them first, or together with it: ${plan.forks.join(" ")}`,
      details: { forks: plan.forks },
    });
  }
}
