/** Results that an agent's protocol does not report wait for the session file, but only for a limited time. */

import type { AgentEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import { createRecordedCalls, type RecordedCall } from "./recorded-calls.ts";

const call = (toolCallId: string): AgentEvent => ({ type: "tool_call", toolCallId, toolName: "note.txt" });
const silent = (toolCallId: string): AgentEvent => ({
  type: "tool_result",
  toolCallId,
  status: "ok",
  content: "",
});
const words: AgentEvent = { type: "text", delta: "A word." };
const content = [{ type: "text", text: "a word" }] as const;

test("a call has the name and a result has the content of the file, before the next text is reported", async () => {
  const file = new Map<string, RecordedCall>();
  const calls = createRecordedCalls(async () => file);
  expect(await calls.pass([call("read_file__1"), silent("read_file__1")])).toEqual([
    { type: "tool_call", toolCallId: "read_file__1", toolName: "read_file" },
  ]);
  file.set("read_file__1", { input: { file_path: "note.txt" }, content });
  expect(await calls.pass([words])).toEqual([
    { type: "tool_call_update", toolCallId: "read_file__1", toolInput: { file_path: "note.txt" } },
    { type: "tool_result", toolCallId: "read_file__1", status: "ok", content },
    words,
  ]);
  expect(await calls.rest()).toEqual([]);
});

test("a result that is already in the file is reported before the next call", async () => {
  const file = new Map<string, RecordedCall>([["a__1", { input: {}, content }]]);
  const calls = createRecordedCalls(async () => file);
  await calls.pass([call("a__1"), silent("a__1"), call("b__2"), silent("b__2")]);
  expect(await calls.rest()).toEqual([silent("b__2")]);
});

test("a result keeps what the protocol reported, and a result without a record is reported as it is", async () => {
  const failed: AgentEvent = {
    type: "tool_result",
    toolCallId: "a__1",
    status: "error",
    content: "no such file",
  };
  const calls = createRecordedCalls(async () => new Map([["a__1", { input: { at: 1 }, content }]]));
  expect(await calls.pass([call("a__1"), failed, silent("b__2"), words])).toEqual([
    { type: "tool_call", toolCallId: "a__1", toolName: "a" },
    { type: "tool_call_update", toolCallId: "a__1", toolInput: { at: 1 } },
    failed,
    silent("b__2"),
    words,
  ]);
});
