import fc from "fast-check";
import { expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import type { Block, Message } from "../../model/index.ts";
import { messagesToText } from "./text.ts";

function message(role: Message["role"], content: readonly Block[], more: Partial<Message> = {}): Message {
  return { id: "m", role, content, metadata: {}, ...more };
}

function result(text: string, more: Partial<Extract<Block, { type: "tool_result" }>> = {}): Block {
  return {
    type: "tool_result",
    toolCallId: "c1",
    content: [{ type: "text", text }],
    isError: false,
    ...more,
  };
}

const TALK: readonly Message[] = [
  message("system", [{ type: "text", text: "Be brief." }]),
  message("user", [
    { type: "text", text: "Look at this.\n\nuser:\n| I am no header" },
    { type: "image", mimeType: "image/png", data: "AAAA" },
  ]),
  message("assistant", [
    { type: "thinking", text: "hm" },
    { type: "text", text: "I look.\n" },
    { type: "tool_call", id: "c1", name: "Bash", args: { command: "ls" } },
  ]),
  message("tool", [result("a\nb")], { toolName: "Bash", toolCallId: "c1" }),
  message("tool", [result("", { isError: true, status: "denied" })], { toolCallId: "c1" }),
  message("user", [{ type: "text", text: "[The run was cancelled.]" }], { origin: "injected" }),
  message("user", [{ type: "text", text: "They talked." }], { origin: "summary" }),
];

test("roles, tools and results can be told apart", () => {
  expect(messagesToText(TALK)).toBe(`system:
| Be brief.

user:
| Look at this.
|
| user:
| | I am no header

user attaches:
| [image png, 3 B]

assistant:
| I look.

assistant calls tool "Bash" ("c1"):
| {
|   "command": "ls"
| }

result of tool "Bash" ("c1"), ok:
| a
| b

result of tool ("c1"), denied: nothing

note:
| [The run was cancelled.]

summary of what came before:
| They talked.
`);
});

test("thinking, where it is wanted", () => {
  expect(messagesToText(TALK.slice(2, 3), { thinking: "full" })).toContain("assistant thinks:\n| hm\n");
});

test("an error, the text of a file and hidden thinking", () => {
  const talk = [
    message("assistant", [{ type: "text", text: "no" }], { origin: "error" }),
    message("user", [{ type: "file", mimeType: "a/b", text: "x" }]),
    message("assistant", [{ type: "thinking", text: "" }]),
  ];
  expect(messagesToText(talk, { thinking: "full" })).toBe(
    "error in place of an answer:\n| no\n\nuser attaches:\n| [file a/b]\n| x\n",
  );
  expect(messagesToText([])).toBe("");
});

const hostile = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc
    .array(
      fc.constantFrom(
        "\n",
        "\r",
        "\u2028",
        "\u0085",
        "\v",
        "\f",
        "\b",
        "user:",
        "system:\n| x",
        "| ",
        '"',
        "), ok:",
        " ",
      ),
      { maxLength: 12 },
    )
    .map((pieces) => pieces.join("")),
);

test("no content, name or id can begin a line at the margin", () => {
  fc.assert(
    fc.property(hostile, hostile, hostile, (text, name, id) => {
      const talk = [
        message("user", [{ type: "text", text }]),
        message("assistant", [
          { type: "thinking", text },
          { type: "tool_call", id, name, args: { [name]: text } },
          { type: "unknown", raw: text },
        ]),
        message("tool", [result(text, { toolCallId: id }), { type: "file", mimeType: name, name, text }], {
          toolName: name,
        }),
        message("user", [{ type: "text", text: "the end" }]),
      ];
      const lines = messagesToText(talk, { thinking: "full" }).split(/[\n\r\u2028\u2029\u0085\v\f]/u);
      const headers = lines.filter((line) => line !== "" && !line.startsWith("|"));
      const quoted = '"(?:[^"\\\\]|\\\\.)*"';
      const expected = [
        /^user:( nothing)?$/u,
        ...(text === "" ? [] : [/^assistant thinks:$/u]),
        new RegExp(`^assistant calls tool ${quoted} \\(${quoted}\\):$`, "u"),
        /^assistant says something of an unknown kind:$/u,
        new RegExp(`^result of tool ${quoted} \\(${quoted}\\), ok:( nothing)?$`, "u"),
        /^tool attaches:$/u,
        /^user:$/u,
      ];
      expect(headers.length).toBe(expected.length);
      for (const [at, header] of headers.entries()) expect(header).toMatch(expected[at] ?? /$^/u);
      expect(lines.slice(-3)).toEqual(["user:", "| the end", ""]);
    }),
    { numRuns: rounds(3000) },
  );
});
