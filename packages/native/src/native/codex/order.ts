/** Tells if the lines of a paginated file are in the order in which they were written. Pure. */

import type { Problem } from "@continuo/core/model";
import type { CodexRecord } from "./records.ts";

/** Gaps and any first number are fine (seen in 0.169.0); a step back or a line without a number is not. */
export interface OrderState {
  readonly paginated: boolean;
  last: number | null;
  readonly without: number[];
  readonly back: number[];
  countWithout: number;
  countBack: number;
}

export function createOrder(paginated: boolean): OrderState {
  return { paginated, last: null, without: [], back: [], countWithout: 0, countBack: 0 };
}

export function foldOrdinal(state: OrderState, record: CodexRecord, line: number): void {
  if (!state.paginated) return;
  if (record.ordinal === null) {
    state.countWithout += 1;
    if (state.without.length === 0) state.without.push(line);
    return;
  }
  if (state.last !== null && record.ordinal <= state.last) {
    state.countBack += 1;
    if (state.back.length === 0) state.back.push(line);
  }
  state.last = record.ordinal;
}

/** One problem for each kind, at its first line: a file that an old Codex continued has thousands of such lines. */
export function orderProblems(state: OrderState): Problem[] {
  const problems: Problem[] = [];
  for (const line of state.without) {
    const message = `lines without an ordinal in a paginated file: ${state.countWithout}, the first of them here`;
    problems.push({ code: "bad_order", line, message });
  }
  for (const line of state.back) {
    const message = `lines whose ordinal is not above the one before: ${state.countBack}, the first of them here`;
    problems.push({ code: "bad_order", line, message });
  }
  return problems;
}
