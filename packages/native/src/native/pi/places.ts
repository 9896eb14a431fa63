/**
 * The places of pi's sessions, and the facts in the names of folders and files. Seen in 0.73.1, 0.87.1 and 1.5.2.
 *
 * `--session-dir` of a command line leaves no trace; what lies there is read by its path.
 */

import { basename, isAbsolute, join, resolve } from "node:path";
import { canonicalFolder, type Places, readJsonFile } from "@continuo/files";

export interface PiFolders {
  /** `auth.json`, `settings.json`, …; 0.30.0 put sessions here too. */
  readonly agent: string;
  /** One folder for each cwd. */
  readonly sessions: string;
  /** The folder of new sessions of every cwd, side by side, if the user chose it. */
  readonly chosen: string | null;
}

/**
 * `PI_CODING_AGENT_DIR` moves everything, `PI_CODING_AGENT_SESSION_DIR` only the sessions, and so does
 * `sessionDir` of the user's `settings.json`. What was written before stays where it was, and is found there.
 */
export function piFolders(places: Places): PiFolders {
  const { env } = places;
  const agent = env.PI_CODING_AGENT_DIR
    ? resolve(withHome(env.PI_CODING_AGENT_DIR, places))
    : join(places.home, ".pi", "agent");
  const chosen = env.PI_CODING_AGENT_SESSION_DIR || readSessionDir(join(agent, "settings.json"));
  return {
    agent,
    sessions: join(agent, "sessions"),
    chosen: chosen === null ? null : resolve(withHome(chosen, places)),
  };
}

function withHome(path: string, places: Places): string {
  if (path === "~") return places.home;
  return path.startsWith("~/") ? join(places.home, path.slice(2)) : path;
}

/** A relative one depends on where pi is started, and names no folder here. */
function readSessionDir(settings: string): string | null {
  const folder = readJsonFile(settings)?.sessionDir;
  return typeof folder === "string" && (isAbsolute(folder) || /^~(\/|$)/u.test(folder)) ? folder : null;
}

/** The name of the folder of a cwd. Several can have the same: `/a/b` and `/a-b`. */
export function folderNameOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/u, "").replace(/[/\\:]/gu, "-")}--`;
}

/** A cwd as it is given and as it is called without symbolic links: pi takes either. */
export function namesOfCwd(cwd: string): readonly string[] {
  return [...new Set([resolve(cwd), canonicalFolder(cwd)])];
}

const FILE_NAME =
  /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z_([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\.jsonl$/u;

/** The session id in a name that pi gave; `null` for other names, which pi takes all the same. */
export function sessionIdOf(path: string): string | null {
  return FILE_NAME.exec(basename(path))?.[1] ?? null;
}
