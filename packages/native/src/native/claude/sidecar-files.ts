/** The small JSON files around a session: its title and mark in `SID/`, sub-agents' notes, settings, running processes. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { readJsonFile } from "@continuo/files";

/** `PROJECTS/NAME/SID.jsonl` has its folder at `PROJECTS/NAME/SID`. */
export function sidecarFolder(path: string): string {
  return path.replace(/\.jsonl$/u, "");
}

/** After a `/rename` (2.1.330). */
export function readSidecarTitle(path: string): unknown {
  const note = join(sidecarFolder(path), "custom-title.json");
  // Hardly any session has one, among thousands.
  return existsSync(note) ? readJsonFile(note)?.customTitle : undefined;
}

export function isArchivedBySidecar(path: string): boolean {
  return readJsonFile(join(sidecarFolder(path), "archived.json"))?.archived === true;
}
