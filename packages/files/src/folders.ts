/**
 * Reads folders and small files around sessions, without an exception if they do not exist. Also finds the folder of
 * this package.
 */

import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isJson, type Json } from "./json.ts";

/** The state of a file at one moment. Times are milliseconds since 1970. */
export interface FoundFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly inode: number;
}

/** The most bytes of a small file next to a session (titles, marks, settings); a larger file is not read. */
const MAX_BESIDE_BYTES = 1024 * 1024;

/** Returns the names in a folder, sorted; none if it does not exist or cannot be read. */
export function namesIn(folder: string): string[] {
  // Most sessions have no folder next to them, and an exception costs more than a check.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Returns the names in a folder; none if it does not exist. Errors: those of the system if it cannot be read. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}

/**
 * Returns `null` if there is no such file, if it is too large, or if it cannot be read. Pipes and devices are not read:
 * a read of a pipe would wait for a writer, and a device has no end.
 */
export function readSmallFile(
  path: string,
  { maxBytes = MAX_BESIDE_BYTES }: { readonly maxBytes?: number } = {},
): string | null {
  if (!existsSync(path)) return null;
  try {
    const stat = statSync(path);
    return !stat.isFile() || stat.size > maxBytes ? null : readFileSync(path, "utf8");
  } catch {
    return null;
  }
}

/** Returns `null` if there is no such file, if it is too large, or if it does not contain a JSON object. */
export function readJsonFile(path: string, options: { readonly maxBytes?: number } = {}): Json | null {
  const text = readSmallFile(path, options);
  if (text === null) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/** Returns `null` for a path that is not a regular file. */
export function statFile(path: string): FoundFile | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return null;
    return { path, sizeBytes: stat.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs, inode: stat.ino };
  } catch {
    return null;
  }
}

/** The times of files are behind `Date.now()` by a tick of the kernel (4 ms), on some file systems by two seconds. */
const FILE_CLOCK_LAG_MS = 2_000;

/** Returns false only if the file was certainly not written after `sinceMs`. */
export function mayBeWrittenSince(file: { readonly mtimeMs: number }, sinceMs: number): boolean {
  return file.mtimeMs >= sinceMs - FILE_CLOCK_LAG_MS;
}

/**
 * Returns the absolute path of a folder in Unicode's composed form. Symbolic links are resolved if the folder exists.
 */
export function canonicalFolder(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute).normalize("NFC");
  } catch {
    return absolute.normalize("NFC");
  }
}

/**
 * Returns every file below a folder, or the file itself; empty if nothing is at the path. Links are in the list, but
 * are not followed.
 */
export function filesBelow(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return [];
  if (!stat.isDirectory()) return [path];
  return readdirSync(path)
    .sort()
    .flatMap((name) => filesBelow(join(path, name)));
}

/**
 * Returns the path of a file or folder that is part of the package; `null` if this code was bundled into another
 * program, so that no `package.json` of the package is above it.
 */
export function packageFile(name: string): string | null {
  const folder = packageFolder();
  return folder === null ? null : join(folder, name);
}

/** Returns `unknown` if this code was bundled into another program. */
export function readVersion(): string {
  const folder = packageFolder(/^(?:continuo|@continuo\/\w+)$/u);
  return folder === null ? "unknown" : (readManifest(folder)?.version ?? "unknown");
}

/** Finds the folder of our own `package.json`; this code may be in `src/`, or bundled in `dist/`. */
function packageFolder(names = /^continuo$/u): string | null {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!names.test(readManifest(folder)?.name ?? "")) {
    const above = dirname(folder);
    if (above === folder) return null;
    folder = above;
  }
  return folder;
}

interface Manifest {
  readonly name?: string;
  readonly version?: string;
}

function readManifest(folder: string): Manifest | null {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Manifest;
  } catch {
    // The `package.json` of a program that bundles this code may have any form.
    return null;
  }
}

/**
 * Returns the path of a file that runs as a separate process, so that it is not in the bundle of its caller. It is next
 * to the file `asking`, next to the chunks of its bundle, or, for the library, among the files of the command.
 *
 * @param asking the path of the calling file
 */
export function besideBundle(asking: string, name: string): string {
  const named = `${name}${extname(asking)}`;
  const files = [named, `../${named}`, `../cli/${named}`].map((file) => join(dirname(asking), file));
  const file = files.find(existsSync);
  if (file === undefined) throw new Error(`${named} belongs to the package`);
  return file;
}
