import type { Block, Message } from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import { modelView } from "./model-view.ts";

const said = (id: string, message: Partial<Message> & Pick<Message, "role">): Message => ({
  id,
  content: [{ type: "text", text: id }],
  metadata: { records: [{ line: 1 }] },
  ...message,
});
const user = (id: string): Message => said(id, { role: "user", origin: "person" });
const agent = (id: string, content?: Block[]): Message =>
  said(id, { role: "assistant", origin: "agent", ...(content && { content }) });
const call = (id: string): Block => ({ type: "tool_call", id, name: "Bash", args: { command: "ls" } });
const result = (id: string): Message =>
  said(`out-${id}`, {
    role: "tool",
    toolCallId: id,
    content: [{ type: "tool_result", toolCallId: id, content: [], isError: false }],
  });
const injected = (id: string, text: string): Message =>
  said(id, { role: "user", origin: "injected", content: [{ type: "text", text }] });
const unknown = (type: string): Message =>
  said(type, { role: "user", origin: "injected", content: [{ type: "unknown", raw: { type } }] });

const idsOf = (messages: readonly Message[]): string[] => messages.map(({ id }) => id);

describe("modelView of Codex", () => {
  test("messages, calls and results are sent unchanged in the order of the file", () => {
    const history = [user("q"), agent("a", [call("c"), call("d")]), result("d"), result("c"), agent("z")];
    expect(modelView(history)).toEqual(history);
  });

  test("records only for the interface are left out", () => {
    const shown = said("shown", { role: "assistant", metadata: { codex: { displayOnly: true } } });
    const failed = said("failed", { role: "assistant", origin: "error" });
    const note = said("note", { role: "user", origin: "notification" });
    expect(modelView([user("q"), shown, failed, note])).toEqual([user("q")]);
  });

  test("system and developer messages, environment, instructions and tool lists are left out", () => {
    const history = [
      said("developer", { role: "system", origin: "injected" }),
      injected("env", "<environment_context>\n</environment_context>"),
      injected("rules", "# AGENTS.md instructions for /home/dev"),
      unknown("additional_tools"),
      user("q"),
    ];
    expect(modelView(history)).toEqual([user("q")]);
  });

  test("notes of interrupted turns, messages between agents and sealed summaries are sent", () => {
    const history = [injected("stop", "<turn_aborted>\n"), unknown("agent_message"), unknown("compaction")];
    expect(modelView(history)).toEqual(history);
  });

  test("an item of a type that Codex does not know is left out", () => {
    expect(modelView([unknown("hologram"), user("q")])).toEqual([user("q")]);
  });

  test("a compaction with a replacement replaces everything before it by the content of its record", () => {
    const replacement = [
      { ...user("kept"), metadata: {} },
      { ...said("sum", { role: "user", origin: "summary" }), metadata: {} },
    ];
    const compaction = said("compacted", {
      role: "user",
      origin: "summary",
      metadata: { records: [{ line: 9 }], codex: { replacement } },
    });
    expect(modelView([user("q"), agent("a"), compaction, user("next")])).toEqual([
      ...replacement.map((each) => ({ ...each, metadata: { records: [{ line: 9 }] } })),
      user("next"),
    ]);
  });

  test("a compaction with only a message keeps the user's messages, also earlier summaries", () => {
    const first = said("first", { role: "user", origin: "summary" });
    const second = said("second", { role: "user", origin: "summary" });
    const shown = said("shown", {
      role: "user",
      origin: "person",
      metadata: { codex: { displayOnly: true } },
    });
    const history = [
      user("q"),
      agent("a"),
      shown,
      first,
      user("r"),
      agent("b"),
      second,
      user("s"),
      agent("c"),
    ];
    expect(idsOf(modelView(history))).toEqual(["q", "first", "r", "second", "s", "c"]);
  });

  test("a call without a result gets the result `aborted`, directly after the call", () => {
    const view = modelView([agent("a", [call("lost"), call("c"), call("last")]), result("c")]);
    expect(
      view.map(({ role, content }) => [
        role,
        content.map((block) => ("id" in block ? block.id : block.type)),
      ]),
    ).toEqual([
      ["assistant", ["lost"]],
      ["tool", ["tool_result"]],
      ["assistant", ["c", "last"]],
      ["tool", ["tool_result"]],
      ["tool", ["tool_result"]],
    ]);
    expect(view[1]).toEqual({
      id: "a.lost.aborted",
      role: "tool",
      toolCallId: "lost",
      toolName: "Bash",
      toolInput: { command: "ls" },
      toolOutput: "aborted",
      content: [
        {
          type: "tool_result",
          toolCallId: "lost",
          content: [{ type: "text", text: "aborted" }],
          isError: true,
          status: "interrupted",
        },
      ],
      metadata: {},
    });
    expect(new Set(idsOf(view)).size).toBe(view.length);
  });

  test("each later part of a divided message names the message", () => {
    const lost = agent("a", [call("one"), call("two"), call("three")]);
    const flags = modelView([lost]).flatMap(({ role, id, metadata }) =>
      role === "assistant" ? [[id, metadata.codex]] : [],
    );
    expect(flags).toEqual([
      ["a", lost.metadata.codex],
      ["a.2", { partOf: "a" }],
      ["a.4", { partOf: "a" }],
    ]);
  });

  test("a call that the vendor ran needs no result", () => {
    const search: Block = { type: "tool_call", id: "ws", name: "web_search", args: {}, ranBy: "model" };
    expect(modelView([agent("a", [search])])).toEqual([agent("a", [search])]);
  });

  test("a result without a call is left out", () => {
    expect(modelView([user("q"), result("nobody")])).toEqual([user("q")]);
  });

  test("the history is not changed", () => {
    const history = [agent("a", [call("lost")]), result("nobody")];
    const copy = structuredClone(history);
    modelView(history);
    expect(history).toEqual(copy);
  });
});
