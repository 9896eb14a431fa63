/**
 * The order of a history, planned from the index: for each message of the list, the message of Continuo that it
 * becomes.
 *
 * A call's result is recorded up to three times: in `toolCalls[].result`, in a user message of its own, and, after a
 * resume, in one more whose id ends in `_response`. These are one result: the first one counts, and the others are named
 * as its further records. A message that also has other text stays.
 */

import { type HistoryCounts, hasFlag } from "../kit/index.ts";
import { covers, FLAG, type Index, marksOf } from "./index-fold.ts";

export interface PlanStep {
  /** The message; -1 for results without their answer. */
  readonly node: number;
  /**
   * An earlier version of the message in a separate record, with values that the list left out, such as the time; -1
   * for none.
   */
  readonly own: number;
  /** User messages with nothing but results, right after an answer. */
  readonly responses: readonly number[];
  /** Results that become messages here, in order. */
  readonly results: readonly PlannedResult[];
  readonly calls: number;
}

export interface PlannedResult {
  /** Number of the call's id. */
  readonly call: number;
  /** The version of a message that holds it. */
  readonly node: number;
  /** Later messages that repeat it. */
  readonly repeats: readonly number[];
}

export function* planHistory(index: Index, list: readonly number[]): Generator<PlanStep, void, void> {
  const told = new Map<number, number>();
  for (let at = 0; at < list.length; ) {
    const node = list[at] ?? 0;
    at += 1;
    // After a compaction, the list repeats messages with their results, so these results become messages again.
    if (hasFlag(index, node, FLAG.summary)) told.clear();
    const responses: number[] = [];
    const isAnswer = hasFlag(index, node, FLAG.gemini);
    if (hasFlag(index, node, FLAG.responses)) responses.push(node);
    while (isAnswer || responses.length > 0) {
      const next = list[at];
      if (next === undefined || !hasFlag(index, next, FLAG.responses)) break;
      responses.push(next);
      at += 1;
    }
    const own = hasFlag(index, node, FLAG.responses) ? -1 : ownOf(index, node);
    const sources = [...(own === -1 ? [] : [own]), ...(responses[0] === node ? [] : [node]), ...responses];
    const calls = callsOf(index, node, own);
    yield {
      node: responses[0] === node ? -1 : node,
      own,
      responses,
      results: resultsOf(index, sources, calls, told),
      calls: calls.size,
    };
  }
}

/** An earlier version in a separate record, if the version in the list has all its content. */
function ownOf(index: Index, node: number): number {
  const own = index.own[node] ?? -1;
  return own === -1 || own === node || !covers(index, node, own) ? -1 : own;
}

function callsOf(index: Index, node: number, own: number): Set<number> {
  const calls = new Set(marksOf(index, node).calls);
  if (own !== -1) for (const call of marksOf(index, own).calls) calls.add(call);
  return calls;
}

/** @param told the results that the history contains so far: number of the call, hash of the response. */
function resultsOf(
  index: Index,
  sources: readonly number[],
  calls: ReadonlySet<number>,
  told: Map<number, number>,
): PlannedResult[] {
  const planned: { call: number; node: number; hash: number; repeats: number[] }[] = [];
  for (const node of sources) {
    for (const { call, hash } of marksOf(index, node).results) {
      const same = planned.find((result) => result.call === call && result.hash === hash);
      if (same !== undefined) {
        if (same.node !== node) same.repeats.push(node);
        continue;
      }
      if (told.get(call) === hash) continue;
      told.set(call, hash);
      planned.push({ call, node, hash, repeats: [] });
    }
  }
  const order = [...calls];
  const rank = (call: number): number => (calls.has(call) ? order.indexOf(call) : order.length);
  return planned.sort((a, b) => rank(a.call) - rank(b.call));
}

export function countHistory(index: Index, steps: Iterable<PlanStep>): HistoryCounts {
  const counts = { total: 0, user: 0, assistant: 0, tool: 0, system: 0, toolCalls: 0 };
  for (const { node, results, calls } of steps) {
    counts.tool += results.length;
    counts.toolCalls += calls;
    if (node === -1) continue;
    if (hasFlag(index, node, FLAG.gemini)) counts.assistant += 1;
    else if (hasFlag(index, node, FLAG.user)) counts.user += 1;
    else counts.system += 1;
  }
  return { ...counts, total: counts.user + counts.assistant + counts.tool + counts.system };
}
