import { describe, expect, test } from "vitest";
import { changedLines, filesToHtml, linesOfFile, linesToHtml, type NumberedLine, numbered } from "./diff.ts";

const FILE = { path: "a.ts", lines: [{ sign: "+", text: "x", after: 3 }] } as const;
const NUMBERED_FILE = { path: "a.ts", lines: [{ sign: "+", text: "x", before: null, after: 3 }] } as const;
const HUNK = { oldStart: 1, newStart: 1, lines: ["+x"] };

function line(sign: NumberedLine["sign"], text: string, more: Partial<NumberedLine> = {}): NumberedLine {
  return { sign, text, before: null, after: null, ...more };
}

describe("the numbers of lines", () => {
  test("each hunk of an agent's result counts from its own start, below a gap", () => {
    const details = {
      structuredPatch: [
        { oldStart: 4, newStart: 5, lines: ["-a\tb"] },
        { oldStart: 9, newStart: 9, lines: [" c", 7, "+d", "\\ No newline at end of file", "", "-e"] },
      ],
    };
    expect(numbered([FILE], details)).toEqual([
      {
        path: "a.ts",
        lines: [
          line("-", "a␉b", { before: 4 }),
          line("…", ""),
          line(" ", "c", { before: 9, after: 9 }),
          line("+", "d", { after: 10 }),
          line(" ", "", { before: 10, after: 11 }),
          line("-", "e", { before: 11 }),
        ],
      },
    ]);
  });

  test("no gap follows a first hunk that has no lines", () => {
    const empty = { ...HUNK, lines: [] };
    expect(numbered([FILE], { structuredPatch: [empty, HUNK] })).toEqual([
      { path: "a.ts", lines: [line("+", "x", { after: 1 })] },
    ]);
  });

  test.each<[string, unknown]>([
    ["none", null],
    ["a text", "structuredPatch"],
    ["no hunks", { structuredPatch: [] }],
    ["hunks that are no list", { structuredPatch: HUNK }],
    ["a hunk that is nothing", { structuredPatch: [HUNK, null] }],
    ["a hunk without its old start", { structuredPatch: [{ ...HUNK, oldStart: "1" }] }],
    ["a hunk without its new start", { structuredPatch: [{ ...HUNK, newStart: "1" }] }],
    ["a hunk without lines", { structuredPatch: [HUNK, { ...HUNK, lines: "+x" }] }],
  ])("numbers are those of the call if the details of the result are %s", (_, details) => {
    expect(numbered([FILE], details)).toEqual([NUMBERED_FILE]);
  });

  test("the hunks of a result belong to no file if the call changes none or several", () => {
    const details = { structuredPatch: [HUNK] };
    expect(numbered([], details)).toEqual([]);
    expect(numbered([FILE, FILE], details)).toEqual([NUMBERED_FILE, NUMBERED_FILE]);
  });
});

describe("the HTML of a difference", () => {
  test("several files stand below their names, and a file without a name below its size", () => {
    const nameless = { path: null, lines: [line("-", "<y>"), line("-", "z")] };
    expect(filesToHtml([{ ...NUMBERED_FILE, path: "x/<a>.ts" }, nameless])).toBe(
      '<p class="path"><bdi>x/<wbr>&lt;a&gt;.ts</bdi> +1 −0</p>' +
        '<pre class="diff" data-language="typescript">' +
        '<span class="ins" data-before="" data-after="3">x\n</span></pre>' +
        '<p class="path">+0 −2</p>' +
        '<pre class="diff"><span class="del">&lt;y&gt;\n</span><span class="del">z\n</span></pre>',
    );
  });

  test("lines are counted by their signs", () => {
    expect(changedLines([line("+", ""), line("-", ""), line(" ", ""), line("…", ""), line("+", "")])).toBe(
      "+2 −1",
    );
  });

  test("lines have numbers if one of them has any", () => {
    expect(linesToHtml([line("…", ""), line(" ", "a"), line("-", "<b>"), line("+", "c")])).toBe(
      '<span class="gap">\n</span><span class="same">a\n</span>' +
        '<span class="del">&lt;b&gt;\n</span><span class="ins">c\n</span>',
    );
    expect(linesToHtml([line("-", "a", { before: 1 }), line("+", "b")])).toBe(
      '<span class="del" data-before="1" data-after="">a\n</span>' +
        '<span class="ins" data-before="" data-after="">b\n</span>',
    );
    expect(linesToHtml([line("+", "b", { after: 1 })])).toBe(
      '<span class="ins" data-before="" data-after="1">b\n</span>',
    );
    expect(linesToHtml([])).toBe("");
  });

  test("a file shows 600 lines, and the number of the lines beyond that", () => {
    const lines = Array.from({ length: 601 }, (_, at) => line("+", String(at)));
    const shown = `<pre class="diff">${linesToHtml(lines.slice(0, 600))}</pre>`;
    expect(linesOfFile({ path: null, lines: lines.slice(0, 600) })).toBe(shown);
    expect(linesOfFile({ path: null, lines })).toBe(`${shown}<p class="note">1 more lines are not shown</p>`);
  });
});
