/** Copies of the package whose files are links to the same files. */

import { linkSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { isFoundBy, replaceFile } from "./copy.ts";

test("a mistake that is planted in one copy is in no other copy, and a program stays one", () => {
  const folder = scratchFolder("copies");
  const [one, other] = [join(folder, "one.sh"), join(folder, "other.sh")];
  writeFileSync(one, "right", { mode: 0o755 });
  linkSync(one, other);
  replaceFile(other, "wrong");
  expect([readFileSync(one, "utf8"), readFileSync(other, "utf8")]).toEqual(["right", "wrong"]);
  expect(statSync(other).mode & 0o777).toBe(0o755);
});

test.each([
  ["a mistake that makes the tests crash is found", 'process.kill(process.pid, "SIGSEGV")', true],
  ["a mistake that makes a test fail is found", "process.exit(1)", true],
  ["a mistake that no test notices is not found", "", false],
  [
    "a mistake whose tests did not end in time is not tried",
    "setInterval(() => undefined, 1_000)",
    undefined,
  ],
])("%s", async (_, program, isFound) => {
  const folder = scratchFolder("tested-copy");
  mkdirSync(join(folder, "node_modules/vitest"), { recursive: true });
  writeFileSync(join(folder, "node_modules/vitest/vitest.mjs"), program);
  const leftMs = isFound === undefined ? 1_000 : 50_000;
  expect(await isFoundBy(folder, ["a.test.ts"], new Map(), Date.now() + leftMs)).toBe(isFound);
});
