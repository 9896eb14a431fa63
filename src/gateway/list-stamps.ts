/**
 * Stamps of everything that a list of sessions is read from: the list stays the same as long as they do. They need one
 * `stat` of each file, and no file is read.
 */

import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as otherWork } from "node:timers/promises";
import { foldersLookedInto, type ListedSession, pathOfUrl, storeUrlOf } from "@continuo/agents/catalog";
import { continuoHome, fileOfLocation, mayBeWrittenSince, namesIn, type PlacesAt } from "@continuo/files";
import { GATEWAY_LIMITS } from "./limits.ts";

export interface ListStamps {
  /** Names in the folders of the agents and of Continuo, in which anything new would appear. */
  readonly names: readonly string[];
  /** Four numbers for each path. */
  readonly numbers: Float64Array;
}

/** Names in the home of Continuo that a list itself writes. */
const WRITTEN_BY_LISTS = /^(?:index\.db|cache$)/u;
/** The size, both times and the inode of a file. */
const WIDTH = 4;

/**
 * The files that these rows were read from, and their folders; `null` if the store is not a file, because its changes
 * have no stamp.
 */
export function pathsOfList(rows: readonly ListedSession[], places: PlacesAt): readonly string[] | null {
  const store = pathOfUrl(storeUrlOf(places));
  if (store === null) return null;
  const paths = new Set(filesOf(store));
  for (const { location, nativeRefs = [] } of rows) {
    for (const path of filesOf(location)) paths.add(path);
    for (const native of nativeRefs) for (const path of filesOf(native.location ?? "")) paths.add(path);
  }
  return [...paths];
}

/** Reads the stamps of these paths, and those of the places in which other sessions would appear. */
export async function readListStamps(paths: readonly string[], places: PlacesAt): Promise<ListStamps> {
  const names = await fixedPaths(places);
  const all = [...names, ...paths];
  const numbers = new Float64Array(all.length * WIDTH);
  for (const [at, path] of all.entries()) {
    if (at % GATEWAY_LIMITS.stampsAtOnce === 0) await otherWork();
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    numbers.set([stat.size, stat.mtimeMs, stat.ctimeMs, stat.ino], at * WIDTH);
  }
  return { names, numbers };
}

/**
 * The paths that have changed, or that were written so shortly before the list began that a later change may have the
 * same time. `null` if the places in which sessions would appear are no longer the same.
 *
 * @param paths those of both stamps
 */
export function changedPaths(
  paths: readonly string[],
  [before, now]: readonly [ListStamps, ListStamps],
  listBeganMs: number,
): readonly string[] | null {
  if (!isSame(before.names, now.names)) return null;
  const all = [...now.names, ...paths];
  return all.filter((_, at) => {
    const part = [at * WIDTH, (at + 1) * WIDTH] as const;
    const numbers = before.numbers.subarray(...part);
    const [, mtimeMs = 0, ctimeMs = 0] = numbers;
    const mayHideChange = mayBeWrittenSince({ mtimeMs: Math.max(mtimeMs, ctimeMs) }, listBeganMs);
    return mayHideChange || !isSame(numbers, now.numbers.subarray(...part));
  });
}

function isSame<T>(before: ArrayLike<T>, now: ArrayLike<T>): boolean {
  if (before.length !== now.length) return false;
  for (let at = 0; at < now.length; at += 1) if (before[at] !== now[at]) return false;
  return true;
}

/** The places of the agents and of Continuo, which do not depend on the sessions in them. */
async function fixedPaths(places: PlacesAt): Promise<readonly string[]> {
  const home = continuoHome(places);
  const own = namesIn(home).filter((name) => !WRITTEN_BY_LISTS.test(name));
  const looked = await foldersLookedInto(places);
  // Titles, drafts and open sessions are noted next to the folder of the sessions; all of opencode is in one folder.
  const noted = looked.flatMap(({ agent, folders }) =>
    agent === "opencode" ? folders : folders.map((folder) => dirname(folder)),
  );
  return [
    ...own.map((name) => join(home, name)),
    ...looked.flatMap(({ folders }) => folders),
    ...[...new Set(noted)].flatMap((folder) => [
      folder,
      ...namesIn(folder).map((name) => join(folder, name)),
    ]),
  ];
}

/** A database and its write-ahead log, or a session's file and the folders in which other files would appear. */
function filesOf(location: string): readonly string[] {
  if (!location.startsWith("/")) return [];
  const file = fileOfLocation(location);
  const paths = file === location ? [file] : [location, file];
  // Other databases would appear in the fixed places; the folders above them also hold files of other programs.
  if (!/\.jsonl?$/u.test(file)) return [...paths, `${file}-wal`];
  // Codex has a folder for each day, in one for each month, in one for each year.
  for (let [folder, level] = [dirname(file), 0]; level < 3; [folder, level] = [dirname(folder), level + 1])
    paths.push(folder);
  return paths;
}
