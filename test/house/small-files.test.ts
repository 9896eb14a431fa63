import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, readSource, type SourceFile } from "./imports.ts";
import { crumbsIn, smallFoldersIn } from "./small-files.ts";

const documents = globSync(["ARCHITECTURE.md", "docs/**/*.md"], { cwd: ROOT }).map((path) =>
  readFileSync(join(ROOT, path), "utf8"),
);

test("a file below 25 lines has two users, a unit test, or another reason to be a file", () => {
  expect(crumbsIn(readSource(), documents)).toEqual([]);
});

test("a folder has 100 lines or more, unless it is a room or every agent has it", () => {
  expect(smallFoldersIn(readSource())).toEqual([]);
});

test("a folder below 100 lines is found, and the lines of its subfolders count", () => {
  const file = (path: string, lines: number): SourceFile => ({
    path,
    file: path,
    text: "x();\n".repeat(lines),
    imports: [],
  });
  const files = [
    file("cli/one/index.ts", 60),
    file("cli/one/two/index.ts", 39),
    file("former-names/a.ts", 9),
  ];
  expect(smallFoldersIn([...files, file("cli/one/one.test.ts", 500)])).toEqual(["cli/one", "cli/one/two"]);
  expect(smallFoldersIn([...files, file("cli/one/more.ts", 1)])).toEqual(["cli/one/two"]);
});

test("a small file with one user is found", () => {
  const file = (path: string, text: string): SourceFile => ({ path, file: path, text, imports: [] });
  const small = file("room/small.ts", "/** Small. */\n\nexport function small(): void {}\n");
  const user = (path: string): SourceFile =>
    file(path, `import { small } from "./small.ts";\n${"\n".repeat(30)}small();\n`);
  expect(crumbsIn([small, user("room/user.ts")], [])).toEqual(["room/small.ts"]);
  expect(crumbsIn([small, user("room/user.ts"), user("room/other.ts")], [])).toEqual([]);
});
