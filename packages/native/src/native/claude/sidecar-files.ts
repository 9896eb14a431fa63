/** The small JSON files in the folder `SID/` next to a session: its title, and the mark of an archived session. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn, readJsonFile } from "@continuo/files";
import { type FindTitle, toTitle } from "../kit/index.ts";

/** `PROJECTS/NAME/SID.jsonl` has its folder at `PROJECTS/NAME/SID`. */
export function sidecarFolder(path: string): string {
  return path.replace(/\.jsonl$/u, "");
}

/** Returns the title that a `/rename` stored next to the session (2.1.330). */
export function titleInSidecar(path: string): string | null {
  const note = join(sidecarFolder(path), "custom-title.json");
  // Among thousands of sessions, few have one.
  return existsSync(note) ? toTitle(readJsonFile(note)?.customTitle) : null;
}

/** Few sessions have a folder next to them. One listing of the project's folder shows which ones. */
export function sidecarTitles(): FindTitle {
  const names = new Map<string, ReadonlySet<string>>();
  return ({ location }) => {
    // The functions of paths would take most of the time that a search needs for titles.
    const folder = location.slice(0, location.lastIndexOf("/"));
    let all = names.get(folder);
    if (all === undefined) {
      all = new Set(namesIn(folder));
      names.set(folder, all);
    }
    return all.has(sidecarFolder(location).slice(folder.length + 1)) ? titleInSidecar(location) : null;
  };
}

export function isArchivedBySidecar(path: string): boolean {
  return readJsonFile(join(sidecarFolder(path), "archived.json"))?.archived === true;
}
