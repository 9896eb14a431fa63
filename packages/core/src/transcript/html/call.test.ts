import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../../../test/sizes/counts.ts";
import type { ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import { callToHtml, changesToHtml, resultToHtml } from "./index.ts";

function call(name: string, args: ToolCallBlock["args"], more: Partial<ToolCallBlock> = {}): ToolCallBlock {
  return { type: "tool_call", id: "t", name, args, ...more };
}

function result(text: string, more: Partial<ToolResultBlock> = {}): ToolResultBlock {
  return { type: "tool_result", toolCallId: "t", content: [{ type: "text", text }], isError: false, ...more };
}

describe("a call is drawn by what it does", () => {
  test("a command with its output", () => {
    const drawn = callToHtml(call("Bash", { command: "ls <a>" }), result("one\ntwo\n"));
    expect(drawn).toMatchObject({ kind: "command", argument: "ls <a>", status: "ok", outcome: "2 lines" });
    expect(drawn.body()).toBe(
      '<pre class="command" data-language="bash">ls &lt;a&gt;</pre><pre class="output">one\ntwo</pre>',
    );
  });

  test.each([
    [["bash", "-lc", "ls"], "ls"],
    [["ls", "-l"], "ls -l"],
  ])("a command in words: %j", (command, line) => {
    expect(callToHtml(call("shell", { command }), null)).toMatchObject({
      kind: "command",
      argument: line,
      status: "running",
    });
  });

  test("an edit as numbered lines, if the agent reports the numbers", () => {
    const details = {
      structuredPatch: [
        { oldStart: 4, newStart: 4, lines: [" a", "-<b>", "+c", "\\ No newline at end of file"] },
      ],
    };
    const edit = call("Edit", { file_path: "/x/a.ts", old_string: "<b>", new_string: "c" });
    expect(callToHtml(edit, result("updated", { details })).body()).toBe(
      '<pre class="diff" data-language="typescript">' +
        '<span class="same" data-before="4" data-after="4">a\n</span>' +
        '<span class="del" data-before="5" data-after="">&lt;b&gt;\n</span>' +
        '<span class="ins" data-before="" data-after="5">c\n</span></pre>',
    );
    expect(callToHtml(edit, null)).toMatchObject({ argument: "/x/a.ts", outcome: "+1 −1" });
    expect(callToHtml(edit, null).body()).toContain('<span class="del">&lt;b&gt;\n</span>');
  });

  test("several files, each below its name", () => {
    const patch = "*** Begin Patch\n*** Update File: a/b.py\n+x\n*** Add File: c\n+y\n*** End Patch";
    const drawn = callToHtml(call("apply_patch", {}, { rawArgs: patch }), null);
    expect(drawn).toMatchObject({ kind: "edit", argument: "a/b.py", outcome: "+2 −0" });
    expect(drawn.body()).toContain(
      '<p class="path"><bdi>a/<wbr>b.py</bdi> +1 −0</p><pre class="diff" data-language="python">',
    );
    expect(drawn.body()).toContain('<p class="path"><bdi>c</bdi> +1 −0</p>');
  });

  test("an edit that failed says why", () => {
    const edit = call("Edit", { file_path: "/a.ts", old_string: "b", new_string: "c" });
    const drawn = callToHtml(edit, result("not found", { isError: true }));
    expect(drawn).toMatchObject({ kind: "edit", status: "error", isOpen: true });
    expect(drawn.body()).toMatch(/<pre class="output">not found<\/pre>$/u);
  });

  test.each([
    ["TodoWrite", { todos: [{ content: "<a>", status: "completed" }] }],
    ["update_plan", { plan: [{ step: "<a>", status: "completed" }] }],
    ["write_todos", { todos: [{ description: "<a>", status: "completed" }] }],
  ])("a plan of %s as a list", (name, args) => {
    const drawn = callToHtml(call(name, args), null);
    expect(drawn).toMatchObject({ kind: "plan", argument: "", outcome: "1 of 1 done", isOpen: true });
    expect(drawn.body()).toBe(
      '<ul class="plan"><li class="done"><span class="hidden-text">done: </span><bdi>&lt;a&gt;</bdi></li></ul>',
    );
  });

  test.each([
    ["Task", { prompt: "x" }, "agent"],
    ["WebFetch", { url: "https://e.example" }, "web"],
    ["Grep", { pattern: "x" }, "search"],
    ["Read", { file_path: "/a.py" }, "read"],
    ["mcp__x__y", { z: 1 }, "other"],
  ])("%s", (name, args, kind) => {
    expect(callToHtml(call(name, args), null).kind).toBe(kind);
  });

  test("what is read has the language of its file, from a closed list", () => {
    const read = (path: string): string => callToHtml(call("Read", { file_path: path }), result("x")).body();
    expect(read("/a.PY")).toContain('data-language="python"');
    expect(read('/a."onload=')).toBe('<pre class="output">x</pre>');
    expect(read("/a.constructor")).toBe('<pre class="output">x</pre>');
  });

  test("images of a server are shown only where they can be served, and only from their path", () => {
    const shot = (url: string): ToolResultBlock =>
      result("", { content: [{ type: "image", mimeType: "image/png", url }] });
    const path = "/v1/machine/sessions/claude%3Aa/messages/m/image?path=content%2F0";
    const read = call("Read", { file_path: "/a.png" });
    expect(callToHtml(read, shot(path), "served").body()).toBe(`<img alt="image" data-served="${path}">`);
    expect(callToHtml(read, shot(path)).body()).not.toContain("<img");
    for (const url of [
      "https://e.example/v1/machine/a?path=b",
      "//e.example/v1/machine/x?path=y",
      `${path}"x`,
    ]) {
      expect(callToHtml(read, shot(url), "served").body()).not.toContain("<img");
    }
  });
});

const PNG = { type: "image", mimeType: "image/png", data: "aGk=" } as const;
const IMG = '<img alt="image" src="data:image/png;base64,aGk=">';
const SVG = { type: "image", mimeType: "image/svg+xml", data: "aGk=" } as const;

/** `count` lines, as a call that writes them. */
function write(count: number): ToolCallBlock {
  return call("Write", { file_path: "/a", content: "x\n".repeat(count) });
}

describe("the kind of a call", () => {
  test.each<[string, string, ToolCallBlock["args"], Partial<ToolCallBlock>]>([
    ["Bash", "agent", { command: "ls" }, { childSessionId: "s" }],
    ["task", "agent", { todos: [{ content: "a" }] }, {}],
    ["Spawn_Agent", "agent", {}, {}],
    ["tasks", "other", {}, {}],
    ["x", "plan", { todos: [{ content: "a" }], command: "ls" }, {}],
    ["x", "other", { todos: [] }, {}],
    ["x", "plan", { todos: "a", plan: [{ step: "a" }] }, {}],
    ["x", "other", { todos: [null, "a", { content: 1 }] }, {}],
    ["web", "command", { command: "" }, {}],
    ["x", "command", { cmd: "ls" }, {}],
    ["x", "command", { script: ["ls"] }, {}],
    ["x", "other", { command: ["ls", 1] }, {}],
    ["x", "other", { command: 1 }, {}],
    ["search_fetch", "web", {}, {}],
    ["grep", "web", { url: "https://e.example" }, {}],
    ["x", "other", { url: 1 }, {}],
    ["find_read", "search", {}, {}],
    ["read", "search", { pattern: "a" }, {}],
    ["x", "other", { pattern: 1 }, {}],
    ["View", "read", {}, {}],
  ])("a call of %s is of the kind %s with %j and %j", (name, kind, args, more) => {
    expect(callToHtml(call(name, args, more), null).kind).toBe(kind);
  });
});

describe("the line of a call", () => {
  test.each<[string, string, ToolCallBlock["args"], Partial<ToolCallBlock>]>([
    ["Bash", "ls␊-l", { command: " ls\n-l\t" }, {}],
    ["sh", "ls", { command: ["/bin/zsh", "-ec", "ls"] }, {}],
    ["sh", "ls -c x", { command: ["ls", "-c", "x"] }, {}],
    ["sh", "sh -x a", { command: ["sh", "-x", "a"] }, {}],
    ["sh", "sh -c", { command: ["sh", "-c"] }, {}],
    ["sh", "sh -c a b", { command: ["sh", "-c", "a", "b"] }, {}],
    ["sh", "", { command: [] }, {}],
    ["Grep", "a", { pattern: "a", path: "/b" }, {}],
    ["Grep", "/b", { pattern: 1, path: "/b" }, {}],
    ["WebFetch", "a", { pattern: "a", url: "u" }, {}],
    ["WebFetch", "/b", { pattern: "a", path: "/b" }, {}],
    ["x", "a␛", {}, { rawArgs: " a\u001b " }],
    ["x", "b", { z: "b" }, { rawArgs: "a" }],
    ["x", "", {}, {}],
    ["Write", "/a", { file_path: "/a", content: "x", command: "ls" }, {}],
    ["TodoWrite", "", { todos: [{ content: "a" }], path: "/a" }, {}],
  ])("a call of %s is about %j with %j and %j", (name, argument, args, more) => {
    expect(callToHtml(call(name, args, more), null).argument).toBe(argument);
  });

  test("the line of a call has at most 300 characters of its argument", () => {
    const rawArgs = `x${"y".repeat(300)}`;
    expect(callToHtml(call("x", {}, { rawArgs }), null).argument).toBe(rawArgs.slice(0, 300));
  });

  test("the name of a tool is one visible line", () => {
    expect(callToHtml(call("a\n\u202e", {}), null).name).toBe("a␊<U+202E>");
  });

  test.each<[ToolResultBlock | null, string]>([
    [null, "running"],
    [result(""), "ok"],
    [result("", { isError: true }), "error"],
    [result("", { isError: true, status: "denied" }), "denied"],
  ])("the status of a call with the result %j is %s", (given, status) => {
    expect(callToHtml(call("x", {}), given).status).toBe(status);
  });

  test.each([
    ["", ""],
    ["\n\n", ""],
    ["done\n", "done"],
    ["a\nb", "2 lines"],
  ])("the outcome of the text %j is %j", (text, outcome) => {
    expect(callToHtml(call("x", {}), result(text)).outcome).toBe(outcome);
  });

  test("a line of up to 60 characters is the outcome itself", () => {
    const outcomes = [60, 61].map((length) => callToHtml(call("x", {}), result("x".repeat(length))).outcome);
    expect(outcomes).toEqual(["x".repeat(60), "1 line"]);
  });

  test("a plan counts its steps that are done, and a change its lines", () => {
    const todos = ["completed", "in_progress", "pending"].map((status) => ({ content: "a", status }));
    expect(callToHtml(call("x", { todos }), result("a")).outcome).toBe("1 of 3 done");
    expect(callToHtml(write(2), result("a")).outcome).toBe("+2 −0");
  });

  test("plans and changes of at most 60 lines are open", () => {
    const open = [write(60), write(61), call("x", { todos: [{ content: "a" }] }), call("x", {})];
    expect(open.map((block) => callToHtml(block, null).isOpen)).toEqual([true, false, true, false]);
  });
});

describe("the body of a call", () => {
  const body = (name: string, args: ToolCallBlock["args"], given: ToolResultBlock | null = null): string =>
    callToHtml(call(name, args), given).body();
  const field = (value: string): string => `<dl class="fields"><div><dt>a</dt><dd>${value}</dd></div></dl>`;

  test.each<[unknown, string]>([
    ["<x>/\t", "<bdi>&lt;x&gt;/<wbr>\t</bdi>"],
    [1, "<bdi>1</bdi>"],
    [undefined, "<bdi></bdi>"],
    ["x\ny", '<pre class="input">x\ny</pre>'],
    [{ b: "<" }, '<pre class="input">{\n  &quot;b&quot;: &quot;&lt;&quot;\n}</pre>'],
  ])("the field %j is on the line of its name, or below it", (value, html) => {
    expect(body("x", { a: value })).toBe(field(html));
  });

  test("a field of more than 300 characters stands below its name", () => {
    const long = "x".repeat(300);
    expect(body("x", { a: long })).toBe(field(`<bdi>${long}</bdi>`));
    expect(body("x", { a: `${long}y` })).toBe(field(`<pre class="input">${long}y</pre>`));
  });

  test("fields stand in their order, each with its visible name", () => {
    expect(body("x", { "<a>\n": "b", c: "d" }, result("e"))).toBe(
      '<dl class="fields"><div><dt>&lt;a&gt;␊</dt><dd><bdi>b</bdi></dd></div>' +
        '<div><dt>c</dt><dd><bdi>d</bdi></dd></div></dl><pre class="output">e</pre>',
    );
  });

  test("a call without arguments and without a result is empty", () => {
    expect(body("x", {})).toBe("");
    expect(callToHtml(call("x", {}, { rawArgs: "<raw>" }), null).body()).toBe(
      '<pre class="input">&lt;raw&gt;</pre>',
    );
  });

  test("a plan lists its steps with their states", () => {
    const plan = [
      { step: "a\n", status: "completed" },
      { step: "b", status: "in_progress" },
      { step: "c", status: "pending" },
      { step: "d" },
    ];
    const items =
      '<li class="done"><span class="hidden-text">done: </span><bdi>a␊</bdi></li>' +
      '<li class="now"><span class="hidden-text">in progress: </span><bdi>b</bdi></li>' +
      '<li class="open"><span class="hidden-text">to do: </span><bdi>c</bdi></li>' +
      '<li class="open"><span class="hidden-text">to do: </span><bdi>d</bdi></li>';
    expect(body("x", { plan }, result("saved"))).toBe(`<ul class="plan">${items}</ul>`);
    expect(body("x", { plan }, result("no", { status: "denied" }))).toBe(
      `<ul class="plan">${items}</ul><pre class="output">no</pre>`,
    );
  });

  test("a change that worked does not repeat its result", () => {
    const change = '<pre class="diff"><span class="ins">x\n</span></pre>';
    const at = (given: ToolResultBlock | null): string => callToHtml(write(1), given).body();
    expect([null, result("saved"), result("no", { status: "interrupted" })].map(at)).toEqual([
      change,
      change,
      `${change}<pre class="output">no</pre>`,
    ]);
  });

  test("a change of several files that failed says why below them", () => {
    const changes = ["a", "b"].map((path) => ({ path, diff: "x\n", kind: "add" }));
    const file = (path: string): string =>
      `<p class="path"><bdi>${path}</bdi> +1 −0</p><pre class="diff"><span class="ins">x\n</span></pre>`;
    expect(body("x", { changes }, result("no", { isError: true }))).toBe(
      `${file("a")}${file("b")}<pre class="output">no</pre>`,
    );
  });

  test("images of a result stand below its text", () => {
    const given = result("", { content: [{ type: "text", text: "a" }, PNG, PNG] });
    const shown = `<pre class="output">a</pre>${IMG}${IMG}`;
    expect(body("x", { z: "b" }, given)).toContain(`</dl>${shown}`);
    expect(body("Bash", { command: "b" }, given)).toBe(
      `<pre class="command" data-language="bash">b</pre>${shown}`,
    );
    expect(body("Read", { path: "b" }, given)).toBe(shown);
  });
});

describe("the text of a result", () => {
  const texts = [
    { type: "text", text: "<a>" },
    { type: "thinking", text: "b\u202e" },
    { type: "file", mimeType: "text/x", name: "f", text: "c" },
    { type: "file", mimeType: "text/x", name: "f" },
    { type: "file", mimeType: "text/x" },
    PNG,
    SVG,
    { type: "unknown", raw: ["d"] },
    { type: "unknown", raw: undefined },
    { type: "tool_call", id: "t", name: "x", args: {} },
    { type: "text", text: "e\n\n" },
  ] as const;
  const lines = [
    "&lt;a&gt;",
    "b&lt;U+202E&gt;",
    "c",
    "[file f text/x]",
    "[file  text/x]",
    "[image image/svg+xml]",
    "[\n  &quot;d&quot;\n]",
    "",
    "{\n  &quot;type&quot;: &quot;tool_call&quot;,\n  &quot;id&quot;: &quot;t&quot;,",
    "  &quot;name&quot;: &quot;x&quot;,\n  &quot;args&quot;: {}\n}",
    "e",
  ];

  test("each block of a result has its line, and images that are shown follow the text", () => {
    expect(resultToHtml(result("", { content: texts }))).toBe(
      `<pre class="output">${lines.join("\n")}</pre>${IMG}`,
    );
  });

  test("a result without text is empty", () => {
    expect(resultToHtml(result("\n"))).toBe("");
    expect(resultToHtml(result("", { content: [] }))).toBe("");
  });

  test("an image that only a server has is shown only where it is served", () => {
    const url = "/v1/machine/a?path=b";
    const given = result("", { content: [{ type: "image", mimeType: "image/png", url }] });
    expect(resultToHtml(given)).toBe("");
    expect(resultToHtml(given, "served")).toBe(`<img alt="image" data-served="${url}">`);
  });
});

test("what a request would change is drawn from its input, or from what it shows", () => {
  const drawn = '<p class="path"><bdi>a.py</bdi> +1 −0</p><pre class="diff" data-language="python">';
  expect(changesToHtml({ path: "a.py", content: "<x>" })).toBe(
    `${drawn}<span class="ins">&lt;x&gt;\n</span></pre>`,
  );
  const shown = [{ type: "diff", path: "a.py", oldText: null, newText: "y" }];
  expect(changesToHtml({}, shown)).toBe(`${drawn}<span class="ins">y\n</span></pre>`);
  expect(changesToHtml({ command: "ls" })).toBe("");
});

const piece = fc.constantFrom(
  "<",
  ">",
  '"',
  "'",
  "&",
  "<script>",
  "</pre>",
  "<img src=x onerror=a>",
  "\n",
  "x",
  "*** Begin Patch\n*** Update File: ",
);
const hostile = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));

/** Tags that this code writes. */
const OWN_TAG =
  /<\/?(?:bdi|wbr|ul class="plan"|ul|li(?: class="(?:done|now|open)")?|span class="(?:hidden-text|ins|del|same|gap)"(?: data-before="\d*" data-after="\d*")?|span|p class="(?:path|note)"|p|dl class="fields"|dl|div|dt|dd|pre(?: class="(?:diff|input|output|command)")?(?: data-language="[a-z]+")?|pre)>/gu;

test("property: no tag and no attribute comes from a call or its result", () => {
  const keys = fc.constantFrom(
    "command",
    "file_path",
    "old_string",
    "new_string",
    "content",
    "patch",
    "url",
    "x<b>",
  );
  fc.assert(
    fc.property(
      hostile,
      fc.dictionary(keys, hostile),
      hostile,
      fc.array(hostile),
      (name, args, text, steps) => {
        const todos = steps.map((content) => ({ content, status: content }));
        const details = { structuredPatch: [{ oldStart: 1, newStart: 1, lines: steps }] };
        for (const given of [args, { ...args, todos }]) {
          const body = callToHtml(call(name, given), result(text, { details }), "served").body();
          expect(body.replace(OWN_TAG, "")).not.toMatch(/[<>]/u);
        }
      },
    ),
    { numRuns: rounds(1000) },
  );
});
