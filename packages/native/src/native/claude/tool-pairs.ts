/** Tool calls without results, and results without calls, from the index. */

import type { Problem } from "@continuo/core/model";
import { createToolPairs, noteCall, noteResult, pairProblems, textOfId } from "../kit/index.ts";
import type { Tree } from "./branches.ts";
import { type Index, KIND, toolsOf } from "./index-fold.ts";

const CALL = 1;
const RESULT = 2;

/** @param partial the calls of results may be before the part that was read. */
export function pairProblemsOf(index: Index, tree: Tree, partial: boolean): Problem[] {
  const seen = new Uint8Array(index.ids.size);
  const eachTool = (visit: (tool: number, mark: number, record: number) => void): void => {
    for (let record = 0; record < index.count; record++) {
      if (tree.member[record] === 0) continue;
      const mark = index.kind[record] === KIND.assistant ? CALL : RESULT;
      for (const tool of toolsOf(index, record)) visit(tool, mark, record);
    }
  };
  eachTool((tool, mark) => {
    seen[tool] = (seen[tool] ?? 0) | mark;
  });
  const lonely = createToolPairs();
  eachTool((tool, mark, record) => {
    const line = index.line[record] ?? 0;
    const id = textOfId(index.ids, tool);
    if (seen[tool] === CALL && mark === CALL) noteCall(lonely, id, line);
    if (seen[tool] === RESULT && mark === RESULT && !partial) noteResult(lonely, id, line);
  });
  return pairProblems(lonely);
}
