import fc from "fast-check";
import { lexer } from "marked";
import { expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import type { Block, Message } from "../../model/index.ts";
import { isTooLongForMarkdown, messageToMarkdown } from "./markdown.ts";

function message(content: readonly Block[], more: Partial<Message> = {}): Message {
  return { id: "m", role: "assistant", content, metadata: {}, ...more };
}

test("every kind of block, in full", () => {
  const markdown = messageToMarkdown(
    message(
      [
        { type: "thinking", text: "hm" },
        { type: "text", text: "Some **bold** words.\n\n- a list\n\n```sh\nls\n```" },
        { type: "tool_call", id: "c", name: "Bash", args: { command: "ls" } },
        { type: "image", mimeType: "image/png", data: "AAAA".repeat(1024) },
        { type: "unknown", raw: { type: "new" } },
      ],
      { model: "m-1", timestamp: "2026-01-05T10:00:00.000Z" },
    ),
    { tools: "full" },
  );
  expect(markdown).toBe(`## Assistant · \`m-1\` · 2026-01-05T10:00:00.000Z

### Thinking

\`\`\`text
hm
\`\`\`

Some **bold** words.

- a list

\`\`\`sh
ls
\`\`\`

### Tool call \`Bash\`

\`\`\`json
{
  "command": "ls"
}
\`\`\`

\`[image png, 3 KB]\`

### Unknown block

\`\`\`json
{
  "type": "new"
}
\`\`\`

`);
});

test("a result, short: its status, its beginning, and how much is hidden", () => {
  const text = Array.from({ length: 20 }, (_, at) => `line ${at + 1}`).join("\n");
  const markdown = messageToMarkdown(
    message([{ type: "tool_result", toolCallId: "c", isError: true, content: [{ type: "text", text }] }], {
      role: "tool",
      toolCallId: "c",
      toolName: "Bash",
    }),
    { tools: "short" },
  );
  const shown = text.split("\n").slice(0, 12).join("\n");
  expect(markdown).toBe(
    `## Tool result · \`Bash\`\n\n**error**\n\n\`\`\`text\n${shown}\n\`\`\`\n\n*(8 more lines)*\n\n`,
  );
});

test("tools none: a message with only tool calls is not shown", () => {
  const call: Block = { type: "tool_call", id: "c", name: "Bash", args: {} };
  expect(messageToMarkdown(message([call]), { tools: "none" })).toBe("");
});

test.each<readonly [string, Partial<Message>]>([
  ["User", { role: "user" }],
  ["Injected · system", { role: "system" }],
  ["Injected · user", { role: "user", origin: "injected" }],
  ["Summary of what came before", { role: "user", origin: "summary" }],
  ["Error · `m-1`", { origin: "error", model: "m-1" }],
  ["Tool result", { role: "tool" }],
  ["Assistant", { toolName: "Bash" }],
])("a message has the heading %j", (heading, more) => {
  expect(messageToMarkdown(message([], more), { tools: "none" })).toBe(`## ${heading}\n\n`);
});

const RESULT = { type: "tool_result", toolCallId: "c", isError: false, content: [] } as const;

function lines(count: number): Block {
  return { ...RESULT, content: [{ type: "text", text: "x\n".repeat(count) }] };
}

test.each<readonly [string, Block, "full" | "short" | "none", string]>([
  ["hidden thinking", { type: "thinking", text: "" }, "none", "### Thinking\n\n*(hidden by the vendor)*"],
  [
    "the text of a file",
    { type: "file", mimeType: "a/b", text: "x" },
    "none",
    "`[file a/b]`\n\n```text\nx\n```",
  ],
  ["a text of white space", { type: "text", text: " \n" }, "none", ""],
  ["a wild text", { type: "text", text: "# a" }, "none", "```markdown\n# a\n```"],
  [
    "a short call",
    { type: "tool_call", id: "c", name: "a", args: { path: "b" } },
    "short",
    "**Tool call** `a` `b`",
  ],
  [
    "a short call of nothing",
    { type: "tool_call", id: "c", name: "a", args: {} },
    "short",
    "**Tool call** `a`",
  ],
  [
    "an argument of 200 characters",
    { type: "tool_call", id: "c", name: "a", args: { path: "b".repeat(200) } },
    "short",
    `**Tool call** \`a\` \`${"b".repeat(200)}\``,
  ],
  [
    "an argument of 201 characters",
    { type: "tool_call", id: "c", name: "a", args: { path: "b".repeat(201) } },
    "short",
    `**Tool call** \`a\` \`${"b".repeat(199)}…\``,
  ],
  ["an empty result", RESULT, "full", "*(no output)*"],
  ["a denied result", { ...RESULT, status: "denied" }, "short", "**denied**\n\n*(no output)*"],
  ["a full result", lines(13), "full", `\`\`\`text\n${"x\n".repeat(13)}\`\`\``],
  [
    "a full result that failed",
    { ...lines(1), isError: true } as Block,
    "full",
    "**error**\n\n```text\nx\n```",
  ],
  ["a result of 12 lines", lines(12), "short", `\`\`\`text\n${"x\n".repeat(12)}\`\`\``],
  ["a result of 13 lines", lines(13), "short", `\`\`\`text\n${"x\n".repeat(12)}\`\`\`\n\n*(1 more lines)*`],
])("Markdown of %s", (_, block, tools, markdown) => {
  const shown = messageToMarkdown(message([block]), { tools });
  expect(shown).toBe(`## Assistant\n\n${markdown === "" ? "" : `${markdown}\n\n`}`);
});

test("tools none: a message with only results is not shown, and one with a text as well is", () => {
  expect(messageToMarkdown(message([RESULT]), { tools: "none" })).toBe("");
  expect(messageToMarkdown(message([RESULT, { type: "text", text: "a" }]), { tools: "none" })).toBe(
    "## Assistant\n\na\n\n",
  );
});

test.each([
  ["a text of 10,000 characters", "x".repeat(10_000), false],
  ["a paragraph of 10,001", "x".repeat(10_001), true],
  ["paragraphs of 10,000", `${"x".repeat(10_000)}\n \t\n${"x".repeat(10_000)}`, false],
  ["a second paragraph of 10,001", `x\n\n${"x".repeat(10_001)}`, true],
  ["200,000 characters in paragraphs", "123456789\n\n".repeat(20_000).slice(0, 200_000), false],
  ["200,001 characters in paragraphs", "123456789\n\n".repeat(20_000).slice(0, 200_001), true],
])("whether it takes too long to parse %s", (_, text, isTooLong) => {
  expect(isTooLongForMarkdown(text)).toBe(isTooLong);
});

test.each([
  "## User · 2026\n\nI am the person",
  "User\n====",
  "- ## User",
  "```\nunclosed",
  "``` a`b\n```\nunclosed",
  "<h2>User</h2>",
  "<!-- swallow the rest",
  "![track me](http://example.invalid/x.png)",
  "[ref]: http://example.invalid",
  "---",
])("text that could change what is around it stands in a code block: %j", (text) => {
  const tokens = lexer(messageToMarkdown(message([{ type: "text", text }]), { tools: "full" }));
  expect(tokens.map(({ type }) => type).filter((type) => type !== "space")).toEqual(["heading", "code"]);
  expect(tokens.find(({ type }) => type === "code")).toMatchObject({ text });
});

const hostile = fc
  .array(
    fc.constantFrom(
      "## User",
      "```",
      "````",
      "~~~",
      "`",
      "\n",
      "\n\n",
      "- ",
      "> ",
      "    ",
      "\t",
      "# ",
      "---",
      "===",
      "1. ",
      "<h2>",
      "<!--",
      "[a]: b",
      "text",
      "\r",
      " ",
    ),
    { maxLength: 14 },
  )
  .map((pieces) => pieces.join(""));

test("no text, thinking, call or result can make a heading of a message", () => {
  fc.assert(
    fc.property(hostile, hostile, (text, name) => {
      const messages = [
        message([
          { type: "text", text },
          { type: "thinking", text },
        ]),
        message([{ type: "tool_call", id: "c", name, args: { command: text } }]),
        message(
          [{ type: "tool_result", toolCallId: "c", isError: false, content: [{ type: "text", text }] }],
          {
            role: "tool",
            toolName: name,
            model: name,
          },
        ),
        message([{ type: "text", text: "the end" }], { role: "user" }),
      ];
      const whole = messages.map((each) => messageToMarkdown(each, { tools: "full" })).join("");
      const headings = lexer(whole).filter((token) => token.type === "heading" && token.depth <= 2);
      expect(headings.map(({ raw }) => /^## [A-Z][a-z]+(?: result)?/u.exec(raw)?.[0])).toEqual([
        "## Assistant",
        "## Assistant",
        "## Tool result",
        "## User",
      ]);
      // Nothing swallowed the end.
      expect(lexer(whole).findLast((token) => token.type !== "space")).toMatchObject({
        type: "paragraph",
        text: "the end",
      });
    }),
    { numRuns: rounds(2000) },
  );
});
