/**
 * Folders and small files around sessions, which are read without an exception if they do not exist; and the folder of
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

/** Small files next to a session (titles, marks, settings); a larger one is not read. */
const MAX_BESIDE_BYTES = 1024 * 1024;

/** Names in a folder, sorted; none if it does not exist. */
export function namesIn(folder: string): string[] {
  // Most sessions have no folder next to them, and an exception costs more than a check.
  if (!existsSync(folder)) return [];
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

/** Names in a folder; none if it does not exist. Errors: those of the system for one that cannot be read. */
export function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(String((error as NodeJS.ErrnoException).code))) return [];
    throw error;
  }
}

/**
 * `null` if there is no such file, or it cannot be read. A read of a pipe would wait for a writer, and a device has no
 * end.
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

/** `null` if there is no such file, or it does not contain a JSON object. */
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

/** `null` for a path that is not a regular file. */
export function statFile(path: string): FoundFile | null {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat?.isFile()) return null;
    return { path, sizeBytes: stat.size, mtimeMs: stat.mtimeMs, ctimeMs: stat.ctimeMs, inode: stat.ino };
  } catch {
    return null;
  }
}

/** The times of files are behind `Date.now()`: by a tick of the kernel (4 ms), on some file systems by two seconds. */
const FILE_CLOCK_LAG_MS = 2_000;

/** Returns false only if the file was certainly not written since then. */
export function mayBeWrittenSince(file: { readonly mtimeMs: number }, sinceMs: number): boolean {
  return file.mtimeMs >= sinceMs - FILE_CLOCK_LAG_MS;
}

/**
 * The absolute path of a folder, in Unicode's composed form; symbolic links are resolved if the folder still exists.
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
 * Every file below a folder, or the file itself; links as links, which are not followed. Empty if nothing is at the
 * path.
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
 * The path of a file or folder that ships with the package; `null` if this code was bundled into another program,
 * without the package's own `package.json` above it. Nothing is looked up before the first call.
 */
export function packageFile(name: string): string | null {
  const folder = packageFolder();
  return folder === null ? null : join(folder, name);
}

/** `unknown` if this code was bundled into another program. */
export function readVersion(): string {
  const folder = packageFolder(/^(?:continuo|@continuo\/\w+)$/u);
  return folder === null ? "unknown" : (readManifest(folder)?.version ?? "unknown");
}

/** The folder of our own `package.json`, whether this code is in `src/` or is bundled in `dist/`. */
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
 * The path of a file that runs as a process of its own, and so is not in the bundle of its caller: next to the file
 * `asking`, next to the chunks of its bundle, or, for the library, among the files of the command.
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
