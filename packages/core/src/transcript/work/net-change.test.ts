import { expect, test } from "vitest";
import { deleteEdit, type FileEdit, wholeEdit } from "./file-edit.ts";
import { compareLines, hunkOfTexts, linesOf } from "./hunks.ts";
import { createNetFold, type NetChange } from "./net-change.ts";

function net(...edits: readonly FileEdit[]): NetChange | null {
  const fold = createNetFold();
  for (const edit of edits) fold.apply(edit);
  return fold.finish();
}

/** An edit as an agent's result shows it: with numbers, and one line around it. */
function numbered(at: number, ...lines: readonly string[]): FileEdit {
  const signed = lines.map((line) => ({ sign: line.slice(0, 1) as " ", text: line.slice(1) }));
  return { path: "a", movedFrom: null, kind: "edit", hunks: [{ at, lines: signed }] };
}

function replaced(before: string, after: string): FileEdit {
  return { path: "a", movedFrom: null, kind: "edit", hunks: [hunkOfTexts(before, after, { partial: true })] };
}

function linesOfNet(...edits: readonly FileEdit[]): readonly string[] | undefined {
  const fold = createNetFold();
  for (const edit of edits) fold.apply(edit);
  return fold
    .lines()
    ?.map(({ sign, text, before, after }) => `${sign}${text} ${before ?? ""}:${after ?? ""}`);
}

test("the lines of the net change are those of the end beside those of the beginning, with a few around them", () => {
  const file = Array.from({ length: 12 }, (_, at) => `line ${at + 1}`);
  expect(
    linesOfNet(
      numbered(2, " b", "-x = 1", "+x = 2"),
      numbered(3, "-x = 2", "+x = 3"),
      numbered(40, "-far", "+away", " near"),
    ),
  ).toEqual([" b 2:2", "-x = 1 3:", "+x = 3 :3", "… :", "-far 40:", "+away :40", " near 41:41"]);
  expect(linesOfNet(replaced("x", "y"), replaced("y", "x"))).toEqual([]);
  const edits = [wholeEdit("a", `${file.join("\n")}\n`, "create"), numbered(6, "-line 6", "+six")];
  expect(linesOfNet(...edits)?.filter((line) => line.startsWith("+"))).toHaveLength(12);
  expect(linesOfNet(replaced("one\ntwo", "one\n2"), replaced("three", "3"))).toEqual([
    " one :",
    "-two :",
    "+2 :",
    "… :",
    "-three :",
    "+3 :",
  ]);
});

test("a line that is changed three times counts once", () => {
  const edits = [
    numbered(10, " a", "-x = 1", "+x = 2", " b"),
    numbered(10, " a", "-x = 2", "+x = 3", " b"),
    numbered(11, "-x = 3", "+x = 4"),
  ];
  expect(net(...edits)).toEqual({ status: "changed", added: 1, removed: 1, known: "all" });
});

test("a line that is put back counts nowhere, and a file that is as it was is not changed", () => {
  expect(net(numbered(4, " a", "-x", "+y"), numbered(4, " a", "-y", "+x"))).toBeNull();
  expect(net(replaced("x", "y"), replaced("y", "x"))).toBeNull();
});

test("lines move with the edits above them", () => {
  const edits = [
    numbered(50, "-fifty", "+FIFTY"),
    numbered(3, " c", "+one", "+two", "+three"),
    numbered(53, "-FIFTY", "+fifty again"),
    numbered(3, " c", "-one", "-two", "-three"),
  ];
  expect(net(...edits)).toEqual({ status: "changed", added: 1, removed: 1, known: "all" });
});

test("an edit within a line of a file that the session wrote changes that line", () => {
  const written = wholeEdit("a", "let a = 200;\nlet b = 1;\n", "create");
  expect(net(written, replaced("200", "240"))).toEqual({
    status: "created",
    added: 2,
    removed: 0,
    known: "all",
  });
  expect(net(written, replaced("a = 200;\nlet b", "a = 1;\nlet x = 2;\nlet c"))?.added).toBe(3);
});

test("a file that is written twice has the lines of the second text", () => {
  const [one, two] = ["a\nb\nc\n", "a\nB\nc\nd\n"];
  expect(net(wholeEdit("a", one, "create"), wholeEdit("a", two, "write"))?.added).toBe(4);
  expect(net(wholeEdit("a", one, "write"), wholeEdit("a", two, "write"))).toEqual({
    status: "changed",
    added: 4,
    removed: 0,
    known: "part",
  });
});

test("a file that is created and deleted again is not changed, and one that was there is deleted", () => {
  expect(net(wholeEdit("a", "x\n", "create"), deleteEdit("a", null))).toBeNull();
  expect(net(deleteEdit("a", "x\ny\n"))).toEqual({ status: "deleted", added: 0, removed: 2, known: "all" });
  expect(net(deleteEdit("a", null))).toMatchObject({ status: "deleted", known: "part" });
});

/** A small generator: the same numbers in every run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test("after any edits with numbers the counts are those of a comparison of the beginning with the end", () => {
  for (let seed = 1; seed <= 200; seed++) {
    const next = random(seed);
    const start = Array.from({ length: 30 }, (_, at) => `line ${at}`);
    let file = [...start];
    const edits: FileEdit[] = [];
    for (let step = 0; step < 12; step++) {
      const at = next(file.length);
      const removed = next(3);
      const added = Array.from({ length: next(3) }, (_, one) => `new ${seed} ${step} ${one}`);
      const after = [...file.slice(0, at), ...added, ...file.slice(at + removed)];
      const lines = compareLines(file.slice(Math.max(0, at - 2), at + removed + 2), [
        ...file.slice(Math.max(0, at - 2), at),
        ...added,
        ...file.slice(at + removed, at + removed + 2),
      ]);
      edits.push({
        path: "a",
        movedFrom: null,
        kind: "edit",
        hunks: [{ at: Math.max(0, at - 2) + 1, lines }],
      });
      file = after;
    }
    const whole = compareLines(start, file);
    const count = (sign: string): number => whole.filter((line) => line.sign === sign).length;
    const change = net(...edits);
    expect([seed, change?.added ?? 0, change?.removed ?? 0]).toEqual([seed, count("+"), count("-")]);
  }
});

test("carriage returns belong to no line", () => {
  expect(linesOf("a\r\nb\r\n")).toEqual(["a", "b"]);
});
