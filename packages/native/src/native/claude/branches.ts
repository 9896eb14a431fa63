/**
 * Finds the branches of a file from the parent links of its lines, by Claude Code's own rules. Each rule was observed:
 * Claude Code 2.1.330 resumed hand-written files, and its requests were read.
 *
 * - a line follows its `parentUuid`, a `compact_boundary` follows its `logicalParentUuid`
 * - if two lines have the same uuid, only the last one counts, at its own place
 * - a parent that is not in the file is replaced by the newest line that is not later than the child (of lines with the
 *   same time, the first). If the two are more than five seconds apart, the child begins a new tree
 * - a circle is cut at the place where a walk from its newest line returns to that line
 * - if a `last-prompt` names a line of the file, this line is the active leaf, unless the last line of the file
 *   descends from it or from another line of the same answer: then the last line is the active leaf
 * - in all other cases, the active leaf is the newest of the last line of the file and the lines that descend from it.
 *   If several have the same time, a descendant is newer than the last line, and a later descendant is newer than an
 *   earlier one. Links to replaced parents do not count
 * - lines of sub-agents (`isSidechain`) are not leaves, but a link to such a line is followed
 *
 * A tip is the end of a branch only if its path has a message that is on no other path. Results of parallel calls,
 * other blocks of an answer that is on another path, attachments and system lines are not enough.
 */

import type { Problem } from "@continuo/core/model";
import { cutCircles, findId, hasFlag, textOfId } from "../kit/index.ts";
import { FLAG, type Index, KIND } from "./index-fold.ts";
import { replaceLostParents } from "./lost-parents.ts";

/**
 * The lines that can be leaves: all, those that are not a sub-agent's, or those of the sub-agent with this id.
 */
export type Scope =
  | { readonly type: "all" }
  | { readonly type: "main" }
  | { readonly type: "sidechain"; readonly root: string };

export interface Tree {
  /** The line before each line; -1 for the first of a tree. */
  readonly up: Int32Array;
  /** 1 for lines of the chain. If several lines have the same uuid, only the last one belongs to the chain. */
  readonly member: Uint8Array;
  /** 1 for members that can be leaves. */
  readonly candidate: Uint8Array;
  /** The line of each numbered id, or -1. */
  readonly recordOf: Int32Array;
  readonly problems: readonly Problem[];
}

export interface LinkOptions {
  readonly scope: Scope;
  /** True if the index has only the end of a file: a missing parent is then not a problem, and is not replaced. */
  readonly partial: boolean;
}

export function linkRecords(index: Index, options: LinkOptions): Tree {
  const problems: Problem[] = [];
  const member = new Uint8Array(index.count);
  const recordOf = new Int32Array(index.ids.size).fill(-1);
  for (let record = 0; record < index.count; record++) {
    if (!hasFlag(index, record, FLAG.chained)) continue;
    member[record] = 1;
    const id = index.id[record] ?? -1;
    if (id === -1) continue;
    const earlier = recordOf[id] ?? -1;
    if (earlier !== -1) {
      member[earlier] = 0;
      problems.push(duplicateProblem(index, earlier, record));
    }
    recordOf[id] = record;
  }
  const up = new Int32Array(index.count).fill(-1);
  for (let record = 0; record < index.count; record++) {
    if (member[record] === 1) up[record] = linkOf(index, recordOf, record);
  }
  if (!options.partial) replaceLostParents(index, member, up, problems);
  for (const record of cutCircles(up)) {
    const line = index.line[record] ?? null;
    problems.push({ code: "cycle", line, message: `the parents of line ${line} lead back to it` });
  }
  const candidate = candidatesOf(index, member, up, options.scope);
  return { up, member, candidate, recordOf, problems };
}

/** The end of the active branch; -1 for a file without a conversation. */
function activeTip(index: Index, tree: Tree): number {
  const named = index.promptLeaf === -1 ? -1 : (tree.recordOf[index.promptLeaf] ?? -1);
  if (named !== -1 && tree.candidate[named] === 1) {
    const newest = tree.candidate.lastIndexOf(1);
    return followsAnswer(index, tree, newest, named) ? newest : named;
  }
  const last = tree.candidate.lastIndexOf(1);
  if (last === -1) return -1;
  let youngest = last;
  let time = index.time[last] ?? Number.NaN;
  const below = descendantsOf(index, tree, last);
  for (let record = below.indexOf(1); record !== -1; record = below.indexOf(1, record + 1)) {
    const other = index.time[record] ?? Number.NaN;
    if (!(other >= time)) continue;
    youngest = record;
    time = other;
  }
  return youngest;
}

/** Returns true if the line `start` is the line `top`, or descends from it or from another line of its answer. */
function followsAnswer(index: Index, tree: Tree, start: number, top: number): boolean {
  const answer = index.message[top] ?? -1;
  let steps = 0;
  for (let record = start; record !== -1 && steps <= index.count; steps++) {
    if (record === top || (answer !== -1 && index.message[record] === answer)) return true;
    record = linkOf(index, tree.recordOf, record);
  }
  return false;
}

export interface Branches {
  /** Ends of all branches: the active one first, the others newest first. */
  readonly tips: readonly number[];
  readonly problems: readonly Problem[];
}

export function findBranches(index: Index, tree: Tree): Branches {
  const active = activeTip(index, tree);
  if (active === -1) return { tips: [], problems: [] };
  const claimed = new Uint8Array(index.count);
  const answers = new Uint8Array(index.ids.size);
  const claim = (tip: number): boolean => {
    const walked: number[] = [];
    for (let record = tip; record !== -1 && claimed[record] === 0; record = tree.up[record] ?? -1) {
      claimed[record] = 1;
      walked.push(record);
    }
    const conversation = holdsConversation(index, walked, answers);
    for (const record of walked) {
      const answer = index.message[record] ?? -1;
      if (answer !== -1) answers[answer] = 1;
    }
    return conversation;
  };
  claim(active);
  const tips = tipsOf(index, tree).filter((tip) => tip !== active && claim(tip));
  const problems: Problem[] = [];
  // The remaining lines are in circles, because no tip leads to them.
  for (let record = index.count - 1; record >= 0; record--) {
    if (tree.candidate[record] === 0 || claimed[record] === 1 || !claim(record)) continue;
    tips.push(record);
    const line = index.line[record] ?? null;
    const message = `no leaf leads to line ${line} or to the lines before it; they form a separate branch`;
    problems.push({ code: "unreachable", line, message });
  }
  return { tips: [active, ...tips.sort((a, b) => b - a)], problems };
}

/** Returns true if lines that only this path has contain messages. */
function holdsConversation(index: Index, lines: readonly number[], answers: Uint8Array): boolean {
  for (const record of lines) {
    const kind = index.kind[record];
    const answer = index.message[record] ?? -1;
    if (kind === KIND.assistant && (answer === -1 || answers[answer] === 0)) return true;
    if (kind === KIND.user && hasFlag(index, record, FLAG.message)) return true;
  }
  return false;
}

/** Lines that no line names as its parent, newest first. */
function tipsOf(index: Index, tree: Tree): number[] {
  const hasChild = new Uint8Array(index.count);
  for (let record = 0; record < index.count; record++) {
    const parent = tree.member[record] === 1 ? linkOf(index, tree.recordOf, record) : -1;
    if (parent !== -1 && tree.candidate[record] === 1) hasChild[parent] = 1;
  }
  const tips: number[] = [];
  for (let record = index.count - 1; record >= 0; record--) {
    if (tree.candidate[record] === 1 && hasChild[record] === 0) tips.push(record);
  }
  return tips;
}

/** 1 for the lines that can be leaves and descend from the line `top`; 0 for `top` itself. */
function descendantsOf(index: Index, tree: Tree, top: number): Uint8Array {
  const below = new Uint8Array(index.count);
  const walkedBy = new Int32Array(index.count);
  const leads = new Uint8Array(index.count);
  leads[top] = 1;
  walkedBy[top] = -1;
  for (let start = 0; start < index.count; start++) {
    if (tree.candidate[start] === 0) continue;
    const walked: number[] = [];
    let record = start;
    while (record !== -1 && walkedBy[record] === 0) {
      walkedBy[record] = start + 1;
      walked.push(record);
      record = linkOf(index, tree.recordOf, record);
    }
    if (record !== -1 && leads[record] === 1) for (const each of walked) leads[each] = 1;
    if (start !== top) below[start] = leads[start] ?? 0;
  }
  return below;
}

function linkOf(index: Index, recordOf: Int32Array, record: number): number {
  const parent = index.parent[record] ?? -1;
  return parent === -1 ? -1 : (recordOf[parent] ?? -1);
}

function candidatesOf(index: Index, member: Uint8Array, up: Int32Array, scope: Scope): Uint8Array {
  const candidate = new Uint8Array(index.count);
  const root = scope.type === "sidechain" ? findId(index.ids, scope.root) : -1;
  for (let record = 0; record < index.count; record++) {
    if (member[record] === 0) continue;
    const isSidechain = hasFlag(index, record, FLAG.sidechain);
    if (scope.type === "all" || (scope.type === "main" && !isSidechain)) candidate[record] = 1;
    if (scope.type !== "sidechain" || !isSidechain || root === -1) continue;
    if (index.id[sidechainRoot(index, up, record)] === root) candidate[record] = 1;
  }
  return candidate;
}

/** The first line of the sub-agent that a sidechain line belongs to. */
export function sidechainRoot(index: Index, up: Int32Array, record: number): number {
  let root = record;
  for (let above = root; above !== -1 && hasFlag(index, above, FLAG.sidechain); above = up[above] ?? -1)
    root = above;
  return root;
}

function duplicateProblem(index: Index, earlier: number, record: number): Problem {
  const id = textOfId(index.ids, index.id[record] ?? 0);
  return {
    code: "duplicate_id",
    line: index.line[record] ?? null,
    message: `uuid ${id.slice(0, 80)} is already on line ${index.line[earlier]}; the later line is used`,
  };
}
