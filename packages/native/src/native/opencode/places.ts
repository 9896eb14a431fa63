/** The place of opencode's database (1.18.33). */

import { isAbsolute, join } from "node:path";
import { namesIn, type Places } from "@continuo/files";

/** `XDG_DATA_HOME`, where it is set, holds the folder `opencode`. */
export function dataFolder(places: Places): string {
  return join(places.env.XDG_DATA_HOME || join(places.home, ".local", "share"), "opencode");
}

/** `opencode.db`, and `opencode-CHANNEL.db` of builds that are no release; `OPENCODE_DB` names another one. */
export function databasePaths(places: Places): string[] {
  const folder = dataFolder(places);
  const named = places.env.OPENCODE_DB;
  if (named === ":memory:") return [];
  if (named) return [isAbsolute(named) ? named : join(folder, named)];
  return namesIn(folder)
    .filter((name) => /^opencode(-[a-zA-Z0-9._-]+)?\.db$/u.test(name))
    .map((name) => join(folder, name));
}

/** Returns the places where a person would look for the database, even if it does not exist. */
export function searchedPlaces(places: Places): string[] {
  const named = places.env.OPENCODE_DB;
  return named && named !== ":memory:" ? databasePaths(places) : [dataFolder(places)];
}

/** `PATH#ses_…` in its two pieces; a path without a session id is only the path. */
export function splitLocation(location: string): {
  readonly path: string;
  readonly sessionId: string | null;
} {
  const [, path, sessionId] = /^(.+)#([^/#]+)$/su.exec(location) ?? [];
  return path === undefined || sessionId === undefined
    ? { path: location, sessionId: null }
    : { path, sessionId };
}
