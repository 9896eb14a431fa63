import type { ToolCallBlock } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { describe, expect, test } from "vitest";
import { toBlocks } from "./items.ts";
import { codexWriter } from "./writer.ts";

const MAKERS = { now: () => 0, uuid: () => "UUID", uuid4: () => "UUID4", hex: () => "HEX" };
const SESSION = { sessionId: "s", cwd: "/w", title: null, gitBranch: null, createdMs: 0 };
const PATCH = "*** Begin Patch\n*** Add File: p.txt\n+héllo\n*** End Patch\n";

const custom = { type: "custom_tool_call", call_id: "c", status: "completed", name: "exec", input: PATCH };
const call = { type: "function_call", call_id: "c", status: "completed", name: "look", arguments: "{}" };
const shell = { type: "local_shell_call", call_id: "c", status: "completed", action: { command: ["ls"] } };

const made: ToolCallBlock = { type: "tool_call", id: "c", name: "exec", args: { input: PATCH } };
const asFunction = { ...call, name: "exec", arguments: JSON.stringify({ input: PATCH }) };

interface Case {
  readonly name: string;
  readonly blocks: readonly ReturnType<typeof toBlocks>[number][];
  readonly item: Json;
  readonly output: string;
}

const OF_FUNCTION = "function_call_output";

const CASES: readonly Case[] = [
  {
    name: "its own call of a text",
    blocks: toBlocks(custom),
    item: { ...custom, id: "ctc_HEX" },
    output: "custom_tool_call_output",
  },
  {
    name: "its own call of a text, of a tool in a namespace",
    blocks: toBlocks({ ...custom, namespace: "functions" }),
    item: { ...custom, id: "ctc_HEX", namespace: "functions" },
    output: "custom_tool_call_output",
  },
  {
    name: "its own call of a function in a namespace",
    blocks: toBlocks({ ...call, namespace: "mcp__kettle" }),
    item: { ...call, id: "fc_HEX", namespace: "mcp__kettle" },
    output: OF_FUNCTION,
  },
  {
    name: "its own call of a shell",
    blocks: toBlocks(shell),
    item: { ...call, id: "fc_HEX", name: "local_shell", arguments: '{"command":["ls"]}' },
    output: OF_FUNCTION,
  },
  {
    name: "a call that says nothing of itself",
    blocks: [made],
    item: { ...asFunction, id: "fc_HEX" },
    output: OF_FUNCTION,
  },
  {
    name: "a call of another agent",
    blocks: [{ ...made, native: { type: "toolCall", namespace: "x" } }],
    item: { ...asFunction, id: "fc_HEX" },
    output: OF_FUNCTION,
  },
];

function itemsOf(records: readonly Json[]): unknown[] {
  return records.flatMap(({ type, payload }) => (type === "response_item" ? [payload] : []));
}

describe.each(CASES)("$name", ({ blocks, item, output }) => {
  test("is written in its original form, and so is its output", () => {
    const { tip } = codexWriter.begin(SESSION, MAKERS);
    const answer = codexWriter.add(tip, { role: "assistant", content: blocks }, MAKERS);
    const content = [{ type: "text" as const, text: "Done." }];
    const result = { type: "tool_result" as const, toolCallId: "c", content, isError: false };
    const told = codexWriter.add(answer.tip, { role: "tool", content: [result] }, MAKERS);
    expect(itemsOf(answer.records)).toEqual([item]);
    const prefix = output === OF_FUNCTION ? "fco" : "ctco";
    expect(itemsOf(told.records)).toEqual([
      { type: output, id: `${prefix}_UUID`, call_id: "c", output: "Done." },
    ]);
  });
});
