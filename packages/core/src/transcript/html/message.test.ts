import { describe, expect, test } from "vitest";
import type { Block, Message, ToolResultBlock } from "../../model/index.ts";
import { escapePath, escapeVisible } from "./escape.ts";
import { blockToHtml, type HtmlOptions, messageToHtml } from "./message.ts";

const PNG = { type: "image", mimeType: "image/png", data: "aGk=" } as const;
const IMG = '<img alt="image" src="data:image/png;base64,aGk=">';
const SVG = { type: "image", mimeType: "image/svg+xml", data: "aGk=" } as const;

function message(content: readonly Block[], more: Partial<Message> = {}): Message {
  return { id: "m", role: "assistant", content, metadata: {}, ...more };
}

function text(value: string): Block {
  return { type: "text", text: value };
}

function result(content: readonly Block[], more: Partial<ToolResultBlock> = {}): Block {
  return { type: "tool_result", toolCallId: "t", content, isError: false, ...more };
}

/** The HTML of one block within its message. */
function within(block: Block, more: Partial<Message> = {}): string {
  const html = messageToHtml(message([block], { role: "tool", ...more }));
  const [, body] = /^<article class="tool">\n(.*)\n<\/article>\n$/su.exec(html) ?? [];
  return body ?? `no article: ${html}`;
}

const PLAIN = '<div class="text"><pre class="plain">*a*</pre></div>';
const TYPED = '<div class="text"><p>*a*</p>\n</div>';
const MARKDOWN = '<div class="text"><p><em>a</em></p>\n</div>';

function article(attributes: string, name: string, body: string): string {
  return `<article ${attributes}>\n<header><b>${name}</b></header>\n${body}\n</article>\n`;
}

describe("the article of a message", () => {
  test.each<[Partial<Message>, HtmlOptions, string]>([
    [{ role: "user" }, {}, article('class="person"', "You", TYPED)],
    [{ role: "user" }, { place: "sub-agent" }, article('class="person"', "Task", TYPED)],
    [{ role: "assistant" }, { place: "sub-agent" }, article('class="agent"', "Assistant", MARKDOWN)],
    [
      { role: "user", origin: "summary" },
      {},
      article('class="summary"', "Summary of what came before", MARKDOWN),
    ],
    [{ origin: "error" }, {}, article('class="error"', "Error", PLAIN)],
    [{ stopReason: "end_turn" }, {}, article('class="agent"', "Assistant", MARKDOWN)],
    [
      { stopReason: "interrupted" },
      {},
      article('class="agent"', "Assistant", `${MARKDOWN}\n<p class="note">The answer was cut off here</p>`),
    ],
    [{ role: "tool" }, {}, `<article class="tool">\n${PLAIN}\n</article>\n`],
    [
      { role: "user", origin: "injected" },
      { injected: "open" },
      article('class="injected"', "Injected", PLAIN),
    ],
    [
      { role: "system" },
      {},
      '<details class="hidden"><summary>Injected for the model</summary>\n' +
        `${article('class="injected"', "Injected", PLAIN)}</details>\n`,
    ],
  ])("a message of %j with the options %j is one article", (who, options, html) => {
    expect(messageToHtml(message([text("*a*")], who), options)).toBe(html);
  });

  test("the head of a message shows its model and the minute of its time", () => {
    const more = { model: "<m>", timestamp: "2026-11-21T20:43:59Z" };
    expect(messageToHtml(message([], more))).toBe(
      '<article class="agent">\n<header><b>Assistant</b> <span class="model"><bdi>&lt;m&gt;</bdi></span> ' +
        '<time datetime="2026-11-21T20:43:59Z">2026-11-21 20:43</time></header>\n\n</article>\n',
    );
  });

  test("the blocks of a message stand in their order, each on a line of its own", () => {
    expect(messageToHtml(message([text("a"), PNG, text("b")], { role: "tool" }))).toBe(
      `<article class="tool">\n<div class="text"><pre class="plain">a</pre></div>\n${IMG}\n` +
        '<div class="text"><pre class="plain">b</pre></div>\n</article>\n',
    );
  });
});

describe("the blocks of a message", () => {
  const call = (args: Readonly<Record<string, unknown>>, name = "Bash"): Block => ({
    type: "tool_call",
    id: "t",
    name,
    args,
  });

  test.each<[string, Block, string]>([
    [
      "thinking",
      { type: "thinking", text: "<hm>" },
      '<details class="thinking"><summary>Thinking</summary>' +
        '<pre class="plain">&lt;hm&gt;</pre></details>',
    ],
    ["hidden thinking", { type: "thinking", text: "" }, '<p class="note">Thinking, hidden by the vendor</p>'],
    ["an image", PNG, IMG],
    ["an image that is not shown", SVG, '<p class="note">[image svg+xml, 2 B]</p>'],
    [
      "a file",
      { type: "file", mimeType: "text/x", name: "<a>" },
      '<p class="note">[file &lt;a&gt; text/x]</p>',
    ],
    [
      "a file with its text",
      { type: "file", mimeType: "text/x", name: "a", text: "<b>" },
      '<p class="note">[file a text/x]</p><details class="file"><summary>Text</summary>' +
        "<pre>&lt;b&gt;</pre></details>",
    ],
    [
      "an unknown block",
      { type: "unknown", raw: ["<x>"] },
      '<details class="unknown"><summary>Unknown block</summary>' +
        "<pre>[\n  &quot;&lt;x&gt;&quot;\n]</pre></details>",
    ],
    [
      "a call",
      call({ path: "/<a>" }, "<Read>"),
      '<details class="call"><summary>Tool call <b><bdi>&lt;Read&gt;</bdi></b> ' +
        "<code><bdi>/<wbr>&lt;a&gt;</bdi></code></summary>" +
        "<pre>{\n  &quot;path&quot;: &quot;/&lt;a&gt;&quot;\n}</pre></details>",
    ],
    [
      "a call without arguments",
      call({}),
      '<details class="call"><summary>Tool call <b><bdi>Bash</bdi></b></summary><pre>{}</pre></details>',
    ],
    [
      "a call with a long argument",
      { ...call({}), rawArgs: `${"x".repeat(200)}y` } as Block,
      `<details class="call"><summary>Tool call <b><bdi>Bash</bdi></b> ` +
        `<code><bdi>${"x".repeat(200)}</bdi></code></summary>` +
        `<pre>${"x".repeat(200)}y</pre></details>`,
    ],
  ])("%s has its own form", (_, block, html) => expect(within(block)).toBe(html));

  test.each<[Block, Partial<Message>, string]>([
    [result([]), {}, '<p class="note">Result: ok, no text</p>'],
    [
      result([text("a\n")]),
      {},
      '<details class="ok"><summary>Result: ok, 1 line</summary><pre>a\n</pre></details>',
    ],
    [
      result([text("a\n<b>")], { isError: true }),
      { toolName: "<T>" },
      '<details class="error"><summary>Result of <b><bdi>&lt;T&gt;</bdi></b>: error, 2 lines</summary>' +
        "<pre>a\n&lt;b&gt;</pre></details>",
    ],
    [
      result([text("\n\n")], { status: "denied" }),
      {},
      '<details class="denied"><summary>Result: denied, 2 lines</summary><pre>\n\n</pre></details>',
    ],
    [
      result([PNG, SVG, text("a"), PNG]),
      {},
      '<details class="ok"><summary>Result: ok, 4 lines</summary>' +
        "<pre>[image png, 2 B]\n[image svg+xml, 2 B]\na\n[image png, 2 B]</pre></details>" +
        `${IMG}\n\n${IMG}`,
    ],
  ])("the result %j says its status and its size", (block, more, html) => {
    expect(within(block, more)).toBe(html);
  });
});

describe("differences in a message", () => {
  const write = (args: Readonly<Record<string, unknown>>): string =>
    within({ type: "tool_call", id: "t", name: "Write", args });
  const inserted = (count: number): string =>
    Array.from({ length: count }, (_, at) => `<span class="ins">+ ${at}</span>`).join("\n");
  const written = (count: number) => ({
    file_path: "/a",
    content: Array.from({ length: count }, (_, at) => `${at}\n`).join(""),
  });

  test("a difference of at most 40 lines is open, and the name of its file is not repeated", () => {
    const drawn = (count: number, open: string): string =>
      `<details class="call"${open}><summary>Tool call <b><bdi>Write</bdi></b> ` +
      `<code><bdi>/<wbr>a</bdi></code></summary>` +
      `<pre class="diff">${inserted(count)}</pre><details class="input"><summary>Whole input</summary>`;
    expect(write(written(40)).startsWith(drawn(40, " open"))).toBe(true);
    expect(write(written(41)).startsWith(drawn(41, ""))).toBe(true);
  });

  test("each file of a change has its name, and lines that stay have no mark", () => {
    const changes = [
      { path: "x/<a>", diff: "@@ -1 +1 @@\n-<b>\n+c\n@@ -9 +9 @@\n d\n+e\n", kind: "update" },
      { diff: "f\n", kind: "delete" },
    ];
    expect(write({ changes })).toBe(
      '<details class="call" open><summary>Tool call <b><bdi>Write</bdi></b> ' +
        `<code><bdi>${escapePath(JSON.stringify({ changes }))}</bdi></code></summary>` +
        '<p class="path"><bdi>x/<wbr>&lt;a&gt;</bdi></p>' +
        '<pre class="diff"><span class="del">- &lt;b&gt;</span>\n' +
        '<span class="ins">+ c</span>\n<span class="gap">… </span>\n  d\n<span class="ins">+ e</span></pre>' +
        '<pre class="diff"><span class="del">- f</span></pre>' +
        '<details class="input"><summary>Whole input</summary>' +
        `<pre>${escapeVisible(JSON.stringify({ changes }, null, 2))}</pre></details></details>`,
    );
  });

  test("a patch as text is drawn only where the call has no arguments", () => {
    const rawArgs = "*** Begin Patch\n*** Update File: a\n+x\n*** End Patch";
    const patch = { type: "tool_call", id: "t", name: "patch", args: {}, rawArgs } as const;
    expect(within(patch)).toContain(
      '<p class="path"><bdi>a</bdi></p><pre class="diff"><span class="ins">+ x</span></pre>',
    );
    expect(within({ ...patch, args: { z: 1 } })).toMatch(
      /<pre>\{\n {2}&quot;z&quot;: 1\n\}<\/pre><\/details>$/u,
    );
  });
});

describe("one block, opened", () => {
  test.each<[string, Block, string]>([
    ["text", text("*a*"), '<div class="text"><p><em>a</em></p>\n</div>'],
    ["thinking", { type: "thinking", text: "<hm>" }, '<pre class="plain">&lt;hm&gt;</pre>'],
    ["an unknown block", { type: "unknown", raw: "<x>" }, "<pre>&quot;&lt;x&gt;&quot;</pre>"],
    [
      "a file",
      { type: "file", mimeType: "text/x", name: "a", text: "b" },
      '<p class="note">[file a text/x]</p><details class="file"><summary>Text</summary>' +
        "<pre>b</pre></details>",
    ],
    ["an image", PNG, IMG],
  ])("%s is shown without a fold of its own", (_, block, html) => {
    expect(blockToHtml(message([text("before"), block]), 1)).toBe(html);
  });

  test("an image of a server is shown only where it can be served", () => {
    const url = "/v1/machine/sessions/claude%3Aa/messages/m/image?path=content%2F0";
    const served = message([{ type: "image", mimeType: "image/png", url }]);
    expect(blockToHtml(served, 0, "served")).toBe(`<img alt="image" data-served="${url}">`);
    expect(blockToHtml(served, 0)).toBe(`<p class="note">[image png, ${url}]</p>`);
  });

  test("a block is shown as the same block of its message is", () => {
    const typed = message([text("<bash-input>ls</bash-input>")], { role: "user" });
    expect(blockToHtml(typed, 0)).toBe('<div class="text"><p>! ls</p>\n</div>');
    const marked = message([{ type: "thinking", text: "a\u200fb" }]);
    expect(blockToHtml(marked, 0)).toBe('<pre class="plain">a\u200fb</pre>');
  });

  test("a block that does not exist is empty", () => {
    expect(blockToHtml(message([text("a")]), 1)).toBe("");
  });
});
