import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import type { Block, Message } from "../../model/index.ts";
import { messageToHtml, turnTitle } from "./index.ts";
import { markdownToHtml } from "./markdown.ts";

function message(content: readonly Block[], more: Partial<Message> = {}): Message {
  return { id: "m", role: "assistant", content, metadata: {}, ...more };
}

const html = (text: string): string => markdownToHtml(text).trim();

describe("Markdown keeps its structure, and the session's markup is text", () => {
  test.each([
    ["**bold** and `code`", "<p><strong>bold</strong> and <code>code</code></p>"],
    ["<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"],
    ["<pre> <img src=x onerror=a //", "&lt;pre&gt; &lt;img src=x onerror=a //"],
    ["a <code> <img src=x //", "<p>a &lt;code&gt; &lt;img src=x //</p>"],
    ["[a](javascript:b)", '<p>a <span class="address">(javascript:b)</span></p>'],
    [
      "![a](https://e.example/b.png)",
      '<p><span class="address">[image a: https://e.example/b.png]</span></p>',
    ],
    [
      "[a](https://e.example/)",
      '<p><a href="https://e.example/" rel="noopener noreferrer nofollow" title="https://e.example/">a</a></p>',
    ],
    ["```js\n<b>\n```", '<pre data-language="typescript"><code>&lt;b&gt;</code></pre>'],
    ['```"x\n<b>\n```', "<pre><code>&lt;b&gt;</code></pre>"],
    ["&lt;", "<p>&amp;lt;</p>"],
    ["\\<b>", "<p>&lt;b&gt;</p>"],
  ])("%j", (text, expected) => expect(html(text)).toBe(expected));

  test("what nests too deep, or has too long a paragraph, is shown as it is", () => {
    const deep = ">".repeat(20_000);
    expect(html(deep)).toBe(`<pre class="plain">${"&gt;".repeat(20_000)}</pre>`);
    expect(html(`*a* ${"x".repeat(10_000)}`)).toMatch(/^<pre class="plain">\*a\*/u);
    expect(html(`*a*\n\n${"x\n\n".repeat(5_000)}`)).toMatch(/^<p><em>a<\/em><\/p>/u);
  });
});

/** Letters that markup is made of, and pieces of it. */
const hostile = fc
  .array(
    fc.constantFrom(
      "<",
      ">",
      '"',
      "'",
      "&",
      "`",
      "```\n",
      "\n",
      "\n\n",
      "[",
      "](",
      ")",
      "!",
      "|",
      "- ",
      "> ",
      "#",
      "*",
      "_",
      "~~",
      "\\",
      " ",
      "x",
      "<pre>",
      "</pre>",
      "<code>",
      "<script>",
      "</script>",
      "<!--",
      "-->",
      "<img src=x onerror=a>",
      "javascript:a",
      "https://e",
      "data:a",
      "\n---\n",
      "|-|",
      "    ",
      "\t",
      "&lt;",
      "]: ",
    ),
    { maxLength: 40 },
  )
  .map((pieces) => pieces.join(""));

/** Tags that this code and the parser write; all else must be escaped. */
const OWN_TAG =
  /<\/?(?:p|strong|em|del|code|pre|h[1-6]|ul|li|blockquote|table|thead|tbody|tr|article|header|b|bdi|wbr|span class="(?:address|model|del|ins|gap)"|span|p class="path"|pre class="diff"(?: data-language="[a-z]+")?|pre(?: class="(?:input|output|command)")?(?: data-language="[a-z]+")?|div class="text"|div|details class="[a-z]+"(?: open)?|details|summary|br|hr|pre class="plain"|p class="note"|article class="[a-z]+"|ol(?: start="\d+")?|t[hd](?: align="[a-z]+")?|input (?:checked="" )?disabled="" type="checkbox"|a href="(?:https?:|mailto:)[^"<>]*" rel="noopener noreferrer nofollow" title="[^"<>]*"|a)>/giu;

test("property: no tag and no attribute comes from a session", () => {
  const kinds = fc.constantFrom<Block["type"]>("text", "thinking");
  fc.assert(
    fc.property(hostile, kinds, fc.constantFrom<Message["role"]>("user", "assistant"), (text, type, role) => {
      const block = type === "text" ? { type: "text" as const, text } : { type: "thinking" as const, text };
      const rest = messageToHtml(message([block], { role })).replace(OWN_TAG, "");
      expect(rest).not.toMatch(/[<>]/u);
    }),
    { numRuns: rounds(2000) },
  );
});

describe("blocks", () => {
  const image = (mimeType: string, data: string): string =>
    messageToHtml(message([{ type: "image", mimeType, data }]));

  test("images of kinds that nothing runs from are in the page; others are named", () => {
    expect(image("image/png", "aGk=")).toContain('<img alt="image" src="data:image/png;base64,aGk=">');
    expect(image("image/svg+xml", "aGk=")).not.toContain("<img");
    expect(image('image/png"', "aGk=")).not.toContain("<img");
    expect(image("image/png", '"onerror="a')).not.toContain("<img");
  });

  test("what a person typed stays as typed", () => {
    const typed = message([{ type: "text", text: "*a*\n  b" }], { role: "user" });
    expect(messageToHtml(typed)).toContain('<div class="text"><p>*a*<br>  b</p>\n</div>');
  });

  test("calls, results and thinking are folded; a result says whose it is", () => {
    const call = message([{ type: "tool_call", id: "t", name: "Bash", args: { command: "ls <a>" } }]);
    expect(messageToHtml(call)).toContain(
      '<details class="call"><summary>Tool call <b><bdi>Bash</bdi></b> <code><bdi>ls &lt;a&gt;</bdi></code></summary>',
    );
    const content = [{ type: "text" as const, text: "one\ntwo\n" }];
    const result = message([{ type: "tool_result", toolCallId: "t", content, isError: true }], {
      role: "tool",
      toolName: "Bash",
    });
    expect(messageToHtml(result)).toBe(
      '<article class="tool">\n<details class="error"><summary>Result of <b><bdi>Bash</bdi></b>: error, 2 lines</summary><pre>one\ntwo\n</pre></details>\n</article>\n',
    );
  });

  test("injected text is in a fold of its own", () => {
    const injected = message([{ type: "text", text: "remember" }], { role: "user", origin: "injected" });
    expect(messageToHtml(injected)).toMatch(
      /^<details class="hidden"><summary>Injected for the model<\/summary>/u,
    );
  });
});

test.each<[string, Message, string | null]>([
  ["the first words", message([{ type: "text", text: "a\n\n b\u200f c" }], { role: "user" }), "a b c"],
  ["shortened", message([{ type: "text", text: "é".repeat(90) }], { role: "user" }), `${"é".repeat(79)}…`],
  [
    "a picture",
    message([{ type: "image", mimeType: "image/png", data: "aGk=" }], { role: "user" }),
    "[image png, 2 B]",
  ],
  ["nothing of an agent", message([{ type: "text", text: "a" }]), null],
])("the title of a turn: %s", (_, said, title) => {
  expect(turnTitle(said)).toBe(title);
});

describe("differences", () => {
  const drawn = (args: Readonly<Record<string, unknown>>, rawArgs?: string): string =>
    messageToHtml(
      message([
        { type: "tool_call", id: "t", name: "x", args, ...(rawArgs === undefined ? {} : { rawArgs }) },
      ]),
    );
  const patch = "*** Begin Patch\n*** Update File: a/b.sql\n@@\n one\n--- two\n+<three>\n*** End Patch\nEOF";
  const shown =
    '<p class="path"><bdi>a/<wbr>b.sql</bdi></p><pre class="diff">  one\n<span class="del">- -- two</span>\n<span class="ins">+ &lt;three&gt;</span></pre>';

  test.each<[string, Readonly<Record<string, unknown>>, string | undefined]>([
    ["apply_patch as text", {}, patch],
    ["apply_patch in a field", { input: patch }, undefined],
    ["apply_patch in a command", { command: ["bash", "-lc", `apply_patch <<'EOF'\n${patch}`] }, undefined],
  ])("%s", (_, args, rawArgs) => {
    expect(drawn(args, rawArgs)).toContain(`<details class="call" open><summary>`);
    expect(drawn(args, rawArgs)).toContain(shown);
    expect(drawn(args, rawArgs)).toContain("<summary>Whole input</summary>");
  });

  test.each([
    ["Claude Code", { file_path: "/a", old_string: "x\ny", new_string: "x\nz" }],
    ["opencode", { filePath: "/a", oldString: "x\ny", newString: "x\nz" }],
    ["pi", { path: "/a", edits: [{ oldText: "x\ny", newText: "x\nz" }] }],
  ])("an edit of %s", (_, args) => {
    expect(drawn(args)).toContain(
      '<pre class="diff">  x\n<span class="del">- y</span>\n<span class="ins">+ z</span></pre>',
    );
  });

  test("a long one is folded with its call, and no mark of direction is kept in it", () => {
    const content = Array.from({ length: 60 }, (_, at) => `line ${at} \u202e`).join("\n");
    expect(drawn({ file_path: "/a", content })).toContain('<details class="call"><summary>');
    expect(drawn({ file_path: "/a", content })).toContain('<span class="ins">+ line 0 &lt;U+202E&gt;</span>');
  });
});

test("direction marks stay in spoken text without overrides, and are spelled out in commands", () => {
  const both = message([
    { type: "text", text: "a\u200fb \u202bc\u202ed" },
    { type: "tool_call", id: "t", name: "x", args: { command: "a\u202eb" } },
  ]);
  expect(messageToHtml(both)).toContain("a\u200fb \u2068\u202bc&lt;U+202E&gt;d\u202c\u2069");
  expect(messageToHtml(both)).toContain("a&lt;U+202E&gt;b");
});
