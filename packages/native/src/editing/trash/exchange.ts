/**
 * Exchanges many files and rows for others in one change: some files get another place, some other bytes, and some rows
 * other values. All old states are in one folder of the trash. An interrupted exchange is undone as a whole.
 */

import { existsSync, readdirSync, rmdirSync } from "node:fs";
import { dirname } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { removeDurably, removeLeft, unfinishedPath } from "@continuo/files";
import type { FilesPlan } from "../../native/kit/index.ts";
import { writeNewFile } from "../../native/writing/index.ts";
import { hashFile, type KeptFile, moveAside, moveBack, removeUnfinished, replaceFile } from "./files.ts";
import { changeIndexRows, giveIndexRowsBack } from "./index-rows.ts";
import type { Manifest, PlacedFile } from "./manifest.ts";
import { bytesOf, type NewPlace, placeElsewhere } from "./places.ts";

/** Folders of new places that do not exist yet, the deepest first. */
export function foldersToMake(placed: readonly NewPlace[]): readonly string[] {
  const missing = new Set<string>();
  for (const { path } of placed) {
    for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) missing.add(folder);
  }
  return [...missing].sort((a, b) => b.length - a.length);
}

/** Errors: `conflict` if a file changed in the meantime, `busy`, `unwritable`; then nothing has changed. */
export async function exchange(
  manifest: Manifest,
  placed: readonly NewPlace[],
  folder: string,
): Promise<void> {
  const { plan, files } = manifest;
  if (plan.type !== "files") throw new Error("only files are exchanged");
  const wanted = new Map(placed.map((place) => [place.path, place]));
  const old = new Set(files.map(({ from }) => from));
  try {
    placeElsewhere(placed.filter(({ path }) => !old.has(path)));
    for (const file of files) {
      const place = wanted.get(file.from);
      if (place !== undefined) replaceInPlace(file, place, folder);
    }
    moveAside(
      files.filter(({ from }) => !wanted.has(from)),
      plan,
      folder,
    );
    await changeIndexRows(plan, folder);
  } catch (error) {
    await giveBack(manifest, folder);
    throw error;
  }
}

function replaceInPlace(file: KeptFile, place: NewPlace, folder: string): void {
  const fresh = freshPath(file.from, process.pid);
  try {
    writeNewFile(fresh, Buffer.from(bytesOf(place)));
    replaceFile(file, fresh, folder);
  } finally {
    removeLeft(fresh);
  }
}

/** No agent reads a file with such a name. */
function freshPath(path: string, pid: number): string {
  return `${path}.relocated-${pid}`;
}

/** The files that another program wrote to in the meantime. */
export function writtenSince({ files, placed = [] }: Manifest): readonly string[] {
  const old = new Map(files.map(({ from, sha256 }) => [from, sha256]));
  return placed
    .filter(({ path, sha256 }) => {
      const hash = existsSync(path) ? hashFile(path) : null;
      return hash !== null && hash !== sha256 && hash !== old.get(path);
    })
    .map(({ path }) => path);
}

/** Errors: `conflict` if another program wrote to a file in the meantime; then nothing has changed. */
export function refuseWritten(manifest: Manifest): void {
  const [path] = writtenSince(manifest);
  if (path === undefined) return;
  throw new ContinuoError("conflict", `cannot restore the project: another program wrote to ${path}`, {
    hint: "Use `--force` to restore it, and to move the other file to the trash; nothing was restored.",
    details: { path },
  });
}

/** Restores the old state, however far the exchange came. Errors: those of moving files back and of rows. */
export async function giveBack(manifest: Manifest, folder: string, force = false): Promise<void> {
  const { plan, files, placed = [], made = [] } = manifest;
  if (plan.type !== "files") return;
  const hashes = new Map(placed.map(({ path, sha256 }) => [path, sha256]));
  moveBack(files, { ...plan, replacement: undefined, placed: hashes, force }, folder);
  await giveIndexRowsBack(plan, folder, "replaced");
  removeNew(placed, new Set(files.map(({ from }) => from)));
  for (const path of made) if (existsSync(path) && readdirSync(path).length === 0) rmdirSync(path);
}

function removeNew(placed: readonly PlacedFile[], old: ReadonlySet<string>): void {
  for (const { path } of placed) if (!old.has(path) && existsSync(path)) removeDurably(path);
}

/** @param pid the id of the process that is gone */
export async function settleExchange(manifest: Manifest, pid: number, folder: string): Promise<void> {
  removeUnfinished(manifest.files, folder, pid);
  for (const { path } of manifest.placed ?? []) removeLeft(unfinishedPath(path, pid));
  for (const { from } of manifest.files) {
    const fresh = freshPath(from, pid);
    for (const path of [fresh, unfinishedPath(fresh, pid)]) removeLeft(path);
  }
  refuseWritten(manifest);
  await giveBack(manifest, folder);
}

/** True for an exchange without files. */
export function hasRowsOnly({ paths, indexRows = [] }: FilesPlan): boolean {
  return paths.length === 0 && indexRows.length > 0;
}
