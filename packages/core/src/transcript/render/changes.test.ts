import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { changesOf, type DiffLine, diffLines, type FileText } from "./changes.ts";

const TEXT = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
const edit = { file_path: "/a", old_string: "four\nfive", new_string: "four\n4.5\nfive" };

/** `BEFORE:AFTER SIGN TEXT` of each line. */
function numbersOf(lines: readonly DiffLine[] = []): string[] {
  return lines.map(({ before = "", after = "", sign, text }) => `${before}:${after} ${sign}${text}`);
}

/** The path and the lines of each file, `SIGN TEXT`. */
function drawn(input: unknown, content?: unknown, fileText?: FileText): readonly unknown[] {
  return changesOf(input, content, fileText).map(({ path, lines }) => [path, signsOf(lines)]);
}

function signsOf(lines: readonly DiffLine[]): string[] {
  return lines.map(({ sign, text }) => sign + text);
}

const PATCH = "*** Begin Patch\n*** Update File: src/a.ts\n@@\n x\n-y\n+z\n*** End Patch";
const PATCHED = [["src/a.ts", [" x", "-y", "+z"]]];

describe("a change is read in the shape of each agent", () => {
  test.each([
    ["a patch as text", PATCH, PATCHED],
    ["a patch in patch", { patch: PATCH }, PATCHED],
    ["a patch in patchText", { patchText: PATCH }, PATCHED],
    ["a patch in input", { input: PATCH }, PATCHED],
    ["a patch in command", { command: PATCH }, PATCHED],
    ["a patch in cmd", { cmd: PATCH }, PATCHED],
    ["a patch in script", { script: PATCH }, PATCHED],
    ["a patch in a list of words", { command: ["apply_patch", 7, `cat <<'EOF'\n${PATCH}\nEOF`] }, PATCHED],
    ["snake case", { file_path: "a", old_string: "x", new_string: "y" }, [["a", ["-x", "+y"]]]],
    ["camel case", { filePath: "a", oldString: "x", newString: "y" }, [["a", ["-x", "+y"]]]],
    ["texts", { path: "a", oldText: "x", newText: "y" }, [["a", ["-x", "+y"]]]],
    ["short names", { path: "a", old_str: "x", new_str: "y" }, [["a", ["-x", "+y"]]]],
    ["a file that is created", { path: "a", file_text: "x\ny\n" }, [["a", ["+x", "+y"]]]],
    ["a file that is written", { file_path: "a", content: "x\ny\n" }, [["a", ["+x", "+y"]]]],
    [
      "several edits, one of them without a new text",
      { file_path: "a", edits: [{ old_string: "x" }, { oldText: "x", newText: "" }, null, { newText: "y" }] },
      [["a", ["-x"]]],
    ],
    [
      "a new file as a whole",
      { changes: [{ path: "a", diff: "-x\n", kind: { type: "add" } }] },
      [["a", ["+-x"]]],
    ],
    [
      "a deleted file as a whole",
      { changes: [{ path: "a", diff: "+x\n", kind: "delete" }] },
      [["a", ["-+x"]]],
    ],
    [
      "a new file as a diff",
      { changes: [{ path: "a", diff: "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n", kind: "add" }] },
      [["a", ["+x"]]],
    ],
    [
      "a deleted file as a diff",
      {
        changes: [
          { path: "a", diff: "--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n", kind: { type: "delete" } },
        ],
      },
      [["a", ["-x"]]],
    ],
    [
      "a diff without a header",
      { changes: [{ path: "a", diff: "-x\n+y", kind: "update" }] },
      [["a", ["-x", "+y"]]],
    ],
  ])("%s", (_, input, files) => {
    expect(drawn(input)).toEqual(files);
  });

  test.each([
    [undefined],
    [null],
    [7],
    ["ls"],
    [{}],
    [{ command: "ls" }],
    [{ file_path: "a" }],
    [{ file_path: "a", content: 7 }],
    [{ file_path: "a", old_string: "x", new_string: 7 }],
    [{ old_string: "x", new_string: "y" }],
    [{ content: "x" }],
    [{ changes: [null, { path: "a" }, { path: "a", diff: 7, kind: "add" }] }],
  ])("%j changes nothing", (input) => {
    expect(changesOf(input)).toEqual([]);
  });

  test("a patch changes several files, and its other marks are not lines of them", () => {
    const patch = [
      "*** Begin Patch",
      "*** Add File: a ",
      "+one",
      "*** Update File: b",
      "*** Move to: c",
      "@@ function f() {",
      "-two",
      "@@",
      "+three",
      "\\ No newline at end of file",
      "*** End of File",
      "*** Delete File: d",
      "*** End Patch",
      "+four",
    ];
    expect(drawn(patch.join("\n"))).toEqual([
      ["a", ["+one"]],
      ["b", ["-two", "…", "+three"]],
      ["d", []],
    ]);
  });

  test("what a call has shown is preferred to its input, and only diffs of texts count", () => {
    const input = { file_path: "a", old_string: "x", new_string: "y" };
    const other = [null, { type: "text", path: "b", newText: "z" }, { type: "diff", path: "b", newText: 7 }];
    expect(drawn(input, other)).toEqual([["a", ["-x", "+y"]]]);
    expect(drawn(input, "z")).toEqual([["a", ["-x", "+y"]]]);
    const diff = { type: "diff", path: "b", oldText: null, newText: "z" };
    expect(drawn(input, [...other, diff])).toEqual([["b", ["+z"]]]);
    expect(drawn(input, [{ type: "unknown", raw: diff }])).toEqual([["b", ["+z"]]]);
  });

  test("a path is one visible line, and null if it is not a text", () => {
    expect(drawn({ file_path: " a\n\u202eb ", content: "" })).toEqual([["a␊<U+202E>b", []]]);
    const diff = { type: "diff", path: 7, newText: "x" };
    expect(drawn(undefined, [diff])).toEqual([[null, ["+x"]]]);
    expect(drawn({ changes: [{ diff: "@@\n+x" }] })).toEqual([[null, ["+x"]]]);
    const read = () => "x";
    expect(changesOf(undefined, [diff], read)[0]?.lines).toEqual([{ sign: "+", text: "x" }]);
  });

  test("a text of more than 200,000 characters is cut", () => {
    for (const chars of [999_999, 1_000_000, 1_000_001]) {
      const [file] = changesOf({ path: "a", content: "x".repeat(chars) });
      expect(file?.lines[0]?.text.length).toBe(Math.min(chars, 1_000_000));
    }
  });
});

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

  test("empty lines at the beginning of the file count", () => {
    const [file] = changesOf({ path: "a", oldText: "x", newText: "y" }, undefined, () => "\n\nx\n");
    expect(numbersOf(file?.lines)).toEqual(["3: -x", ":3 +y"]);
  });

  test("a context line of a unified diff that lost its space is an empty line of the file", () => {
    const diff = "@@ -1,3 +1,3 @@\n one\n\n-three\n+3\n";
    const [file] = changesOf({ changes: [{ path: "a", diff, kind: "update" }] });
    expect(numbersOf(file?.lines)).toEqual(["1:1  one", "2:2  ", "3: -three", ":3 +3"]);
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
    ["the text overlaps itself", { path: "a", oldText: "x", newText: "y" }, () => "xx"],
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

  /** Returns the number of lines that two texts can have in common, by trying all. */
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

  /** Each letter is a line. */
  const linesOf = (letters: string): string => textOf([...letters]);

  test.each([
    ["a", "", "-a"],
    ["", "a", "+a"],
    ["ab", "ca", "+c a-b"],
    ["aa", "bab", "-a+b a+b"],
    ["aa", "baab", "+b a a+b"],
    ["aba", "cac", "-a-b+c a+c"],
    ["aab", "bbc", "-a-a b+b+c"],
    ["a", "bbab", "+b+b a+b"],
    ["ba", "aca", "-b+a+c a"],
  ])("from the lines of %j to those of %j is %j", (before, after, lines) => {
    expect(signsOf(diffLines(linesOf(before), linesOf(after))).join("")).toBe(lines);
  });

  test("two lines around each change are shown, and a mark for those between", () => {
    const before = linesOf("abcdefghijklmnop");
    const after = linesOf("abcdEfghijkLmnop");
    const [first, second] = [" c d-e+E f g", " j k-l+L m n"];
    expect(signsOf(diffLines(before, after)).join("")).toBe(`${first}…${second}`);
    expect(signsOf(diffLines(before, before))).toEqual([]);
  });

  test("up to 20,000 lines are compared, and more are taken out and put in", () => {
    const numbered = (first: string, count: number, last: string): string =>
      textOf([first, ...Array.from({ length: count - 2 }, (_, at) => `${at}`), last]);
    const count = (old: number, fresh: number): number =>
      diffLines(numbered("a", old, "b"), numbered("c", fresh, "d")).filter(({ sign }) => sign !== " ").length;
    expect([count(400, 400), count(401, 401), count(20_000, 20_000)]).toEqual([5, 5, 5]);
    expect([count(20_001, 20_000), count(20_000, 20_001)]).toEqual([40_001, 40_001]);
    expect(signsOf(diffLines(linesOf("x".repeat(500)), linesOf(`${"x".repeat(500)}y`)))).toEqual([
      " x",
      " x",
      "+y",
    ]);
    const drawn = signsOf(diffLines(numbered("a", 20_001, "b"), numbered("c", 20_001, "d")));
    expect([drawn[0], drawn[20_000], drawn[20_001], drawn[40_001]]).toEqual(["-a", "-b", "+c", "+d"]);
  });
});
