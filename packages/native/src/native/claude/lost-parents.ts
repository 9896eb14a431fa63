/**
 * Lines whose parent is not in the file, and the line that replaces the parent (seen in 2.1.330: a gap of 5.000 seconds
 * is bridged, one of 5.001 is not; attachments can replace a parent, lines of sub-agents cannot).
 */

import type { Problem } from "@continuo/core/model";
import { hasFlag, textOfId } from "../kit/index.ts";
import { FLAG, type Index } from "./index-fold.ts";
import { MAX_REPAIRS } from "./limits.ts";

const MAX_GAP_MS = 5000;

/** Fills `up` for lines whose named parent is missing. */
export function replaceLostParents(
  index: Index,
  member: Uint8Array,
  up: Int32Array,
  problems: Problem[],
): void {
  let byTime: number[] | null = null;
  let repairs = 0;
  for (let record = 0; record < index.count; record++) {
    if (member[record] === 0 || (index.parent[record] ?? -1) === -1 || up[record] !== -1) continue;
    byTime ??= inTimeOrder(index, member);
    repairs += 1;
    const substitute = repairs <= MAX_REPAIRS ? substituteFor(index, byTime, up, record) : -1;
    problems.push(danglingProblem(index, record, substitute));
    up[record] = substitute;
  }
}

/**
 * Returns the lines by time, oldest first. Of lines with the same time, the last one in the file comes first, so that a
 * search from the end finds the first one in the file.
 */
function inTimeOrder(index: Index, member: Uint8Array): number[] {
  const records: number[] = [];
  for (let record = 0; record < index.count; record++) {
    if (member[record] === 0 || hasFlag(index, record, FLAG.sidechain) || Number.isNaN(index.time[record]))
      continue;
    records.push(record);
  }
  return records.sort((a, b) => (index.time[a] ?? 0) - (index.time[b] ?? 0) || b - a);
}

function substituteFor(index: Index, byTime: readonly number[], up: Int32Array, record: number): number {
  const time = index.time[record] ?? Number.NaN;
  if (Number.isNaN(time)) return -1;
  for (let at = countUpTo(index, byTime, time) - 1; at >= 0; at--) {
    const other = byTime[at] ?? -1;
    if (time - (index.time[other] ?? 0) > MAX_GAP_MS) return -1;
    if (!descendsFrom(up, other, record)) return other;
  }
  return -1;
}

/** Counts the lines that are not later than a time. */
function countUpTo(index: Index, byTime: readonly number[], time: number): number {
  let low = 0;
  let high = byTime.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((index.time[byTime[middle] ?? 0] ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}

function descendsFrom(up: Int32Array, start: number, ancestor: number): boolean {
  let steps = 0;
  // Without the limit of steps, the walk would never end in a circle that does not contain the ancestor.
  for (let record = start; record !== -1 && steps <= up.length; record = up[record] ?? -1) {
    if (record === ancestor) return true;
    steps += 1;
  }
  return false;
}

function danglingProblem(index: Index, record: number, substitute: number): Problem {
  const parent = textOfId(index.ids, index.parent[record] ?? 0).slice(0, 80);
  const instead = substitute === -1 ? "a tree begins here" : `line ${index.line[substitute]} takes its place`;
  return {
    code: "dangling_parent",
    line: index.line[record] ?? null,
    message: `parent ${parent} is not in the file; ${instead}`,
  };
}
