/** Copies of the package whose files are links to the same files. */

import { linkSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { replaceFile } from "./copy.ts";

test("a mistake that is planted in one copy is in no other copy, and a program stays one", () => {
  const folder = scratchFolder("copies");
  const [one, other] = [join(folder, "one.sh"), join(folder, "other.sh")];
  writeFileSync(one, "right", { mode: 0o755 });
  linkSync(one, other);
  replaceFile(other, "wrong");
  expect([readFileSync(one, "utf8"), readFileSync(other, "utf8")]).toEqual(["right", "wrong"]);
  expect(statSync(other).mode & 0o777).toBe(0o755);
});
