/**
 * Finds projects whose folder is gone because they moved: a session, or a mark from the time when the folder existed,
 * names the repository, and another folder of this machine is a clone of that repository.
 */

import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { type AgentName, isFailure } from "@continuo/core/model";
import {
  canonicalFolder,
  gitPlaceOf,
  gitRemoteIn,
  hasCommit,
  isFolder,
  listNames,
  type Places,
} from "@continuo/files";
import { formatOf, READABLE_AGENTS } from "@continuo/native";
import type { RepositoryMarks } from "@continuo/native/kit";
import { type ProjectMark, readProjectMarks } from "./project-marks.ts";

export interface MovedProject {
  readonly from: string;
  /** The folders with the same repository. If there are several, the person must choose one. */
  readonly to: readonly string[];
  readonly sessions: number;
}

export interface MovedProjectsOptions {
  readonly places: Places;
  /**
   * Another folder that is checked, in addition to the folders of sessions and those next to the old folder.
   */
  readonly cwd: string;
  readonly signal?: AbortSignal;
}

/** The greatest number of names next to the old folder that are checked. */
const MAX_SIBLINGS = 500;

/** Projects with the most sessions come first. Changes nothing. */
export async function findMovedProjects(options: MovedProjectsOptions): Promise<readonly MovedProject[]> {
  const { gone, there } = await foldersOfSessions(options);
  const roots = [...gone.keys()].filter((folder) => !hasFolderAbove(folder, gone));
  const moved: MovedProject[] = [];
  for (const folder of roots) {
    const below = [...gone].filter(([path]) => path === folder || path.startsWith(`${folder}/`));
    const marks = below.flatMap(([, { repositories }]) => repositories);
    if (marks.length === 0) continue;
    const candidates = new Set([...there, options.cwd, ...siblingsOf(folder)].flatMap(topOf));
    const to: string[] = [];
    for (const candidate of candidates) if (await isSame(candidate, marks)) to.push(candidate);
    if (to.length === 0) continue;
    const sessions = below.reduce((sum, [, one]) => sum + one.sessions, 0);
    moved.push({ from: rootOf(folder, to), to, sessions });
  }
  return moved.toSorted((a, b) => b.sessions - a.sessions);
}

interface GoneFolder {
  sessions: number;
  readonly repositories: RepositoryMarks[];
}

interface Folders {
  readonly gone: ReadonlyMap<string, GoneFolder>;
  readonly there: ReadonlySet<string>;
}

async function foldersOfSessions({ places, signal }: MovedProjectsOptions): Promise<Folders> {
  const gone = new Map<string, GoneFolder>();
  const there = new Set<string>();
  const own = readProjectMarks(places);
  for (const agent of READABLE_AGENTS) await addFolders(agent);
  return { gone, there };

  async function addFolders(agent: AgentName): Promise<void> {
    const reader = await formatOf(agent);
    for await (const found of reader.find(places, signal ? { signal } : {})) {
      const { cwd } = await reader.skim(found, { part: "ends" });
      if (cwd === null || !cwd.startsWith("/")) continue;
      if (there.has(cwd) || (!gone.has(cwd) && existsSync(cwd))) {
        there.add(cwd);
        continue;
      }
      const folder = gone.get(cwd) ?? goneFolder(own.get(canonicalFolder(cwd)));
      gone.set(cwd, folder);
      folder.sessions += 1;
      const marks = (await reader.repositoryOf?.(found)) ?? null;
      if (marks !== null) folder.repositories.push(marks);
    }
  }
}

function goneFolder(mark: ProjectMark | undefined): GoneFolder {
  if (mark === undefined) return { sessions: 0, repositories: [] };
  return { sessions: 0, repositories: [{ remote: mark.remote, projectId: null, commit: mark.root }] };
}

function hasFolderAbove(folder: string, gone: ReadonlyMap<string, unknown>): boolean {
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) if (gone.has(at)) return true;
  return false;
}

/** A renamed project is often next to its old folder. */
function siblingsOf(folder: string): readonly string[] {
  let parent = dirname(folder);
  while (!existsSync(parent)) parent = dirname(parent);
  // The root folder contains no projects.
  if (dirname(parent) === parent) return [];
  return namesBelow(parent)
    .slice(0, MAX_SIBLINGS)
    .map((name) => join(parent, name))
    .filter(isFolder);
}

function namesBelow(folder: string): readonly string[] {
  try {
    return listNames(folder);
  } catch (error) {
    if (isFailure(error) || (error as NodeJS.ErrnoException).code !== undefined) return [];
    throw error;
  }
}

function topOf(folder: string): readonly string[] {
  const place = gitPlaceOf(folder);
  return place === null ? [] : [place.worktree];
}

async function isSame(folder: string, marks: readonly RepositoryMarks[]): Promise<boolean> {
  const place = gitPlaceOf(folder);
  const remote = place === null ? null : gitRemoteIn(place.store);
  if (remote !== null && marks.some((one) => one.remote === remote)) return true;
  for (const commit of new Set(marks.flatMap((one) => one.commit ?? [])))
    if (place !== null && (await hasCommit(place.worktree, commit))) return true;
  const ids = new Set(marks.flatMap(({ projectId }) => projectId ?? []));
  if (ids.size === 0) return false;
  const { projectOf } = await import("@continuo/native/opencode");
  const project = await projectOf(folder);
  return project !== null && [project.id, project.previous].some((id) => id !== null && ids.has(id));
}

/**
 * A session may have worked in a folder inside the repository. If its parent is gone and the new place has that folder,
 * the parent moved.
 */
function rootOf(folder: string, [to = ""]: readonly string[]): string {
  const above = dirname(folder);
  return !existsSync(above) && existsSync(join(to, basename(folder))) ? above : folder;
}
