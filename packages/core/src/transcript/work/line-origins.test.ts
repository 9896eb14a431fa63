import { expect, test } from "vitest";
import { deleteEdit, type FileEdit, wholeEdit } from "./file-edit.ts";
import { hunkOfTexts } from "./hunks.ts";
import { lineOrigins } from "./line-origins.ts";

/** For each line the edits that wrote it, the newest first; an earlier form in brackets. */
function drawn(file: string, ...edits: readonly FileEdit[]): readonly string[] {
  const lines = file.split("\n");
  const { lines: origins } = lineOrigins(lines, edits);
  return lines.map((text, at) => {
    const writers = (origins[at] ?? []).map(({ edit, isSame }) => (isSame ? `${edit}` : `(${edit})`));
    return `${text} <- ${writers.join(" ")}`.trimEnd();
  });
}

/** An edit as an agent's result shows it: with a number, and lines around it. */
function numbered(at: number, ...lines: readonly string[]): FileEdit {
  const signed = lines.map((line) => ({ sign: line.slice(0, 1) as " ", text: line.slice(1) }));
  return { path: "a", movedFrom: null, kind: "edit", hunks: [{ at, lines: signed }] };
}

/** An edit as its call asks for it: texts that can begin within a line. */
function replaced(before: string, after: string): FileEdit {
  return { path: "a", movedFrom: null, kind: "edit", hunks: [hunkOfTexts(before, after, { partial: true })] };
}

const TABLE = "const table = [\n  black,\n  green,\n];";

test("each line names the edit that wrote it, and a line that no edit wrote names none", () => {
  const edits = [
    wholeEdit("a", TABLE, "create"),
    numbered(3, "   black,".slice(1), "+  white,", "   green,".slice(1)),
  ];
  expect(drawn("// by hand\nconst table = [\n  black,\n  white,\n  green,\n];", ...edits)).toEqual([
    "// by hand <-",
    "const table = [ <- 0",
    "  black, <- 0",
    "  white, <- 1",
    "  green, <- 0",
    "]; <- 0",
  ]);
});

test("later edits above a line do not move it to another turn", () => {
  const edits = [
    replaced("return seconds;", "return seconds * 1000;"),
    numbered(1, "+import a;", "+import b;", "+import c;"),
    replaced("import b;", "import bee;"),
  ];
  const file = "import a;\nimport bee;\nimport c;\nfunction brew() {\n  return seconds * 1000;\n}";
  expect(drawn(file, ...edits)).toEqual([
    ...["import a; <- 1", "import bee; <- 2 (1)", "import c; <- 1", "function brew() { <-"],
    ...["  return seconds * 1000; <- 0", "} <-"],
  ]);
});

test("the last edit that wrote a line wins, and the earlier ones are named with the forms between them", () => {
  const edits = [
    replaced("steep = 1", "steep = 2"),
    replaced("steep = 2", "steep = 3"),
    replaced("steep = 3", "steep = 2"),
  ];
  expect(drawn("let steep = 2;", ...edits)).toEqual(["let steep = 2; <- 2 (1) 0"]);
  const twice = [wholeEdit("a", TABLE, "create"), wholeEdit("a", TABLE, "write")];
  expect(drawn(TABLE, ...twice)).toEqual(TABLE.split("\n").map((line) => `${line} <- 0`));
  const apart = [wholeEdit("a", TABLE, "write"), deleteEdit("a", null), wholeEdit("a", TABLE, "create")];
  expect(drawn(TABLE, ...apart)[1]).toBe("  black, <- 2 0");
});

test("a write that repeats most lines wrote only the lines that it changed", () => {
  const edits = [wholeEdit("a", TABLE, "create"), wholeEdit("a", TABLE.replace("green", "oolong"), "write")];
  expect(drawn(TABLE.replace("green", "oolong"), ...edits)).toEqual([
    ...["const table = [ <- 0", "  black, <- 0", "  oolong, <- 1 (0)", "]; <- 0"],
  ]);
});

test("where a hunk was changed by hand, its other lines are still those of the edit", () => {
  const edit = numbered(
    10,
    " // before",
    "+const first = one();",
    "+const second = two();",
    "+}",
    " // after",
  );
  const file = "// other\nconst first = one();\nconst second = TWO();\n}\n// else";
  expect(drawn(file, edit)).toEqual([
    ...["// other <-", "const first = one(); <- 0", "const second = TWO(); <-", "} <-", "// else <-"],
  ]);
});

test("a bracket without its neighbours has no writer", () => {
  expect(drawn("function a() {\n}", numbered(90, "+}"))).toEqual(["function a() { <-", "} <-"]);
});

test("of equal lines the one at the place of the edit is meant", () => {
  const file = "a:\n  return null;\nb:\n  return null;\nc:\n  return null;";
  expect(drawn(file, numbered(4, "-  return 1;", "+  return null;"))[3]).toBe("  return null; <- 0");
  expect(drawn(file, numbered(3, " b:", "-  return 1;", "+  return null;"))[3]).toBe("  return null; <- 0");
  expect(
    drawn(file, numbered(3, " b:", "-  return 1;", "+  return null;")).filter((line) => line.endsWith("0")),
  ).toHaveLength(1);
});
