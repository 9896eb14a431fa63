/**
 * Files that have changed since a session named them, so that a reader does not believe that old text describes the
 * present state.
 */

import { realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, resolve, sep } from "node:path";
import { z } from "zod";

/** `gone` if the file existed then and no longer exists. */
export type FileState = "same" | "changed" | "gone";

export const sinceOutput: z.ZodNullable<z.ZodEnum> = z.enum(["same", "changed", "gone"]).nullable();

export interface NamedFile {
  readonly path: string;
  /** ISO 8601: the last time at which the session is known to have named it. */
  readonly at: string | null;
  /** True if the session changed it, which means that it existed. */
  readonly isChanged: boolean;
}

/** The number of files of a session that are checked; the state of the others is unknown. */
const MAX_FILES = 200;
/** The clocks of calls and of files have different precision, and a tool writes after it was called. */
const TOLERANCE_MS = 60_000;

/**
 * The states of files in the folder of the session, by their paths. A session can name any path: paths outside of its
 * folder are ignored, and no file is opened.
 */
export async function filesSince(
  files: readonly NamedFile[],
  folder: string | null,
): Promise<ReadonlyMap<string, FileState>> {
  const states = new Map<string, FileState>();
  if (folder === null || !isAbsolute(folder)) return states;
  const real = await realPathOf(folder);
  for (const file of files.slice(0, MAX_FILES)) {
    const at = Date.parse(file.at ?? "");
    const place = resolve(folder, file.path);
    if (Number.isNaN(at) || !isBelow(folder, place)) continue;
    const changedMs = real === null ? null : await changedAt(place, real);
    if (changedMs !== null) states.set(file.path, changedMs > at + TOLERANCE_MS ? "changed" : "same");
    else if (file.isChanged) states.set(file.path, "gone");
  }
  return states;
}

/** For example "4 files changed since then."; empty if no file changed. */
export function sinceText(states: Iterable<FileState>): string {
  const all = [...states].filter((state) => state !== "same");
  const gone = all.filter((state) => state === "gone").length;
  if (all.length === 0) return "";
  const files = all.length === 1 ? "1 file" : `${all.length} files`;
  return `${files} changed since then${gone === 0 ? "" : `; ${gone} of them ${gone === 1 ? "is" : "are"} gone`}.`;
}

function isBelow(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`);
}

/**
 * Returns `null` for a file that does not exist, and for a link that leads out of the folder.
 *
 * @param folder the real path of the folder, in which all links are resolved
 */
async function changedAt(path: string, folder: string): Promise<number | null> {
  const real = await realPathOf(path);
  return real !== null && isBelow(folder, real) ? await orNull(async () => (await stat(real)).mtimeMs) : null;
}

async function realPathOf(path: string): Promise<string | null> {
  return await orNull(() => realpath(path));
}

/** A file that cannot be examined counts as unknown, like one that does not exist. */
async function orNull<T>(look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Error && "syscall" in error) return null;
    throw error;
  }
}
