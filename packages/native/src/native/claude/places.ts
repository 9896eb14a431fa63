/**
 * The places of Claude Code's files, and its name for the folder of a project (seen in 2.1.330: spaces, letters
 * beyond ASCII, dots, brackets, a path of 240 characters, a symbolic link).
 */

import { join, resolve } from "node:path";
import type { Places } from "@continuo/files";

export interface ClaudeFolders {
  readonly config: string;
  readonly projects: string;
  /** `sessions/PID.json` of processes that run now. */
  readonly running: string;
  /** A name that replaces all project names, if the environment has one. */
  readonly forcedProject: string | null;
}

/** `CLAUDE_CONFIG_DIR` moves everything; `CLAUDE_CODE_PROJECT_DIR_NAME` names the project folder. */
export function claudeFolders(places: Places): ClaudeFolders {
  const moved = places.env.CLAUDE_CONFIG_DIR;
  const config = moved ? resolve(moved) : join(places.home, ".claude");
  return {
    config,
    projects: join(config, "projects"),
    running: join(config, "sessions"),
    forcedProject: places.env.CLAUDE_CODE_PROJECT_DIR_NAME || null,
  };
}

/** The folder with the sessions of a canonical path. */
export function projectFolderOf(canonical: string, places: Places): string {
  return join(claudeFolders(places).projects, projectNameOf(canonical));
}

/** A longer name is cut, and a hash is added. */
export const MAX_NAME_CHARS = 200;

/** The name of the project folder of a canonical path. Several paths can have the same name. */
export function projectNameOf(canonical: string): string {
  // The expression has no `u` flag, so a character outside of the first plane becomes two hyphens.
  const name = canonical.replace(/[^a-zA-Z0-9]/g, "-");
  if (name.length <= MAX_NAME_CHARS) return name;
  let hash = 0;
  for (let i = 0; i < canonical.length; i++) hash = ((hash << 5) - hash + canonical.charCodeAt(i)) | 0;
  return `${name.slice(0, MAX_NAME_CHARS)}-${Math.abs(hash).toString(36)}`;
}
