/** What a message keeps when its texts are cut. */

import { expect, test } from "vitest";
import type { Message } from "../../model/index.ts";
import { cutMessages } from "./cut.ts";

/** A call of a tool and its result, whose message repeats the arguments. */
function called(args: Readonly<Record<string, unknown>>, rawArgs?: string): readonly Message[] {
  const call = { type: "tool_call", id: "c", name: "read", args } as const;
  const result = { type: "tool_result", toolCallId: "c", isError: false } as const;
  return [
    {
      id: "a",
      role: "assistant",
      content: [rawArgs === undefined ? call : { ...call, rawArgs }],
      metadata: {},
    },
    {
      ...{ id: "r", role: "tool", toolCallId: "c", toolName: "read", metadata: {} },
      content: [{ ...result, content: [{ type: "text", text: "x".repeat(1_000) }] }],
      ...{ toolInput: rawArgs ?? args, toolOutput: "x".repeat(1_000) },
    },
  ];
}

test.each([
  ["arguments that fit", called({ path: "a.ts" }), { path: "a.ts" }],
  ["no arguments", called({}), {}],
  ["a text that is no JSON", called({}, '{"path'), '{"path'],
])("what a result repeats of its call stays: %s", (_, messages, toolInput) => {
  const [, cut] = cutMessages(messages, 400);
  expect(cut).toMatchObject({ toolInput });
  expect(cut?.toolOutput).toMatch(/^x+\n\[… \d+ characters left out …\]\nx+$/u);
  expect(cut?.metadata).toEqual({ cut: expect.any(Number) });
});
