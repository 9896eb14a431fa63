import { expect, test } from "vitest";
import type { Block } from "../../model/index.ts";
import { isCutOff } from "./cut-off.ts";

const TEXT: Block = { type: "text", text: "The timer" };
const CALL: Block = { type: "tool_call", id: "c1", name: "Bash", args: {} };

test.each([
  ["a text that was interrupted", "interrupted", [CALL, TEXT], true],
  ["a text that was aborted", "aborted", [TEXT], true],
  ["a text that was cancelled", "cancelled", [TEXT], true],
  ["a text that was written to its end", "end_turn", [TEXT], false],
  ["a text of an agent that gives no reason", undefined, [TEXT], false],
  ["a call", "interrupted", [TEXT, CALL], false],
  ["nothing", "aborted", [], false],
])("an answer that ends with %s is cut off or not", (_what, stopReason, content, expected) => {
  expect(isCutOff({ content, ...(stopReason === undefined ? {} : { stopReason }) })).toBe(expected);
});
