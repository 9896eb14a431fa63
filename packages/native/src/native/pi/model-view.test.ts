/** Each rule of the model view by its number; the rules stand above `modelView`. */

import { type Block, type Message, textOf } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { modelView, NO_OUTPUT, NO_RESULT } from "./model-view.ts";

const text = (words: string): Block => ({ type: "text", text: words });
const call = (id: string, signature?: string): Block => ({
  type: "tool_call",
  id,
  name: "read",
  args: {},
  ...(signature === undefined ? {} : { signature }),
});
const thinking = (words: string, signature?: string): Block => ({
  type: "thinking",
  text: words,
  ...(signature === undefined ? {} : { signature }),
});

const user = (id: string, words = id, pi: object = {}): Message => ({
  id,
  role: "user",
  content: [text(words)],
  origin: "person",
  metadata: { pi },
});
const assistant = (id: string, content: readonly Block[], more: Partial<Message> = {}): Message => ({
  id,
  role: "assistant",
  content,
  model: "m1",
  stopReason: "stop",
  metadata: { pi: { provider: "p", api: "a" } },
  ...more,
});
const result = (id: string, toolCallId: string, words = "done"): Message => ({
  id,
  role: "tool",
  content: [{ type: "tool_result", toolCallId, content: [text(words)], isError: false, status: "ok" }],
  toolCallId,
  metadata: { pi: {} },
});
const compaction = (id: string, keptMessageId: string | null): Message => ({
  ...user(id, `summary ${id}`),
  origin: "summary",
  metadata: { pi: { type: "compaction", keptMessageId } },
});
const edit = (id: string, targetId: string, replacement: unknown): Message => ({
  id,
  role: "system",
  content: [text("…")],
  origin: "notification",
  metadata: { pi: { type: "context_edit", targetId, replacement } },
});
const choice = (id: string, provider: string, modelId: string): Message => ({
  ...edit(id, "", null),
  metadata: { pi: { type: "model_change", provider, modelId } },
});

/** `id: words`, a result with its words too. */
const shown = (messages: readonly Message[]): string[] =>
  messages.map((message) => {
    const [first] = message.content;
    const blocks = first?.type === "tool_result" ? first.content : message.content;
    return `${message.id}: ${textOf(blocks) || blocks.map((block) => block.type).join(" ")}`;
  });

describe("rule 1: the last compaction, what it keeps, what follows", () => {
  test("keeps from the message that it names", () => {
    const history = [user("a"), user("b"), user("c"), compaction("s", "b"), user("d")];
    expect(shown(modelView(history))).toEqual(["s: summary s", "b: b", "c: c", "d: d"]);
  });

  test("keeps nothing if it names no message, or one that does not exist", () => {
    for (const kept of [null, "x"]) {
      expect(shown(modelView([user("a"), compaction("s", kept), user("d")]))).toEqual([
        "s: summary s",
        "d: d",
      ]);
    }
  });

  test("an earlier compaction within the kept messages is left out", () => {
    const history = [user("a"), compaction("s", null), user("b"), compaction("t", "a"), user("c")];
    expect(shown(modelView(history))).toEqual(["t: summary t", "a: a", "b: b", "c: c"]);
  });
});

describe("rule 2: context edits", () => {
  test("an edit removes a message, or replaces its content", () => {
    const history = [
      user("a"),
      assistant("b", [text("b")]),
      edit("e", "a", null),
      edit("f", "b", { content: [{ type: "text", text: "other" }] }),
    ];
    expect(shown(modelView(history))).toEqual(["b: other"]);
  });

  test("the last edit of a message counts", () => {
    const history = [user("a"), edit("e", "a", null), edit("f", "a", { content: "back" })];
    expect(shown(modelView(history))).toEqual(["a: back"]);
  });

  test("the content of a result is replaced within the result", () => {
    const history = [assistant("a", [call("c1")]), result("b", "c1"), edit("e", "b", { content: "short" })];
    expect(modelView(history)[1]?.content).toEqual([
      { type: "tool_result", toolCallId: "c1", content: [text("short")], isError: false, status: "ok" },
    ]);
  });

  test("an edit that a compaction removed has no effect", () => {
    const history = [user("a"), user("b"), edit("e", "b", null), compaction("s", "b"), user("c")];
    expect(shown(modelView(history))).toEqual(["s: summary s", "c: c"]);
    const before = [edit("e", "b", null), user("b"), compaction("s", "b"), user("c")];
    expect(shown(modelView(before))).toEqual(["s: summary s", "b: b", "c: c"]);
  });

  test("a shell command and a summary cannot be replaced, but can be removed", () => {
    const bash = user("a", "Ran `ls`", { role: "bashExecution" });
    expect(shown(modelView([bash, edit("e", "a", { content: "x" })]))).toEqual(["a: Ran `ls`"]);
    expect(modelView([bash, edit("e", "a", null)])).toEqual([]);
  });
});

test("rule 3: system messages and notifications are left out", () => {
  const system: Message = { ...user("a"), role: "system", origin: "injected" };
  expect(shown(modelView([system, edit("e", "x", null), choice("m", "p", "m1"), user("b")]))).toEqual([
    "b: b",
  ]);
});

test("rule 4: a shell command that was to be kept from the model is left out", () => {
  const bash = (id: string, excludeFromContext?: boolean) =>
    user(id, id, {
      role: "bashExecution",
      ...(excludeFromContext === undefined ? {} : { excludeFromContext }),
    });
  expect(shown(modelView([bash("a", true), bash("b", false), bash("c")]))).toEqual(["b: b", "c: c"]);
});

test("rule 5: an interrupted answer is left out with its calls", () => {
  const history = [
    assistant("a", [text("half")], { stopReason: "aborted" }),
    assistant("b", [call("c1")], { stopReason: "error" }),
    assistant("c", [text("whole")], { stopReason: "length" }),
  ];
  expect(shown(modelView(history))).toEqual(["c: whole"]);
});

describe("rule 6: thinking and signatures of another model", () => {
  const thought = assistant("a", [
    thinking("hm", "sig"),
    { ...text("yes"), signature: "t" } as Block,
    call("c", "s"),
  ]);

  test("stay if the same model continues", () => {
    expect(modelView([thought, result("b", "c")])[0]?.content).toEqual(thought.content);
    expect(modelView([choice("m", "p", "m1"), thought, result("b", "c")])[0]?.content).toEqual(
      thought.content,
    );
  });

  test.each([
    ["another model was chosen", [choice("m", "p", "m2")]],
    ["the same model of another provider was chosen", [choice("m", "q", "m1")]],
    ["another model answered", [assistant("m", [text("I")], { model: "m2" })]],
  ])("go where %s", (_name, after) => {
    const view = modelView([thought, result("b", "c"), ...after]);
    expect(view[0]?.content).toEqual([text("yes"), call("c")]);
  });

  test("thinking without text and signature is left out, redacted thinking stays", () => {
    const redacted: Block = { type: "thinking", text: "", redacted: true, data: "x" };
    const history = [assistant("a", [thinking(" "), redacted, thinking("", "sig"), text("yes")])];
    expect(modelView(history)[0]?.content).toEqual([redacted, thinking("", "sig"), text("yes")]);
  });
});

describe("rule 7: every call has a result", () => {
  test("at the end", () => {
    const view = modelView([user("a"), assistant("b", [call("c1"), call("c2")]), result("r", "c2")]);
    expect(shown(view).slice(2)).toEqual(["r: done", `b#c1: ${NO_RESULT}`]);
    expect(view.at(-1)).toMatchObject({
      role: "tool",
      toolCallId: "c1",
      toolName: "read",
      toolOutput: NO_RESULT,
    });
  });

  test("before the next message that is not a result", () => {
    const view = modelView([assistant("a", [call("c1")]), user("b")]);
    expect(shown(view)).toEqual(["a: tool_call", `a#c1: ${NO_RESULT}`, "b: b"]);
  });

  test("a result without a call is sent", () => {
    expect(shown(modelView([result("r", "c9")]))).toEqual(["r: done"]);
  });
});

test("rule 8: empty texts, and messages that are then empty, are left out", () => {
  const history = [
    user("a", ""),
    user("b", " "),
    assistant("c", [text(" ")]),
    assistant("d", [thinking("only thinking")]),
    assistant("e", [text(""), call("c1")]),
    result("r", "c1", ""),
  ];
  expect(modelView(history).map(({ id, content }) => [id, content.length])).toEqual([
    ["b", 1],
    ["e", 1],
    ["r", 1],
  ]);
});

describe("rule 9: results without words", () => {
  const silent = (api: string, ...content: Block[]): readonly Message[] => [
    assistant("a", [call("c")], { metadata: { pi: { provider: "p", api } } }),
    {
      ...result("r", "c"),
      content: [{ type: "tool_result", toolCallId: "c", content, isError: false, status: "ok" }],
    },
  ];
  const picture: Block = { type: "image", mimeType: "image/png", data: "AAAA" };

  test.each([[[]], [[text("")]], [[text(" \n"), text("\t")]]])("%j becomes words", (content) => {
    expect(shown(modelView(silent("openai-completions", ...content)))[1]).toBe(`r: ${NO_OUTPUT}`);
  });

  test.each<[string, string, Block[]]>([
    ["over another API", "anthropic-messages", [text(" ")]],
    ["with a picture", "openai-responses", [text(""), picture]],
    ["with words", "openai-completions", [text(" x ")]],
  ])("stay as they are %s", (_why, api, content) => {
    const history = silent(api, ...content);
    expect(modelView(history)[1]).toBe(history[1]);
  });
});

test("rule 10: a text in markers is sent unchanged", () => {
  const native = { type: "text", text: "<thinking>hm</thinking>" };
  const history = [assistant("a", [{ type: "thinking", text: "hm", native }, text("yes")])];
  expect(modelView(history)[0]?.content).toEqual([text("<thinking>hm</thinking>"), text("yes")]);
});

test.each([null, 7, {}, undefined])(
  "rule 11: a call whose id is %j is sent without one, and gets a result",
  (id) => {
    const raw = { type: "toolCall", id, name: "read", arguments: { path: "one.md" } };
    const view = modelView([assistant("a", [{ type: "unknown", raw }, text("yes")]), user("b")]);
    expect(view[0]?.content[0]).toMatchObject({
      type: "tool_call",
      id: "",
      name: "read",
      args: { path: "one.md" },
    });
    expect(view[1]).toMatchObject({ role: "tool", toolCallId: "", toolOutput: NO_RESULT });
  },
);

test("a history is not changed by its view", () => {
  const history = [user("a"), assistant("b", [thinking("x"), call("c")]), edit("e", "a", { content: "y" })];
  const before = structuredClone(history);
  modelView(history);
  expect(history).toEqual(before);
});
