/**
 * Marks of the repositories that sessions worked in, taken while their folders exist: three agents record no
 * repository, and a missing folder cannot be read.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { isContinuoError, present } from "@continuo/core/model";
import {
  canonicalFolder,
  continuoHome,
  gitPlaceOf,
  gitRemoteIn,
  gitRootsOf,
  isJson,
  lockSession,
  type Places,
  readJsonFile,
  writeDurably,
} from "@continuo/files";
import { findNativeSessions, formatOf } from "@continuo/native";
import { rowsOf } from "./examples.ts";
import { CATALOG_LIMITS } from "./limits.ts";

export interface ProjectMark {
  /** The folder of the work tree. */
  readonly worktree: string;
  /** `HOST/PATH`. */
  readonly remote: string | null;
  /** The first commit. */
  readonly root: string | null;
}

export type ProjectMarks = ReadonlyMap<string, ProjectMark>;

/** The marks, by the folder of the session. Changes nothing; a file that cannot be read counts as empty. */
export function readProjectMarks(places: Places): ProjectMarks {
  const value = readJsonFile(pathOf(places));
  const folders = isJson(value) && isJson(value.folders) ? value.folders : {};
  const marks = new Map<string, ProjectMark>();
  for (const [folder, mark] of Object.entries(folders)) {
    if (!isJson(mark) || typeof mark.worktree !== "string") continue;
    const [remote, root] = [mark.remote, mark.root].map((one) => (typeof one === "string" ? one : null));
    marks.set(folder, { worktree: mark.worktree, remote: remote ?? null, root: root ?? null });
  }
  return marks;
}

/**
 * Marks the repositories of all sessions whose folders exist; other marks stay, up to a limit. Git is started at most
 * once for each folder. If another process is writing marks, this one leaves the work to it. Errors: those of the
 * system.
 */
export async function noteProjects(places: Places, signal?: AbortSignal): Promise<void> {
  const marks = new Map(readProjectMarks(places));
  const before = JSON.stringify([...marks]);
  const seen = new Set<string>();
  const memo = rowsOf(places);
  for await (const found of findNativeSessions({ places, memo, ...present({ signal }) })) {
    const { cwd } = await (await formatOf(found.agent)).skim(found, { part: "ends", memo });
    if (cwd === null || !cwd.startsWith("/") || seen.has(cwd)) continue;
    seen.add(cwd);
    if (existsSync(cwd)) await noteFolder(canonicalFolder(cwd), marks);
  }
  const newest = [...marks].slice(-CATALOG_LIMITS.projects);
  if (JSON.stringify(newest) !== before) await write(newest, places, signal);
}

async function noteFolder(folder: string, marks: Map<string, ProjectMark>): Promise<void> {
  const place = gitPlaceOf(folder);
  if (place === null) return;
  const remote = gitRemoteIn(place.store);
  const old = marks.get(folder);
  if (old !== undefined && old.root !== null && old.remote === remote && old.worktree === place.worktree)
    return;
  const [root = null] = (await gitRootsOf(folder)) ?? [];
  marks.set(folder, { worktree: place.worktree, remote, root });
}

async function write(
  marks: readonly (readonly [string, ProjectMark])[],
  places: Places,
  signal: AbortSignal | undefined,
): Promise<void> {
  try {
    const lock = await lockSession("/projects", "projects", { places, waitMs: 0, signal });
    try {
      const folders = Object.fromEntries(marks);
      writeDurably(pathOf(places), `${JSON.stringify({ version: 1, folders }, null, 2)}\n`);
    } finally {
      lock.release();
    }
  } catch (error) {
    if (!isContinuoError(error, "busy")) throw error;
  }
}

function pathOf(places: Places): string {
  return join(continuoHome(places), "projects.json");
}
