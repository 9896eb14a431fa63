import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT, readSource, type SourceFile } from "./imports.ts";
import { crumbsIn } from "./small-files.ts";

const documents = globSync(["ARCHITECTURE.md", "docs/**/*.md"], { cwd: ROOT }).map((path) =>
  readFileSync(join(ROOT, path), "utf8"),
);

test("a file below 25 lines has two users, a unit test, or another reason to be a file", () => {
  expect(crumbsIn(readSource(), documents)).toEqual([]);
});

test("a small file with one user is found", () => {
  const file = (path: string, text: string): SourceFile => ({ path, file: path, text, imports: [] });
  const small = file("room/small.ts", "/** Small. */\n\nexport function small(): void {}\n");
  const user = (path: string): SourceFile =>
    file(path, `import { small } from "./small.ts";\n${"\n".repeat(30)}small();\n`);
  expect(crumbsIn([small, user("room/user.ts")], [])).toEqual(["room/small.ts"]);
  expect(crumbsIn([small, user("room/user.ts"), user("room/other.ts")], [])).toEqual([]);
});
