import type { Json } from "@continuo/files";
import { expect, test } from "vitest";
import { toBlocks } from "./items.ts";

const PICTURE = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
const OK = { isError: false, status: "ok" } as const;

test.each<readonly [string, Json, unknown]>([
  ["a search that was completed", { type: "web_search_call", status: "completed" }, { content: [], ...OK }],
  [
    "a search that failed",
    { type: "web_search_call", status: "failed" },
    { content: [], isError: true, status: "error" },
  ],
  ["a search that was interrupted", { type: "web_search_call", status: "in_progress" }, undefined],
  ["a search without a state, as older files have it", { type: "web_search_call" }, { content: [], ...OK }],
  [
    "a picture that was made",
    { type: "image_generation_call", status: "completed", result: "AAAA" },
    { content: [PICTURE], ...OK },
  ],
  [
    "a finished picture whose call is still marked as running",
    { type: "image_generation_call", status: "generating", result: "AAAA" },
    { content: [PICTURE], ...OK },
  ],
  ["a command, which has an output of its own", { type: "local_shell_call", status: "completed" }, undefined],
])("%s has the result that its call tells", (_name, item, result) => {
  const [call, ...others] = toBlocks({ id: "made_1", ...item });
  expect(call).toMatchObject({ type: "tool_call", id: "made_1" });
  expect(others).toEqual(
    result === undefined ? [] : [{ type: "tool_result", toolCallId: "made_1", ...Object(result) }],
  );
});
