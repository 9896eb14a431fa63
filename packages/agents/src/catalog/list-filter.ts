/** Filters on the rows of a list, and their order. Pure, except that it resolves symbolic links in folders. */

import { canonicalFolder } from "@continuo/files";
import { isEmptySession } from "@continuo/native";
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
  /** Only sessions whose folder contains this text, in upper or lower case. */
  readonly project?: string;
  /** Only sessions whose git branch contains this text, in upper or lower case. */
  readonly branch?: string;
  /** Updated before this time, ISO 8601. */
  readonly until?: string;
}

export type RowFilter = (row: ListedSession) => boolean;

/** `null` where every row is wanted. */
export function toRowFilter(query: RowQuery): RowFilter | null {
  const { pinned, tags = [], title, below, project, branch, until } = query;
  const filters: RowFilter[] = [];
  if (pinned === true) filters.push(({ marks }) => marks?.pinned === true);
  if (tags.length > 0) filters.push(({ marks }) => tags.every((tag) => marks?.tags.includes(tag)));
  if (title !== undefined) {
    const words = title.toLowerCase().split(/\s+/u);
    filters.push((row) => words.every((word) => contains(row.title ?? "", word)));
  }
  if (below !== undefined) filters.push(toFolderFilter(below));
  if (project !== undefined) filters.push(({ cwd }) => contains(cwd, project));
  if (branch !== undefined) filters.push(({ gitBranch }) => contains(gitBranch, branch));
  if (until !== undefined) filters.push(({ updatedAt }) => updatedAt !== null && updatedAt < until);
  return filters.length === 0 ? null : (row) => filters.every((isOf) => isOf(row));
}

function contains(text: string | null, part: string): boolean {
  return text?.toLowerCase().includes(part.toLowerCase()) === true;
}

function toFolderFilter(folder: string): RowFilter {
  const top = canonicalFolder(folder);
  // Many sessions share a folder, so each folder is resolved once.
  const known = new Map<string, boolean>();
  return ({ cwd }) => {
    if (cwd === null) return false;
    const before = known.get(cwd);
    if (before !== undefined) return before;
    const path = canonicalFolder(cwd);
    const isBelow = path === top || path.startsWith(top.endsWith("/") ? top : `${top}/`);
    known.set(cwd, isBelow);
    return isBelow;
  };
}

/** A session in which nobody said anything. A row that the agent itself listed has no size, and never counts as empty. */
export function hasNoUserMessage(row: ListedSession): boolean {
  if (row.agent === OWN) return row.title === null;
  return row.sizeBytes !== null && isEmptySession(row);
}

export type RowOrder = "updated" | "created" | "size" | "title" | "project" | "agent";

/** Times and sizes begin with the greatest, texts with the first; what has none comes last, and equals stay in order. */
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
