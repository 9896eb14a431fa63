/** The small JSON files around a session: its title and mark in `SID/`, sub-agents' notes, settings, running processes. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn, readJsonFile } from "@continuo/files";
import { type FindTitle, toTitle } from "../kit/index.ts";

/** `PROJECTS/NAME/SID.jsonl` has its folder at `PROJECTS/NAME/SID`. */
export function sidecarFolder(path: string): string {
  return path.replace(/\.jsonl$/u, "");
}

/** After a `/rename` (2.1.330). */
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
