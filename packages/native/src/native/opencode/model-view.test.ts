import { textOf } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { describe, expect, test } from "vitest";
import { toMessages } from "./messages.ts";
import { modelView } from "./model-view.ts";
import type { NativeRecord } from "./records.ts";

interface MessageOf {
  readonly id: string;
  readonly data: Json;
  readonly parts: readonly Json[];
}

function recordOf(kind: NativeRecord["kind"], id: string, data: Json): NativeRecord {
  const place = { id, parentId: null, sessionId: "ses_1", timeMs: 0 };
  return { kind, ...place, value: { id, data }, data, sizeBytes: 0, damage: null };
}

/** Returns the model's view of these messages: one line for each block. */
function viewOf(messages: readonly MessageOf[]): string[] {
  const history = messages.flatMap(({ id, data, parts }) =>
    toMessages(
      recordOf("message", id, data),
      parts.map((part, at) => recordOf("part", `prt_${id}_${at}`, part)),
      { native: false },
    ),
  );
  return modelView(history).flatMap(({ role, content }) =>
    content.map((block) => {
      switch (block.type) {
        case "text":
          return `${role}: ${block.text}`;
        case "thinking":
          return `${role} thinks: ${block.text}`;
        case "tool_call":
          return `${role} calls ${block.name} ${block.id}`;
        case "tool_result": {
          const more = block.content.filter((part) => part.type !== "text").map((part) => ` + ${part.type}`);
          return `${role} ${block.isError ? "fails" : "gives"} ${block.toolCallId}: ${textOf(block.content)}${more.join("")}`;
        }
        default:
          return `${role}: <${block.type}>`;
      }
    }),
  );
}

const user = (id: string, ...parts: Json[]): MessageOf => ({
  id,
  data: { role: "user", model: { providerID: "kettle", modelID: "k1" } },
  parts,
});
const answer = (id: string, parts: readonly Json[], more: Json = {}): MessageOf => ({
  id,
  data: { role: "assistant", providerID: "kettle", modelID: "k1", finish: "stop", ...more },
  parts,
});
const text = (words: string, more: Json = {}): Json => ({ type: "text", text: words, ...more });
const reasoning = (words: string, more: Json = {}): Json => ({ type: "reasoning", text: words, ...more });
const call = (callID: string, state: Json): Json => ({
  type: "tool",
  tool: "read",
  callID,
  state: { input: {}, ...state },
});
const completed = (callID: string, output: string, more: Json = {}): Json =>
  call(callID, { status: "completed", output, time: {}, ...more });
const PICTURE: Json = { type: "file", mime: "image/png", url: "data:image/png;base64,AAAA" };

describe("1: what a compaction leaves", () => {
  const compaction = (more: Json = {}): Json => ({ type: "compaction", auto: false, ...more });
  const summaryOf = (id: string, parentID: string, more: Json = {}): MessageOf =>
    answer(id, [text("In short.")], { summary: true, parentID, ...more });

  test("is the newest compaction, its summary and what follows", () => {
    const before = [user("m1", text("one")), user("m2", compaction()), summaryOf("m3", "m2")];
    const view = viewOf([
      ...before,
      user("m4", compaction()),
      summaryOf("m5", "m4"),
      user("m6", text("two")),
    ]);
    expect(view).toEqual(["user: What did we do so far?", "assistant: In short.", "user: two"]);
  });

  test("puts the kept messages after the summary", () => {
    const kept = [user("m2", text("two")), answer("m3", [text("dos")])];
    const compacted = [user("m4", compaction({ tail_start_id: "m2" })), summaryOf("m5", "m4")];
    expect(viewOf([user("m1", text("one")), ...kept, ...compacted, user("m6", text("three"))])).toEqual([
      "user: What did we do so far?",
      "assistant: In short.",
      "user: two",
      "assistant: dos",
      "user: three",
    ]);
  });

  test.each([
    ["is not there yet", []],
    ["failed", [summaryOf("m3", "m2", { error: { name: "APIError", data: {} } })]],
    ["is not finished", [summaryOf("m3", "m2", { finish: undefined })]],
    ["answers another message", [summaryOf("m3", "m9")]],
  ])("is everything where the summary %s", (_why, summary) => {
    const view = viewOf([user("m1", text("one")), user("m2", compaction()), ...summary]);
    expect(view.slice(0, 2)).toEqual(["user: one", "user: What did we do so far?"]);
  });
});

describe("2: answers that are left out", () => {
  const error = (name: string): Json => ({ error: { name, data: { message: "cold" } } });

  test("those that ended in an error, with any content", () => {
    expect(viewOf([user("m1", text("one")), answer("m2", [text("uno")], error("APIError"))])).toEqual([
      "user: one",
    ]);
  });

  test("an answer keeps the text that came before the person stopped it", () => {
    const stopped = answer("m2", [{ type: "step-start" }, text("uno")], error("MessageAbortedError"));
    expect(viewOf([stopped])).toEqual(["assistant: uno"]);
  });

  test("a stopped answer that has only thinking is left out", () => {
    const stopped = answer("m2", [{ type: "step-start" }, reasoning("hm")], error("MessageAbortedError"));
    expect(viewOf([stopped])).toEqual([]);
  });

  test("messages without content are left out", () => {
    expect(viewOf([user("m1"), answer("m2", []), answer("m3", [{ type: "step-start" }])])).toEqual([]);
  });
});

test("3: of a user message, the texts and files that no other part repeats", () => {
  const parts = [
    text("one"),
    text("", {}),
    text("between us", { ignored: true }),
    text("added", { synthetic: true }),
    PICTURE,
    { type: "file", mime: "text/plain", url: "file:///a" },
    { type: "file", mime: "application/x-directory", url: "file:///b" },
    { type: "file", mime: "application/pdf", url: "data:application/pdf;base64,AAAA" },
    { type: "agent", name: "general" },
    { type: "subtask", prompt: "p", description: "d", agent: "general" },
    { type: "of a version to come" },
  ];
  expect(viewOf([user("m1", ...parts)])).toEqual([
    "user: one",
    "user: added",
    "user: <image>",
    "user: <file>",
    "user: The following tool was executed by the user",
  ]);
});

test("4: thinking goes back to the model that produced it; another model receives it as text", () => {
  const said = [reasoning("hm"), text("uno"), reasoning(" ")];
  const own = answer("m2", said);
  const other = answer("m3", said, { modelID: "k0" });
  expect(viewOf([user("m1", text("one")), own, other])).toEqual([
    "user: one",
    "assistant thinks: hm",
    "assistant: uno",
    "assistant thinks:  ",
    "assistant: hm",
    "assistant: uno",
  ]);
});

test("4: an empty text next to thinking that Anthropic signed becomes a space", () => {
  const signed = reasoning("hm", { metadata: { anthropic: { signature: "s" } } });
  expect(viewOf([answer("m1", [signed, text("")])])).toEqual(["assistant thinks: hm", "assistant:  "]);
});

test("5: results that were pruned, missing or interrupted", () => {
  const parts = [
    completed("c1", "long ago", { time: { compacted: 7 } }),
    call("c2", { status: "running" }),
    completed("c3", "fine"),
    call("c4", { status: "error", error: "no", time: {} }),
    call("c5", { status: "error", error: "stopped", metadata: { interrupted: true, output: "half" } }),
    call("c6", { status: "error", error: "stopped", metadata: { interrupted: true } }),
    call("c7", { status: "pending", raw: '{"a' }),
  ];
  expect(viewOf([answer("m1", parts)])).toEqual([
    ...[1, 2, 3, 4, 5, 6, 7].map((number) => `assistant calls read c${number}`),
    "tool gives c1: [Old tool result content cleared]",
    "tool fails c2: [Tool execution was interrupted]",
    "tool gives c3: fine",
    "tool fails c4: no",
    "tool gives c5: half",
    "tool fails c6: stopped",
    "tool fails c7: [Tool execution was interrupted]",
  ]);
});

test("5: steps of one message follow each other, each with its results", () => {
  const step = { type: "step-start" };
  const parts = [step, text("first"), completed("c1", "a"), step, text("second"), completed("c1", "b"), step];
  expect(viewOf([answer("m1", parts)])).toEqual([
    "assistant: first",
    "assistant calls read c1",
    "tool gives c1: a",
    "assistant: second",
    "assistant calls read c1",
    "tool gives c1: b",
  ]);
});

test.each([
  ["kettle", ["tool gives c1: seen", "user: Attached media from tool result:", "user: <image>"]],
  ["anthropic", ["tool gives c1: seen + image"]],
  ["openai", ["tool gives c1: seen + image"]],
  ["amazon-bedrock", ["tool gives c1: seen + image"]],
])("6: a picture in a result, for %s", (providerID, sent) => {
  const asked = { ...user("m1", text("one")), data: { role: "user", model: { providerID, modelID: "m" } } };
  const seen = answer("m2", [completed("c1", "seen", { attachments: [PICTURE] })], {
    providerID,
    modelID: "m",
  });
  expect(viewOf([asked, seen])).toEqual(["user: one", "assistant calls read c1", ...sent]);
});
