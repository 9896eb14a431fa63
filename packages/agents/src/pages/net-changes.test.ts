import type { ToolCallBlock } from "@continuo/core/model";
import fc from "fast-check";
import { expect, test } from "vitest";
import { linesOfNet, netOf, type Replacement, replacementsOf } from "./net-changes.ts";

const edit = (before: string | null, after: string): Replacement => ({ before, after });

test.each<[string, readonly Replacement[], readonly Replacement[]]>([
  ["one place, changed twice", [edit("a = 1", "a = 2"), edit("a = 2", "a = 3")], [edit("a = 1", "a = 3")]],
  ["a change that was taken back", [edit("a", "b"), edit("b", "a")], []],
  ["two places", [edit("one", "1"), edit("two", "2")], [edit("one", "1"), edit("two", "2")]],
  [
    "a part of what was written",
    [edit("x", "f(a)\ng(b)"), edit("g(b)", "g($&)")],
    [edit("x", "f(a)\ng($&)")],
  ],
  [
    "an edit around two earlier ones",
    [edit("one", "1"), edit("two", "2"), edit("(1, 2)", "[1, 2]")],
    [edit("(one, two)", "[1, 2]")],
  ],
  ["a new file that was edited", [edit(null, "a\nb"), edit("b", "c")], [edit(null, "a\nc")]],
  ["edits before the file was written again", [edit("a", "b"), edit(null, "c")], [edit(null, "c")]],
  ["an insertion", [edit("", "a")], [edit("", "a")]],
])("the net result of %s is what is left", (_, replacements, net) => {
  expect(netOf(replacements)).toEqual(net);
});

test("the net result, applied to the first file, makes the last one", () => {
  const names = ["one", "two", "six", "ten"].map((name) => `<${name}>`);
  const steps = fc.array(fc.tuple(fc.nat(9), fc.nat(3), fc.string({ maxLength: 3 })), { maxLength: 12 });
  const run = fc.property(steps, (all) => {
    const first = names.map((name, at) => `${name}line ${at}`).join("\n");
    let text = first;
    const made = all.map(([start, length, fresh], at) => {
      const lines = text.split("\n");
      const from = start % lines.length;
      // Each line is there once, as an editor wants it.
      const before = lines.slice(from, from + 1 + length).join("\n");
      const after = `<${at}>${fresh.replaceAll("\n", "")}`;
      text = text.replace(before, () => after);
      return edit(before, after);
    });
    let result = first;
    const net = netOf(made);
    for (const { before, after } of net) {
      expect(result).toContain(before);
      result = result.replace(before ?? "", () => after);
    }
    expect(result).toBe(text);
  });
  fc.assert(run);
});

test("the replacements of a patch are its hunks, and the lines of places have a gap between them", () => {
  const call = {
    type: "tool_call",
    id: "t",
    name: "apply_patch",
    args: { input: "*** Begin Patch\n*** Update File: a.ts\n@@\n a\n-b\n+c\n@@\n-x\n+y\n*** End Patch" },
  } as unknown as ToolCallBlock;
  expect(replacementsOf(call, "a.ts")).toEqual([edit("a\nb", "a\nc"), edit("x", "y")]);
  expect(replacementsOf(call, "b.ts")).toEqual([]);
  const lines = linesOfNet("a.ts", [edit("a\nb", "a\nc"), edit(null, "n")]);
  expect(lines.map(({ sign, text }) => sign + text)).toEqual([" a", "-b", "+c", "…", "+n"]);
});
