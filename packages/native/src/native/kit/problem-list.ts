/** The problems of one session while it is read: limited for each kind, in the order of their lines. */

import type { Problem, ProblemCode } from "@continuo/core/model";

/** Problems of one kind in one session; the rest is counted in a last one. */
const MAX_PROBLEMS_PER_CODE: number = 500;

/** Plain data, so that a scan can be saved. */
export interface ProblemList {
  readonly kept: Problem[];
  readonly counts: Map<ProblemCode, number>;
}

export function createProblemList(): ProblemList {
  return { kept: [], counts: new Map() };
}

export function addProblem({ kept, counts }: ProblemList, problem: Problem): void {
  const count = (counts.get(problem.code) ?? 0) + 1;
  counts.set(problem.code, count);
  if (count <= MAX_PROBLEMS_PER_CODE) kept.push(problem);
}

/**
 * Returns the problems of the list and further ones, in the order of their lines; problems of the whole session come
 * last.
 */
export function allProblems(list: ProblemList, ...more: readonly Iterable<Problem>[]): Problem[] {
  const whole: ProblemList = { kept: [...list.kept], counts: new Map(list.counts) };
  for (const problems of more) for (const problem of problems) addProblem(whole, problem);
  const all = whole.kept.sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
  for (const [code, count] of whole.counts) {
    if (count <= MAX_PROBLEMS_PER_CODE) continue;
    const rest = count - MAX_PROBLEMS_PER_CODE;
    all.push({ code, line: null, message: `${rest} more of the same kind` });
  }
  return all;
}
