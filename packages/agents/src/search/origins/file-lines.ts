/** Reads the lines of a file for a question about their origins, if the question may read this file. */

import { readFileSync, realpathSync, statSync } from "node:fs";
import { sep } from "node:path";
import { ContinuoError } from "@continuo/core/model";
import { linesOf } from "@continuo/core/transcript/work";
import { ORIGIN_LIMITS } from "./limits.ts";

/**
 * @param below one of these folders must contain the file after all links are followed; any file by default
 *
 * Errors: `not_found`, also outside of the folders; `too_large`; `unreadable`.
 */
export function readFileLines(path: string, below?: readonly string[]): readonly string[] {
  try {
    const place = realpathSync(path);
    if (below !== undefined && !below.some((folder) => place.startsWith(folderName(folder)))) {
      throw notFound(path);
    }
    const stats = statSync(place);
    if (!stats.isFile()) throw notFound(path);
    if (stats.size > ORIGIN_LIMITS.fileBytes) throw tooLarge(path);
    const lines = linesOf(readFileSync(place, "utf8"));
    if (lines.length > ORIGIN_LIMITS.fileLines) throw tooLarge(path);
    return lines;
  } catch (error) {
    if (error instanceof ContinuoError) throw error;
    if ((error as NodeJS.ErrnoException).code === "ENOENT") throw notFound(path);
    throw new ContinuoError("unreadable", `cannot read the file ${path}`, {
      hint: "Name a file that you may read.",
      cause: error,
    });
  }
}

function folderName(folder: string): string {
  try {
    return realpathSync(folder).replace(/[\\/]*$/u, sep);
  } catch {
    // A missing folder has no files: no path begins with this.
    return "\0";
  }
}

function notFound(path: string): ContinuoError {
  const name = path.split(/[\\/]/u).at(-1) ?? "";
  const filter = /^[\w.-]+$/u.test(name) ? `file:${name}` : `file:"${name.replaceAll('"', " ")}"`;
  return new ContinuoError("not_found", `cannot read the file ${path}`, {
    hint: `Name a file that exists. If it is gone, search for \`${filter}\` to find the sessions that changed it.`,
  });
}

function tooLarge(path: string): ContinuoError {
  const { fileLines, fileBytes } = ORIGIN_LIMITS;
  return new ContinuoError("too_large", `the file ${path} is too large`, {
    hint: `Name a file of at most ${fileLines.toLocaleString("en")} lines and ${fileBytes / 1_000_000} MB.`,
  });
}
