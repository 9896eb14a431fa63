import { expect, test } from "vitest";
import { titleText } from "./title.ts";

test.each([
  ["# Fix the timer Please **do** these", "Fix the timer Please do these"],
  ["### `brew.ts` of [the packet](https://tea.example/a), please", "brew.ts of the packet, please"],
  ["Say **which one**, **soon**", "Say which one, soon"],
  ["``a ` b`` and `c`", "a ` b and c"],
  ["src/**/*.ts and test/**/*.ts", "src/**/*.ts and test/**/*.ts"],
  ["2 ** 3 ** 4", "2 ** 3 ** 4"],
  ["a**b**c", "a**b**c"],
  ["Fix __init__ and *args", "Fix __init__ and *args"],
  ["#12 is open, `half", "#12 is open, `half"],
  ["[a](javascript:alert(1)) ![b](https://b.example)", "[a](javascript:alert(1)) ![b](https://b.example)"],
  ["a\n\u202eb", "a␊<U+202E>b"],
  ["", ""],
])("the title %j is shown as %j", (title, shown) => {
  expect(titleText(title)).toBe(shown);
});

test("a missing title is replaced by words", () => {
  expect(titleText(null)).toBe("Untitled");
  expect(titleText(null, "Without a question")).toBe("Without a question");
});
