import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { rounds } from "../../../test/sizes/counts.ts";
import type { ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import { callToHtml } from "./index.ts";

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

  test("an edit as numbered lines, where the agent tells the numbers", () => {
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
    expect(callToHtml(read, shot(path), "served").body()).toBe(
      `<img alt="image" loading="lazy" src="${path}">`,
    );
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
