/** The problems of one session while it is read: bounded a kind, in the order of their lines. */

import type { Problem, ProblemCode } from "../../model/index.ts";

/** Problems of one kind in one session; the rest is counted in a last one. */
export const MAX_PROBLEMS_PER_CODE: number = 500;

export interface ProblemList {
  add(problem: Problem): void;
  /** In the order of their lines; what concerns the whole session comes last. */
  all(): Problem[];
}

export function createProblemList(): ProblemList {
  const kept: Problem[] = [];
  const counts = new Map<ProblemCode, number>();
  return {
    add(problem) {
      const count = (counts.get(problem.code) ?? 0) + 1;
      counts.set(problem.code, count);
      if (count <= MAX_PROBLEMS_PER_CODE) kept.push(problem);
    },
    all() {
      const problems = [...kept].sort((a, b) => (a.line ?? Infinity) - (b.line ?? Infinity) || 0);
      for (const [code, count] of counts) {
        if (count <= MAX_PROBLEMS_PER_CODE) continue;
        const more = count - MAX_PROBLEMS_PER_CODE;
        problems.push({ code, line: null, message: `${more} more of the same kind` });
      }
      return problems;
    },
  };
}
