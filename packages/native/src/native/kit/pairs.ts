/** Tool calls without results, and results without calls, in a session. */

import type { Problem } from "@continuo/core/model";

/** Ids of calls and of results, each with the line where it first stood. */
export interface ToolPairs {
  readonly calls: Map<string, number>;
  readonly results: Map<string, number>;
}

export function createToolPairs(): ToolPairs {
  return { calls: new Map(), results: new Map() };
}

export function noteCall(pairs: ToolPairs, id: string, line: number): void {
  if (!pairs.calls.has(id)) pairs.calls.set(id, line);
}

export function noteResult(pairs: ToolPairs, id: string, line: number): void {
  if (!pairs.results.has(id)) pairs.results.set(id, line);
}

export function pairProblems(pairs: ToolPairs): Problem[] {
  const problems: Problem[] = [];
  for (const [id, line] of pairs.calls) {
    if (pairs.results.has(id)) continue;
    problems.push({ code: "call_without_result", line, message: `tool call ${id} has no result` });
  }
  for (const [id, line] of pairs.results) {
    if (pairs.calls.has(id)) continue;
    problems.push({
      code: "result_without_call",
      line,
      message: `a result for tool call ${id}, which is not here`,
    });
  }
  return problems;
}
