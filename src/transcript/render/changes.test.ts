import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changesOf, type DiffLine, diffLines, type FileText } from "./changes.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const edit = { file_path: "/a", old_string: "four\nfive", new_string: "four\n4.5\nfive" };

/** `BEFORE:AFTER SIGN TEXT` of each line. */
function numbersOf(lines: readonly DiffLine[] = []): string[] {
  return lines.map(({ before = "", after = "", sign, text }) => `${before}:${after} ${sign}${text}`);
}

describe("lines of a change have their numbers", () => {
  test("an edit that was not made yet is found by its old text", () => {
    const [file] = changesOf(edit, undefined, () => TEXT);
    expect(numbersOf(file?.lines)).toEqual(["4:4  four", ":5 +4.5", "5:6  five"]);
  });

  test("an edit that was made already is found by its new text", () => {
    const [file] = changesOf(edit, undefined, () => TEXT.replace("four\nfive", "four\n4.5\nfive"));
    expect(numbersOf(file?.lines)).toEqual(["4:4  four", ":5 +4.5", "5:6  five"]);
  });

  test("a diff over ACP is found like an edit", () => {
    const content = [{ type: "diff", path: "/a", oldText: TEXT, newText: TEXT.replace("two", "2") }];
    const [file] = changesOf(undefined, content, () => TEXT);
    expect(numbersOf(file?.lines)).toEqual(["1:1  one", "2: -two", ":2 +2", "3:3  three", "4:4  four"]);
  });

  test("each hunk of a unified diff counts from its own header", () => {
    const diff = "@@ -3,2 +3,2 @@\n three\n-four\n+4\n@@ -7 +7,2 @@\n seven\n+eight\n";
    const [file] = changesOf({ changes: [{ path: "/a", diff, kind: "update" }] });
    expect(numbersOf(file?.lines)).toEqual([
      "3:3  three",
      "4: -four",
      ":4 +4",
      ": …",
      "7:7  seven",
      ":8 +eight",
    ]);
  });
});

describe("lines have no numbers that could be wrong", () => {
  const cases: readonly (readonly [string, unknown, FileText | undefined])[] = [
    ["the text is in the file twice", edit, () => `${TEXT}${TEXT}`],
    ["the text is not in the file", edit, () => "other"],
    ["the file cannot be read", edit, () => null],
    ["nobody reads files", edit, undefined],
    ["several edits move each other's lines", { file_path: "/a", edits: [edit, edit] }, () => TEXT],
    ["a patch has no numbers", "*** Begin Patch\n*** Update File: a\n@@\n-x\n+y\n*** End Patch", () => TEXT],
  ];

  test.each(cases)("%s", (_, input, fileText) => {
    const files = changesOf(input, undefined, fileText);
    expect(files.length).toBeGreaterThan(0);
    for (const { lines } of files)
      for (const line of lines) expect(Object.keys(line)).toEqual(["sign", "text"]);
  });
});

describe("a diff of two texts", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 });
  const textOf = (all: readonly string[]): string => all.map((line) => `${line}\n`).join("");

  /** How many lines two texts can have in common, by trying all. */
  function common([one, ...old]: readonly string[], fresh: readonly string[]): number {
    if (one === undefined) return 0;
    const at = fresh.indexOf(one);
    const without = common(old, fresh);
    return at === -1 ? without : Math.max(without, 1 + common(old, fresh.slice(at + 1)));
  }

  test("shows only the lines that have to change, in their order", () => {
    fc.assert(
      fc.property(lines, lines, (old, fresh) => {
        const drawn = diffLines(textOf(old), textOf(fresh));
        const of = (sign: string) => drawn.filter((line) => line.sign === sign).length;
        const same = common(old, fresh);
        expect([of("-"), of("+")]).toEqual([old.length - same, fresh.length - same]);
        const left = drawn.filter(({ sign }) => sign === " " || sign === "+").map(({ text }) => text);
        expect(`,${fresh.join()},`).toContain(
          drawn.some(({ sign }) => sign === "…") ? "," : `,${left.join()}`,
        );
      }),
    );
  });
});
