import type { Message } from "@continuo/core/model";
import { expect, test } from "vitest";
import {
  ASKED,
  answer,
  FIRST_MS,
  type MessageOf,
  openIn,
  SESSION,
  text,
  toolPart,
  user,
  useScratch,
} from "./sessions.ts";

const { databaseOf } = useScratch();

async function historyOf(messages: readonly MessageOf[]): Promise<Message[]> {
  using session = await openIn(databaseOf({ messages }), SESSION);
  return await Array.fromAsync(session.history());
}

test("every kind of part becomes what it is, or is kept verbatim", async () => {
  const marks = [
    { type: "step-start", snapshot: "s1" },
    { type: "snapshot", snapshot: "s2" },
    { type: "patch", hash: "h", files: ["/a"] },
    { type: "retry", attempt: 1, error: {}, time: { created: 1 } },
    { type: "step-finish", reason: "stop", cost: 0, tokens: {} },
  ];
  const state = {
    status: "completed",
    input: { filePath: "/a" },
    output: "read",
    title: "a",
    metadata: { x: 1 },
  };
  const attached = {
    type: "file",
    id: "prt_x",
    sessionID: SESSION,
    messageID: "msg_2",
    mime: "image/png",
    url: "data:image/png;base64,AAAA",
  };
  const time = { start: FIRST_MS, end: FIRST_MS + 500 };
  const call = {
    ...toolPart("c1", { ...state, time, attachments: [attached] }),
    metadata: { google: { thoughtSignature: "g" } },
  };
  const signed = {
    type: "reasoning",
    text: "hm",
    metadata: { anthropic: { signature: "sig" } },
    time: { start: 1 },
  };
  const hidden = {
    type: "reasoning",
    text: "",
    metadata: { anthropic: { redactedData: "zzz" } },
    time: { start: 1 },
  };
  const file = { type: "file", mime: "text/csv", filename: "a.csv", url: "data:text/csv;base64,QQ==" };
  const linked = { type: "file", mime: "text/plain", url: "file:///a", source: { type: "file", path: "/a" } };
  const unknown = { type: "hologram", data: [1] };
  const history = await historyOf([
    {
      ...user("msg_1", "x"),
      parts: [
        file,
        linked,
        unknown,
        { type: "agent", name: "general" },
        { type: "subtask", prompt: "p" },
      ].map((data, at) => ({ id: `prt_1${at}`, data })),
    },
    answer("msg_2", [
      ...marks.slice(0, 4),
      signed,
      hidden,
      text("said", { time: { start: 1 } }),
      call,
      ...marks.slice(4),
    ]),
  ]);
  const timestamp = (ms: number): string => new Date(FIRST_MS + ms).toISOString();
  const rows = (...ids: readonly string[]): object[] => ids.map((row) => ({ row }));
  const { title, metadata } = state;
  const details = { status: "completed", title, metadata, time };
  expect(history).toEqual([
    {
      id: "msg_1",
      role: "user",
      origin: "person",
      timestamp: timestamp(0),
      content: [
        { type: "file", mimeType: "text/csv", name: "a.csv", data: "QQ==" },
        { type: "file", mimeType: "text/plain", url: "file:///a", native: linked },
        { type: "unknown", raw: unknown },
        { type: "unknown", raw: { type: "subtask", prompt: "p" } },
      ],
      metadata: {
        records: rows("msg_1", "prt_10", "prt_11", "prt_12", "prt_13", "prt_14"),
        opencode: {
          message: "msg_1",
          agent: "build",
          model: ASKED,
          parts: [{ type: "agent", name: "general" }],
        },
      },
    },
    {
      id: "msg_2",
      parentId: "msg_1",
      role: "assistant",
      origin: "agent",
      model: "scripted-1",
      stopReason: "stop",
      timestamp: timestamp(1000),
      content: [
        { type: "thinking", text: "hm", signature: "sig", signedBy: "anthropic", native: signed },
        { type: "thinking", text: "", redacted: true, data: "zzz", signedBy: "anthropic", native: hidden },
        { type: "text", text: "said" },
        { type: "tool_call", id: "c1", name: "read", args: { filePath: "/a" }, signature: "g", native: call },
      ],
      metadata: {
        records: rows("msg_2", ...Array.from({ length: 9 }, (_, at) => `prt_msg_2_${at}`)),
        opencode: {
          message: "msg_2",
          agent: "build",
          mode: "build",
          providerID: "scripted",
          finish: "stop",
          parts: marks,
        },
      },
    },
    {
      id: "prt_msg_2_7",
      parentId: "msg_2",
      role: "tool",
      timestamp: timestamp(500),
      toolCallId: "c1",
      toolName: "read",
      toolInput: { filePath: "/a" },
      toolOutput: "read",
      content: [
        {
          type: "tool_result",
          toolCallId: "c1",
          content: [
            { type: "text", text: "read" },
            { type: "image", mimeType: "image/png", data: "AAAA" },
          ],
          isError: false,
          status: "ok",
          details,
        },
      ],
      metadata: { records: rows("prt_msg_2_7"), opencode: { message: "msg_2" } },
    },
  ]);
});

test.each([
  ["The user rejected permission to use this specific tool call.", {}, "denied"],
  ["The user dismissed this question", {}, "denied"],
  ["Tool execution aborted", { interrupted: true }, "interrupted"],
  ["File not found", {}, "error"],
])("a call that failed with %j and %j is %s", async (error, metadata, status) => {
  const failed = toolPart("c1", { status: "error", error, metadata, time: {} });
  const [, , result] = await historyOf([user("msg_1", "x"), answer("msg_2", [failed])]);
  expect(result).toMatchObject({ role: "tool", toolOutput: error, content: [{ isError: true, status }] });
});

test("an error is a message of its own, in place of the answer or behind it", async () => {
  const error = { name: "APIError", data: { message: "The kettle is cold.", statusCode: 400 } };
  const history = await historyOf([
    answer("msg_1", [], { error }),
    answer("msg_2", [text("Half an")], { error: { name: "MessageAbortedError", data: {} } }),
  ]);
  expect(history.map(({ id, role, origin, content }) => [id, role, origin, content])).toEqual([
    ["msg_1", "assistant", "error", [{ type: "text", text: "The kettle is cold.", native: error }]],
    ["msg_2", "assistant", "agent", [text("Half an")]],
    [
      "msg_2#error",
      "assistant",
      "error",
      [{ type: "text", text: "MessageAbortedError", native: { name: "MessageAbortedError", data: {} } }],
    ],
  ]);
});

test("the origin of a message is the person, opencode or a summary", async () => {
  const put = (id: string, ...parts: object[]): MessageOf => ({
    ...user(id, ""),
    parts: parts.map((data, at) => ({ id: `prt_${id}${at}`, data: data as Record<string, unknown> })),
  });
  const history = await historyOf([
    put("msg_1", text("typed"), text("and added", { synthetic: true })),
    put("msg_2", text("added", { synthetic: true })),
    put("msg_3", { type: "compaction", auto: true }),
    answer("msg_4", [text("In short.")], { summary: true, parentID: "msg_3" }),
    put("msg_5"),
  ]);
  expect(history.map(({ origin }) => origin)).toEqual([
    "person",
    "injected",
    "injected",
    "summary",
    "person",
  ]);
});
