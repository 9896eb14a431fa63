/** Filters on the rows of a list, and their order. Pure, except for reads of folders. */

import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { canonicalFolder, gitPlaceOf, gitRemoteIn, type PlacesAt, placesOf } from "@continuo/files";
import { isEmptySession } from "@continuo/native";
import { type ProjectMarks, readProjectMarks } from "./project-marks.ts";
import { type ListedSession, OWN } from "./rows.ts";

export interface RowQuery {
  /** Only sessions that are pinned. */
  readonly pinned?: boolean;
  /** Only sessions that have each of these tags. */
  readonly tags?: readonly string[];
  /** Only sessions whose title contains all of these words, in upper or lower case. */
  readonly title?: string;
  /** Only sessions of this folder or one below it. */
  readonly below?: string;
  /** Only sessions of this folder, of those below it, and of the same folders in other clones and work trees of its repository. */
  readonly ofProject?: string;
  /** Only sessions whose folder contains this text, in upper or lower case. */
  readonly project?: string;
  /** Only sessions whose git branch contains this text, in upper or lower case. */
  readonly branch?: string;
  /** Updated before this time, ISO 8601. */
  readonly until?: string;
}

export type RowFilter = (row: ListedSession) => boolean;

/** `null` if the query has no filter. @param marks the repositories of folders that may be gone */
export function toRowFilter(query: RowQuery, marks: ProjectMarks = NO_MARKS): RowFilter | null {
  const { pinned, tags = [], title, below, ofProject, project, branch, until } = query;
  const filters: RowFilter[] = [];
  if (pinned === true) filters.push(({ marks }) => marks?.pinned === true);
  if (tags.length > 0) filters.push(({ marks }) => tags.every((tag) => marks?.tags.includes(tag)));
  if (title !== undefined) {
    const words = title.toLowerCase().split(/\s+/u);
    filters.push((row) => words.every((word) => contains(row.title ?? "", word)));
  }
  if (below !== undefined) filters.push(toFolderFilter(below));
  if (ofProject !== undefined) filters.push(toProjectFilter(ofProject, marks));
  if (project !== undefined) filters.push(({ cwd }) => contains(cwd, project));
  if (branch !== undefined) filters.push(({ gitBranch }) => contains(gitBranch, branch));
  if (until !== undefined) filters.push(({ updatedAt }) => updatedAt !== null && updatedAt < until);
  return filters.length === 0 ? null : (row) => filters.every((isOf) => isOf(row));
}

function contains(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) === true;
}

/** Only sessions of exactly this folder. */
export function folderFilter(folder: string): RowFilter {
  const top = canonicalFolder(folder);
  return forEachFolder((path) => path === top);
}

/** Sessions of this folder, of those below it, and of the same folders in other clones and work trees of its repository. */
export function projectFilter(folder: string, places: PlacesAt): RowFilter {
  return toProjectFilter(folder, readProjectMarks(placesOf(places)));
}

function toFolderFilter(folder: string): RowFilter {
  const top = canonicalFolder(folder);
  return forEachFolder((path) => isBelow(path, top));
}

/** Many sessions share a folder, so each folder is checked once. */
function forEachFolder(isWanted: (path: string) => boolean): RowFilter {
  const known = new Map<string, boolean>();
  return ({ cwd }) => {
    if (cwd === null) return false;
    const before = known.get(cwd);
    if (before !== undefined) return before;
    const answer = isWanted(canonicalFolder(cwd));
    known.set(cwd, answer);
    return answer;
  };
}

function isBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(top.endsWith("/") ? top : `${top}/`);
}

const NO_MARKS: ProjectMarks = new Map();

/**
 * Two folders have the same repository if they share one git store, as work trees do, or have the same remote. A folder
 * that is gone belongs to the repository if its mark has the same remote or, without a remote, the same first commit.
 */
function toProjectFilter(folder: string, marks: ProjectMarks): RowFilter {
  const top = canonicalFolder(folder);
  const own = gitPlaceOf(top);
  if (own === null) return toFolderFilter(top);
  const remote = gitRemoteIn(own.store);
  const root = [top, own.worktree].map((one) => marks.get(one)?.root).find(Boolean) ?? null;
  const within = relative(canonicalFolder(own.worktree), top);
  return forEachFolder((path) => {
    if (isBelow(path, top)) return true;
    const gone = existsSync(path) ? undefined : marks.get(path);
    if (gone !== undefined) {
      if (!isBelow(path, join(gone.worktree, within))) return false;
      return gone.remote === null ? gone.root !== null && gone.root === root : gone.remote === remote;
    }
    const other = gitPlaceOf(path);
    if (other === null || !isBelow(path, join(canonicalFolder(other.worktree), within))) return false;
    return other.store === own.store || (remote !== null && gitRemoteIn(other.store) === remote);
  });
}

/**
 * True for a session without a message of a person. A row that only the agent itself listed has no size, and never
 * counts as empty.
 */
export function hasNoUserMessage(row: ListedSession): boolean {
  if (row.agent === OWN) return row.title === null;
  return row.sizeBytes !== null && isEmptySession(row);
}

export type RowOrder = "updated" | "created" | "size" | "title" | "project" | "agent";

/**
 * Times and sizes are sorted from the greatest, texts from the first; rows without a value come last, and equal rows
 * keep their order.
 */
export function toOrder(order: RowOrder): (a: ListedSession, b: ListedSession) => number {
  const [toValue, direction] = ORDERS[order];
  return (a, b) => {
    const [x, y] = [toValue(a), toValue(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return (x < y ? -1 : x > y ? 1 : 0) * direction;
  };
}

const ORDERS: Readonly<
  Record<RowOrder, readonly [toValue: (row: ListedSession) => string | number | null, direction: 1 | -1]>
> = {
  updated: [({ updatedAt }) => updatedAt, -1],
  created: [({ createdAt }) => createdAt, -1],
  size: [({ sizeBytes }) => sizeBytes, -1],
  title: [({ title }) => title?.toLowerCase() ?? null, 1],
  project: [({ cwd }) => cwd?.toLowerCase() ?? null, 1],
  agent: [({ agent }) => agent, 1],
};
