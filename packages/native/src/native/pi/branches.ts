/**
 * Branches: from parent links to paths, by pi's own rules (the same in 0.73.1, 0.87.1 and 1.5.2).
 *
 * - the leaf is the last entry of the file, whatever its type
 * - an id that occurs twice names the last entry that has it; an earlier entry with other content ends a separate
 *   branch, so that it can still be seen
 * - an entry whose parent is not in the file begins a tree of its own
 * - a file of version 1 has no links: every entry follows the one before it
 * - a circle, in which pi would walk for ever, is cut at the last of its entries that the walk reaches
 *
 * A tip is not a branch if its last message is on another path too: after that message, it has only entries such as a
 * model change or a label.
 */

import type { Problem } from "@continuo/core/model";
import { cutCircles, findId, followed, hasFlag, textOfId } from "../kit/index.ts";
import { FLAG, type Index, KIND } from "./index-fold.ts";

export interface Tree {
  /** The entry before each entry; -1 for the first of a tree. */
  readonly up: Int32Array;
  /** The last entry; -1 for a file without entries. */
  readonly leaf: number;
  /** Tips of all branches: the leaf first, the others newest first. */
  readonly tips: readonly number[];
  /** The keys are compactions: the first entry that each keeps; -1 for none. */
  readonly kept: ReadonlyMap<number, number>;
  readonly problems: readonly Problem[];
  /** True if a parent or a kept entry is missing in the file. */
  readonly lost: boolean;
}

export interface LinkOptions {
  /** The index has only the end of a file: what is outside of it is no problem. */
  readonly partial: boolean;
}

/** True for a file without links: version 1, or a file without a header and without any id. */
function isFlat(index: Index): boolean {
  return index.header === null ? !index.hasIds : index.header.version < 2;
}

/** The id of an entry; `line:N` if it has no id, or its id names another entry. Unique, whatever ids the file holds. */
export function idOf(index: Index, record: number): string {
  const id = index.id[record] ?? -1;
  const leadsHere = id !== -1 && index.recordOf[id] === record && !isFlat(index);
  if (leadsHere) return textOfId(index.ids, id);
  let made = `line:${index.line[record]}`;
  while (findId(index.ids, made) !== -1) made += "+";
  return made;
}

export function linkRecords(index: Index, options: LinkOptions): Tree {
  const flat = isFlat(index);
  const problems: Problem[] = [];
  const up = flat ? inFileOrder(index) : byParent(index, options, problems);
  for (const record of cutCircles(up)) {
    const line = index.line[record] ?? null;
    problems.push({ code: "cycle", line, message: `the parents of line ${line} lead back to it` });
  }
  const leaf = lastEntry(index);
  const tips = branchTips(index, up, leaf);
  if (!flat) problems.push(...idProblems(index), ...orderProblems(index, up));
  const dangling = problems.filter((problem) => problem.code === "dangling_parent").length;
  const kept = keptBy(index, up);
  const references = options.partial || flat ? [] : referenceProblems(index, kept);
  problems.push(...references);
  return { up, leaf, tips, kept, problems, lost: dangling + references.length > 0 };
}

function inFileOrder(index: Index): Int32Array {
  const up = new Int32Array(index.count).fill(-1);
  let last = -1;
  for (let record = 0; record < index.count; record++) {
    if (index.kind[record] === KIND.outside) continue;
    up[record] = last;
    last = record;
  }
  return up;
}

function byParent(index: Index, options: LinkOptions, problems: Problem[]): Int32Array {
  const up = new Int32Array(index.count).fill(-1);
  let first = true;
  for (let record = 0; record < index.count; record++) {
    if (index.kind[record] === KIND.outside) continue;
    const parent = index.parent[record] ?? -1;
    if (parent !== -1) up[record] = index.recordOf[parent] ?? -1;
    const lost = parent !== -1 ? up[record] === -1 : !first && hasFlag(index, record, FLAG.unlinked);
    first = false;
    if (!lost || options.partial) continue;
    const what =
      parent === -1 ? "it names no parent" : `parent ${textOfId(index.ids, parent)} is not in the file`;
    const line = index.line[record] ?? null;
    problems.push({ code: "dangling_parent", line, message: `${what}; a tree begins here` });
  }
  return up;
}

function lastEntry(index: Index): number {
  let record = index.count - 1;
  while (record >= 0 && index.kind[record] === KIND.outside) record -= 1;
  return record;
}

/** Returns the tips of the branches, the leaf first. The last message of each branch is on no other path. */
function branchTips(index: Index, up: Int32Array, leaf: number): number[] {
  if (leaf === -1) return [];
  const gone = new Set(
    isFlat(index) ? [] : index.repeats.flatMap(({ copy, earlier }) => (copy ? [earlier] : [])),
  );
  const isEntry = (record: number): boolean => index.kind[record] !== KIND.outside && !gone.has(record);
  const lastSpoken = (record: number): number => {
    let at = record;
    while (at !== -1 && !hasFlag(index, at, FLAG.spoken)) at = up[at] ?? -1;
    return at;
  };
  const taken = new Uint8Array(index.count);
  for (let record = 0; record < index.count; record++) {
    if (!isEntry(record) || !hasFlag(index, record, FLAG.spoken)) continue;
    for (let at = up[record] ?? -1; at !== -1 && taken[at] === 0; at = up[at] ?? -1) taken[at] = 1;
  }
  const inner = followed(up);
  const tips = [leaf];
  taken[lastSpoken(leaf)] = 1;
  for (let record = index.count - 1; record >= 0; record--) {
    if (record === leaf || inner[record] === 1 || !isEntry(record)) continue;
    const spoken = lastSpoken(record);
    if (spoken === -1 || taken[spoken] === 1) continue;
    taken[spoken] = 1;
    tips.push(record);
  }
  return tips;
}

function idProblems(index: Index): Problem[] {
  const problems: Problem[] = index.repeats.map(({ record, earlier }) => ({
    code: "duplicate_id",
    line: index.line[record] ?? null,
    message: `id ${textOfId(index.ids, index.id[record] ?? 0)} is already on line ${index.line[earlier]}; pi uses the later one`,
  }));
  for (let record = 0; record < index.count; record++) {
    if (index.kind[record] === KIND.outside || index.id[record] !== -1) continue;
    problems.push({ code: "missing_id", line: index.line[record] ?? null, message: "the entry has no id" });
  }
  return problems;
}

/** pi writes a parent before its children; another order does not come from pi, and changes the leaf. */
function orderProblems(index: Index, up: Int32Array): Problem[] {
  let count = 0;
  let line: number | null = null;
  for (let record = 0; record < index.count; record++) {
    if ((up[record] ?? -1) <= record) continue;
    count += 1;
    line ??= index.line[record] ?? null;
  }
  if (count === 0) return [];
  const what =
    count === 1 ? "1 entry stands before its parent" : `${count} entries stand before their parents`;
  return [{ code: "bad_order", line, message: what }];
}

/**
 * Returns the first entry that each compaction keeps, if that entry is above the compaction on its path; otherwise -1.
 */
function keptBy(index: Index, up: Int32Array): Map<number, number> {
  const kept = new Map<number, number>();
  const flat = isFlat(index);
  for (let record = 0; record < index.count; record++) {
    if (!hasFlag(index, record, FLAG.compaction)) continue;
    const named = flat
      ? (index.keptIndexes.get(record) ?? -1)
      : (index.recordOf[index.references.get(record) ?? -1] ?? -1);
    let at = record;
    while (at !== -1 && at !== named) at = up[at] ?? -1;
    kept.set(record, at === record ? -1 : at);
  }
  return kept;
}

function referenceProblems(index: Index, kept: ReadonlyMap<number, number>): Problem[] {
  const problems: Problem[] = [];
  for (const [record, number] of index.references) {
    const target = index.recordOf[number] ?? -1;
    const isCompaction = hasFlag(index, record, FLAG.compaction);
    const found = isCompaction ? target === record || kept.get(record) !== -1 : target !== -1;
    if (found) continue;
    const where = target === -1 ? "is not in the file" : "is not on its branch";
    const effect = isCompaction ? "; pi keeps nothing from before the compaction" : "";
    const message = `entry ${textOfId(index.ids, number)}, which it names, ${where}${effect}`;
    problems.push({ code: "dangling_reference", line: index.line[record] ?? null, message });
  }
  return problems;
}
