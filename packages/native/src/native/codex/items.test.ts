import type { Json } from "@continuo/files";
import { expect, test } from "vitest";
import { toBlocks, toolsInRecord } from "./items.ts";

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

test.each<readonly [string, Json, Json, unknown]>([
  [
    "tools that a client gave the thread",
    { type: "session_meta" },
    { dynamic_tools: [{ name: "status", description: "Says it.", inputSchema: { type: "object" } }, 7] },
    [{ name: "status", description: "Says it.", inputSchema: { type: "object" } }],
  ],
  [
    "tools in the model's input, also of a server",
    { type: "response_item" },
    {
      type: "additional_tools",
      tools: [
        { type: "custom", name: "exec", description: "Runs code.", format: { type: "grammar" } },
        {
          type: "namespace",
          name: "mcp__shop",
          tools: [{ type: "function", name: "shot", parameters: { type: "object" } }, { name: "" }],
        },
      ],
    },
    [
      { name: "exec", description: "Runs code." },
      { name: "mcp__shop__shot", inputSchema: { type: "object" } },
    ],
  ],
  [
    "no tools of another record",
    { type: "event_msg" },
    { type: "additional_tools", tools: [{ name: "a" }] },
    [],
  ],
  ["no tools of a header without them", { type: "session_meta" }, { dynamic_tools: null }, []],
])("a record defines %s", (_name, line, payload, expected) => {
  expect(toolsInRecord({ timestamp: "2026-11-30T00:00:00.000Z", ...line, payload })).toEqual(expected);
});
