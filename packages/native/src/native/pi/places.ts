/**
 * The places of pi's sessions, and the facts in the names of folders and files. Seen in 0.73.1, 0.87.1 and 1.5.2.
 *
 * `--session-dir` of a command line leaves no trace: sessions in such a folder are found only by their paths.
 */

import { basename, isAbsolute, join, resolve } from "node:path";
import { canonicalFolder, type Places, readJsonFile } from "@continuo/files";

export interface PiFolders {
  /** `auth.json`, `settings.json`, …; 0.30.0 put sessions here too. */
  readonly agent: string;
  /** Contains one folder for each cwd. */
  readonly sessions: string;
  /** The one folder that the user chose for the new sessions of every cwd; `null` without such a choice. */
  readonly chosen: string | null;
}

/**
 * `PI_CODING_AGENT_DIR` moves everything, `PI_CODING_AGENT_SESSION_DIR` only the sessions, and so does
 * `sessionDir` of the user's `settings.json`. Older sessions stay where they were, and are found there.
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

/** A relative path is left out, because it depends on the folder in which pi is started. */
function readSessionDir(settings: string): string | null {
  const folder = readJsonFile(settings)?.sessionDir;
  return typeof folder === "string" && (isAbsolute(folder) || /^~(\/|$)/u.test(folder)) ? folder : null;
}

/** The name of the folder for a cwd. Several cwds can have the same name, such as `/a/b` and `/a-b`. */
export function folderNameOf(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/u, "").replace(/[/\\:]/gu, "-")}--`;
}

/** A cwd as it is given, and without symbolic links: pi uses either. */
export function namesOfCwd(cwd: string): readonly string[] {
  return [...new Set([resolve(cwd), canonicalFolder(cwd)])];
}

const FILE_NAME =
  /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z_([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\.jsonl$/u;

/** The session id in a file name that pi made; `null` for other names, which pi reads too. */
export function sessionIdOf(path: string): string | null {
  return FILE_NAME.exec(basename(path))?.[1] ?? null;
}
