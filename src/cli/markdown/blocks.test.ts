import { describe, expect, test } from "vitest";
import { paintFor } from "../terminal/index.ts";
import { drawMarkdown } from "./index.ts";

function draw(text: string, columns = 30): string[] {
  return drawMarkdown(text, { columns, paint: paintFor({ hasColours: false }) });
}

describe("drawMarkdown", () => {
  test.each<[name: string, text: string, lines: string[]]>([
    ["plain words", "just words", ["just words"]],
    ["heading and paragraph", "# A *b*\ntext", ["# A b", "", "text"]],
    ["emphasis and code", "a **b** ~~c~~ `d`", ["a b c d"]],
    ["a link", "[x](http://y.z) http://q.r", ["x (http://y.z) http://q.r"]],
    ["an image is named, not shown", "![alt](http://y.z)", ["[image: alt] (http://y.z)"]],
    ["code", "```js\nlet a;\n\nb\n```", ["  let a;", "", "  b"]],
    ["lists", "- a\n- b\n  1. c\n  2. d", ["• a", "• b", "  1. c", "  2. d"]],
    ["a loose list", "- a\n\n- b", ["• a", "", "• b"]],
    ["tasks", "- [x] a\n- [ ] b", ["• [x] a", "• [ ] b"]],
    ["a quote", "> a\n> b", ["│ a", "│ b"]],
    ["a table", "| a | b |\n|---|--:|\n| 1 | 22 |", ["a   b", "1  22"]],
    ["a rule", "a\n\n---\n\nb", ["a", "", "─".repeat(30), "", "b"]],
    ["html is text", "<b>x</b>", ["<b>x</b>"]],
    ["definitions are not swallowed", "[a]: http://b.c", ["[a]: http://b.c"]],
    ["entities stay as written", "&amp; :tada:", ["&amp; :tada:"]],
  ])("%s", (_, text, lines) => {
    expect(draw(text)).toEqual(lines);
  });

  test("a table that does not fit is shown in its source form, so that no cell is cut", () => {
    const table = "| one | two |\n|---|---|\n| aaaaaaaaaaaaaaaaaaaaaa | bbbbbbbbbbbbbbbbbbb |";
    expect(draw(table).join("").replaceAll(" ", "")).toBe(table.replaceAll("\n", "").replaceAll(" ", ""));
  });

  test("text that is nested deeper than a stack is shown in its source form", () => {
    const deep = `${">".repeat(50_000)} x`;
    expect(draw(deep).join("").endsWith("x")).toBe(true);
  });
});
