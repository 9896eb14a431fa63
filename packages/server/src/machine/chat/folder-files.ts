/** Names of files of a folder, for a person who types one. Links are not followed, so nothing outside of the folder is named. */

import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { FolderFiles } from "@continuo/core/wire/machine";
import { LIVE_LIMITS } from "./limits.ts";

/** Folders in which a person does not write: those of tools, and all folders whose names begin with a dot. */
const LEFT_OUT: ReadonlySet<string> = new Set(["node_modules", "__pycache__", "target", "vendor"]);

interface Listing {
  readonly files: readonly string[];
  readonly isCut: boolean;
}

export interface FolderListings {
  /** Errors: none: a folder that cannot be read has no files. */
  find(cwd: string, words: string): Promise<FolderFiles>;
}

/** A listing is kept for a moment, because a person types one letter after the other. */
export function createFolderListings(): FolderListings {
  let kept: { readonly cwd: string; readonly until: number; readonly listing: Promise<Listing> } | null =
    null;
  return {
    async find(cwd, words) {
      if (kept?.cwd !== cwd || performance.now() > kept.until) {
        kept = { cwd, until: performance.now() + LIVE_LIMITS.filesKeptMs, listing: listFolder(cwd) };
      }
      const { files, isCut } = await kept.listing;
      return { files: bestOf(files, words), isCut };
    },
  };
}

/** The nearest files first, up to a number of names. */
async function listFolder(cwd: string): Promise<Listing> {
  const files: string[] = [];
  let looked = 0;
  for (let level = [""]; level.length > 0; ) {
    const next: string[] = [];
    for (const folder of level) {
      const entries = await readdir(join(cwd, folder), { withFileTypes: true }).catch(() => []);
      looked += entries.length;
      for (const entry of entries) {
        const { name } = entry;
        if (/\p{Cc}/u.test(name)) continue;
        if (entry.isFile()) files.push(`${folder}${name}`);
        else if (entry.isDirectory() && !name.startsWith(".") && !LEFT_OUT.has(name))
          next.push(`${folder}${name}/`);
      }
      if (looked > LIVE_LIMITS.lookedFiles) return { files, isCut: true };
    }
    level = next.sort();
  }
  return { files, isCut: false };
}

/** Finds names that contain the letters in this order; names that begin with them come first, then shorter paths. */
export function bestOf(files: readonly string[], words: string): readonly string[] {
  const wanted = words.toLowerCase().replaceAll("\\", "/");
  const ranked = files.flatMap((path) => {
    const rank = rankOf(path.toLowerCase(), wanted);
    return rank === null ? [] : [{ path, rank }];
  });
  ranked.sort((a, b) => a.rank - b.rank || a.path.length - b.path.length || (a.path < b.path ? -1 : 1));
  return ranked.slice(0, LIVE_LIMITS.shownFiles).map(({ path }) => path);
}

function rankOf(path: string, wanted: string): number | null {
  if (wanted === "") return 0;
  if (path.slice(path.lastIndexOf("/") + 1).startsWith(wanted) || path.startsWith(wanted)) return 0;
  if (path.includes(wanted)) return 1;
  let at = -1;
  for (const letter of wanted) {
    at = path.indexOf(letter, at + 1);
    if (at === -1) return null;
  }
  return 2;
}
