/** Places the files of a session in new places while its old files are in the trash, and removes them again. */

import { existsSync, readdirSync, readFileSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { copyDurably, makeFolderDurably, removeDurably } from "@continuo/files";
import { writeNewFile } from "../../native/writing/index.ts";
import { hashFile, hashOf } from "./files.ts";
import type { PlacedFile } from "./manifest.ts";

export type NewPlace =
  | { readonly path: string; readonly bytes: Uint8Array }
  | { readonly path: string; readonly copyOf: string }
  /** The bytes are made when they are needed, because those of a whole project may not fit in memory. */
  | { readonly path: string; readonly make: () => Uint8Array };

export function bytesOf(place: NewPlace): Uint8Array {
  if ("bytes" in place) return place.bytes;
  return "make" in place ? place.make() : readFileSync(place.copyOf);
}

export function toPlaced(file: NewPlace): PlacedFile {
  return { path: file.path, sha256: "copyOf" in file ? hashFile(file.copyOf) : hashOf(bytesOf(file)) };
}

/** Checked before the note is written, because an existing file belongs to somebody else. Errors: `conflict`. */
export function refuseTaken(files: readonly NewPlace[]): void {
  const taken = files.find(({ path }) => existsSync(path));
  if (taken !== undefined) throw new ContinuoError("conflict", `${taken.path} exists`);
}

/** Errors: `conflict` if a file exists there, `unwritable`. The caller removes the files that were placed before. */
export function placeElsewhere(files: readonly NewPlace[]): void {
  // The session itself is placed last, after everything that belongs to it.
  for (const file of files.toReversed()) {
    makeFolderDurably(dirname(file.path));
    if ("copyOf" in file) copyDurably(file.copyOf, file.path);
    else writeNewFile(file.path, Buffer.from(bytesOf(file)));
  }
}

/** The files that were written to after they were placed. */
export function changedPlaces(placed: readonly PlacedFile[]): readonly string[] {
  return placed
    .filter(({ path, sha256 }) => existsSync(path) && hashFile(path) !== sha256)
    .map(({ path }) => path);
}

/** Errors: `conflict` if one was written to after it was placed. */
export function refuseChanged(placed: readonly PlacedFile[]): void {
  const [path] = changedPlaces(placed);
  if (path === undefined) return;
  throw new ContinuoError("conflict", `cannot restore the session: another program wrote to ${path}`, {
    hint: "Use `--force` to restore it, and to move the other file to the trash; nothing was restored.",
    details: { path },
  });
}

/** A file that was changed stays, unless the caller kept it elsewhere. Also removes the folders that became empty. */
export function removePlaced(placed: readonly PlacedFile[], which: "unchanged" | "any"): void {
  const [session] = placed;
  if (session === undefined) return;
  const changed = new Set(which === "any" ? [] : changedPlaces(placed));
  for (const { path } of placed) {
    if (changed.has(path) || !existsSync(path)) continue;
    removeDurably(path);
  }
  const root = dirname(session.path);
  for (const { path } of placed) removeEmptied(dirname(path), root);
}

function removeEmptied(folder: string, root: string): void {
  if (folder !== root && !folder.startsWith(join(root, "/"))) return;
  if (!existsSync(folder) || readdirSync(folder).length > 0) return;
  rmdirSync(folder);
  removeEmptied(dirname(folder), root);
}
