/** Branches of a session: the present list, and every earlier state of it with content that no other state has. */

import { hasFlag, toTitle } from "../kit/index.ts";
import type { Tip } from "../scanning/index.ts";
import { createFetch, type HistorySource } from "./history.ts";
import { FLAG, type Index, idOf, lineOf } from "./index-fold.ts";
import { countHistory, planHistory } from "./plan.ts";
import { typedText } from "./records.ts";
import { pastStates, type Timeline, withCompacted } from "./timeline.ts";

export interface Branch {
  readonly id: string;
  readonly active: boolean;
  /** Numbers of messages, from the first to the last. */
  readonly list: readonly number[];
}

/** The active branch first, if there is one, then the others, newest first. */
export function toBranches(index: Index, timeline: Timeline): Branch[] {
  const branches: Branch[] = [];
  const taken = new Set<string>();
  const add = (state: readonly number[], active: boolean): void => {
    const last = state.at(-1);
    if (last === undefined) return;
    const id = freeId(index, last, taken);
    taken.add(id);
    branches.push({ id, active, list: withCompacted(timeline, state) });
  };
  add(timeline.list, true);
  for (const state of pastStates(timeline)) add(state, false);
  return branches;
}

/** The id of the last message; several branches can end in versions of one message. */
function freeId(index: Index, node: number, taken: ReadonlySet<string>): string {
  const id = idOf(index, node);
  if (!taken.has(id)) return id;
  const withLine = `${id}@${lineOf(index, node)}`;
  for (let count = 1; ; count++) {
    const free = count === 1 ? withLine : `${withLine}#${count}`;
    if (!taken.has(free)) return free;
  }
}

export async function toTips(
  source: HistorySource,
  branches: readonly Branch[],
): Promise<Tip<readonly number[]>[]> {
  const { index } = source;
  const fetch = createFetch(source);
  const tips: Tip<readonly number[]>[] = [];
  for (const { id, active, list } of branches) {
    const typed = list.findLast((node) => hasFlag(index, node, FLAG.typed));
    const timed = list.findLast((node) => !Number.isNaN(timeOf(index, node)));
    tips.push({
      node: list,
      id,
      active,
      updatedAt: timed === undefined ? null : new Date(timeOf(index, timed)).toISOString(),
      counts: countHistory(index, planHistory(index, list)),
      label: typed === undefined ? null : toTitle(typedText((await fetch(typed)).value)),
    });
  }
  return tips;
}

/** An answer that was rewritten keeps the time of its own record. */
function timeOf(index: Index, node: number): number {
  const own = index.own[node] ?? -1;
  return index.time[own === -1 ? node : own] ?? Number.NaN;
}
