import { expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { HISTORY_LIMITS } from "./limits.ts";
import { toShownMessage } from "./shown.ts";

function shownDetails(details: unknown): unknown {
  const message = {
    id: "m",
    role: "tool",
    content: [{ type: "tool_result", toolCallId: "t", content: [], status: "ok", details }],
    metadata: {},
  } as unknown as Message;
  const [block] = toShownMessage(message, { key: "claude:1" }).message.content;
  return block?.type === "tool_result" ? block.details : undefined;
}

const HUNK = { oldStart: 7, oldLines: 1, newStart: 7, newLines: 1, lines: ["-a", "+b"] };

test("of a result's details only the hunks with line numbers are shown", () => {
  const originalFile = "the whole file";
  expect(shownDetails({ structuredPatch: [HUNK], originalFile })).toEqual({ structuredPatch: [HUNK] });
  for (const details of [undefined, null, "text", {}, { structuredPatch: "x" }, { originalFile }]) {
    expect(shownDetails(details)).toBeUndefined();
  }
});

test("a patch of millions of lines is bounded", () => {
  const lines = Array.from({ length: 1_000_000 }, () => "+");
  const shown = JSON.stringify(shownDetails({ structuredPatch: [{ ...HUNK, lines }] }));
  expect(shown.length).toBeLessThan(10 * HISTORY_LIMITS.messageNodes);
});
