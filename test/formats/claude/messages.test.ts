/** Lines of Claude Code become blocks and messages. */

import type { Block } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import {
  answer,
  call,
  historyOf,
  type Line,
  line,
  result,
  shape,
  text,
  useHome,
  user,
} from "./session-lines.ts";

useHome();

describe("blocks keep everything", () => {
  const keyed = { type: "text", text: "a", citations: [1] };
  test.each<[string, unknown, Block]>([
    ["text", text("a"), { type: "text", text: "a" }],
    ["text with more in it", keyed, { type: "text", text: "a", native: keyed }],
    [
      "thinking",
      { type: "thinking", thinking: "t", signature: "s" },
      { type: "thinking", text: "t", signature: "s", signedBy: "anthropic" },
    ],
    [
      "thinking with an empty signature",
      { type: "thinking", thinking: "t", signature: "" },
      { type: "thinking", text: "t", signature: "" },
    ],
    ["thinking without a signature", { type: "thinking", thinking: "t" }, { type: "thinking", text: "t" }],
    [
      "redacted thinking",
      { type: "redacted_thinking", data: "x" },
      { type: "thinking", text: "", redacted: true, data: "x", signedBy: "anthropic" },
    ],
    ["a call", call("t1", { a: 1 }), { type: "tool_call", id: "t1", name: "Bash", args: { a: 1 } }],
    [
      "a call with a text for input",
      call("t1", "ls"),
      { type: "tool_call", id: "t1", name: "Bash", args: {}, rawArgs: "ls", native: call("t1", "ls") },
    ],
    ["an unknown block", { type: "hologram", x: 1 }, { type: "unknown", raw: { type: "hologram", x: 1 } }],
    ["no object", 5, { type: "unknown", raw: 5 }],
    [
      "an image",
      { type: "image", source: { type: "base64", media_type: "image/png", data: "AA==" } },
      { type: "image", mimeType: "image/png", data: "AA==" },
    ],
    [
      "an image by address",
      { type: "image", source: { type: "url", url: "http://a/b" } },
      { type: "image", mimeType: "image/*", url: "http://a/b" },
    ],
  ])("%s", async (_, native, expected) => {
    const [, message] = await historyOf(user("u", null, "q"), answer("a", "u", [native]));
    expect(message?.content).toEqual([expected]);
  });

  test("a document", async () => {
    const raw = {
      type: "document",
      title: "n",
      source: { type: "text", media_type: "text/plain", data: "d" },
    };
    const [message] = await historyOf(user("u", null, [raw]));
    expect(message?.content).toEqual([
      { type: "file", mimeType: "text/plain", name: "n", text: "d", native: raw },
    ]);
  });

  test("what the vendor's own tools did", async () => {
    const search = { type: "server_tool_use", id: "s1", name: "web_search", input: { query: "q" } };
    const found = {
      type: "web_search_tool_result",
      tool_use_id: "s1",
      content: [{ type: "web_search_result", url: "u" }],
    };
    const [, message] = await historyOf(user("u", null, "q"), answer("a", "u", [search, found]));
    expect(message?.content).toEqual([
      {
        type: "tool_call",
        id: "s1",
        name: "web_search",
        args: { query: "q" },
        ranBy: "model",
        native: search,
      },
      {
        type: "tool_result",
        toolCallId: "s1",
        content: [{ type: "unknown", raw: found.content[0] }],
        isError: false,
        native: found,
      },
    ]);
  });
});

describe("messages", () => {
  test("lines of one answer are one message, with model, usage and stop reason of the last", async () => {
    const message = { id: "m", role: "assistant", model: "claude-x" };
    const usage = {
      input_tokens: 1,
      output_tokens: 2,
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 4,
    };
    const [, said] = await historyOf(
      user("u", null, "q"),
      line("assistant", "a1", "u", {
        message: {
          ...message,
          content: [text("one")],
          stop_reason: null,
          usage: { input_tokens: 1, output_tokens: 1 },
        },
        requestId: "r",
      }),
      line("assistant", "a2", "a1", {
        message: { ...message, content: [text("two")], stop_reason: "end_turn", usage },
        requestId: "r",
      }),
    );
    expect(said).toMatchObject({
      id: "a1",
      parentId: "u",
      role: "assistant",
      content: [text("one"), text("two")],
      model: "claude-x",
      stopReason: "end_turn",
      usage: { inputTokens: 1, outputTokens: 2, cacheReadTokens: 3, cacheWriteTokens: 4 },
      metadata: {
        records: [{ line: 2 }, { line: 3 }],
        claude: { requestId: "r", messageId: "m", uuids: ["a1", "a2"] },
      },
    });
  });

  test("a result has the name and input of its call, the structured copy and a status", async () => {
    const [, , ran] = await historyOf(
      user("u", null, "q"),
      answer("a", "u", [call("t1", { command: "ls" })]),
      user("r", "a", [result("t1", "out")], {
        toolUseResult: { stdout: "out", interrupted: false },
        sourceToolAssistantUUID: "a",
      }),
    );
    expect(ran).toMatchObject({
      id: "r",
      role: "tool",
      toolCallId: "t1",
      toolName: "Bash",
      toolInput: { command: "ls" },
      toolOutput: "out",
      content: [
        { type: "tool_result", isError: false, status: "ok", details: { stdout: "out", interrupted: false } },
      ],
    });
  });

  test.each<[string, Line, Line, string]>([
    ["a failure", { is_error: true }, {}, "error"],
    ["a refusal", { is_error: true }, { toolDenialKind: "user" }, "denied"],
    ["a refusal by rule", { is_error: true }, { permissionDecision: { decision: "reject" } }, "denied"],
    [
      "a refusal in older versions",
      { is_error: true },
      { toolUseResult: "User rejected tool use" },
      "denied",
    ],
    ["an interruption", {}, { toolUseResult: { interrupted: true } }, "interrupted"],
  ])("the status of %s", async (_, block, more, status) => {
    const [, , ran] = await historyOf(
      user("u", null, "q"),
      answer("a", "u", [call("t1")]),
      user("r", "a", [result("t1", "x", block)], more),
    );
    expect(ran?.content).toMatchObject([{ status }]);
  });

  test("one line with several results and a text is several messages", async () => {
    const messages = await historyOf(
      user("u", null, "q"),
      answer("a", "u", [call("t1"), call("t2")]),
      user("r", "a", [result("t1", "1"), result("t2", "2"), text("and")]),
    );
    expect(messages.slice(2).map((message) => [message.id, ...shape(message)])).toEqual([
      ["r", "tool", undefined, ["result t1"]],
      ["r#2", "tool", undefined, ["result t2"]],
      ["r#3", "user", "person", ["and"]],
    ]);
  });

  test.each<[string, Line, unknown[]]>([
    ["typed", user("x", null, "hi"), ["user", "person", ["hi"]]],
    [
      "a companion text",
      user("x", null, "[Image: source: /a]", { isMeta: true }),
      ["user", "injected", ["[Image: source: /a]"]],
    ],
    ["a summary", user("x", null, "S", { isCompactSummary: true }), ["user", "summary", ["S"]]],
    [
      "a task notification",
      user("x", null, "N", { origin: { kind: "task-notification" } }),
      ["user", "notification", ["N"]],
    ],
    [
      "an interruption",
      user("x", null, "[Request interrupted by user]"),
      ["user", "injected", ["[Request interrupted by user]"]],
    ],
    [
      "an API error",
      answer("x", null, [text("E")], { isApiErrorMessage: true }),
      ["assistant", "error", ["E"]],
    ],
    [
      "a rendered attachment",
      line("attachment", "x", null, {
        attachment: { type: "date" },
        rendered: [{ content: "R" }],
        renderedRole: "system",
      }),
      ["system", "injected", ["R"]],
    ],
    [
      "a rendered attachment of the user",
      line("attachment", "x", null, {
        attachment: { type: "file" },
        rendered: [{ content: "R" }],
        renderedRole: "user",
      }),
      ["user", "injected", ["R"]],
    ],
    [
      "an attachment without a text",
      line("attachment", "x", null, { attachment: { type: "prompt_snapshot" } }),
      ["system", "injected", ["unknown"]],
    ],
    [
      "said meanwhile",
      line("attachment", "x", null, {
        attachment: { type: "queued_command", prompt: "P", commandMode: "prompt" },
        rendered: [{ content: "R" }],
      }),
      ["user", "person", ["P"]],
    ],
    [
      "information",
      line("system", "x", null, { subtype: "informational", content: "I" }),
      ["system", "notification", ["I"]],
    ],
    [
      "a turn's duration",
      line("system", "x", null, { subtype: "turn_duration", durationMs: 1 }),
      ["system", "notification", ["unknown"]],
    ],
    ["an unknown type", line("hologram", "x", null, {}), ["system", "notification", ["unknown"]]],
  ])("%s", async (_, native, expected) => {
    const [message] = await historyOf(native);
    expect(message && shape(message)).toEqual(expected);
  });
});
