import { expect, test } from "vitest";
import { createToolPairs, noteCall, noteResult, pairProblems } from "./pairs.ts";

test("calls without results, and results without calls, are problems, each with its first line", () => {
  const pairs = createToolPairs();
  noteCall(pairs, "a", 1);
  noteResult(pairs, "a", 2);
  noteResult(pairs, "a", 3);
  noteCall(pairs, "b", 4);
  noteCall(pairs, "b", 5);
  noteResult(pairs, "c", 6);
  expect(pairProblems(pairs)).toEqual([
    { code: "call_without_result", line: 4, message: "tool call b has no result" },
    { code: "result_without_call", line: 6, message: "a result for tool call c, which is not here" },
  ]);
});
