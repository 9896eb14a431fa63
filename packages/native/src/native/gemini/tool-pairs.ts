/** Tool calls without results, and results without calls, from the index: all branches together. */

import type { Problem } from "@continuo/core/model";
import { createToolPairs, noteCall, noteResult, pairProblems, textOfId } from "../kit/index.ts";
import { type Index, lineOf, marksOf } from "./index-fold.ts";

const CALL = 1;
const RESULT = 2;

/** @param partial the calls of results may be before the part that was read. */
export function pairProblemsOf(index: Index, partial: boolean): Problem[] {
  const seen = new Uint8Array(index.ids.size);
  const first = new Int32Array(index.ids.size).fill(-1);
  const note = (call: number, mark: number, node: number): void => {
    if (seen[call] === 0) first[call] = node;
    seen[call] = (seen[call] ?? 0) | mark;
  };
  for (let node = 0; node < index.nodes; node++) {
    const { calls, results } = marksOf(index, node);
    for (const call of calls) note(call, CALL, node);
    for (const { call } of results) note(call, RESULT, node);
  }
  const lonely = createToolPairs();
  for (const [call, mark] of seen.entries()) {
    const line = lineOf(index, first[call] ?? 0);
    if (mark === CALL) noteCall(lonely, textOfId(index.ids, call), line);
    if (mark === RESULT && !partial) noteResult(lonely, textOfId(index.ids, call), line);
  }
  return pairProblems(lonely);
}
