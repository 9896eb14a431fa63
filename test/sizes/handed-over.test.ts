/** Files that a step of CI hands over to the tests. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { handedOver } from "./handed-over.ts";

const commit = (): string => "4bf3c2a1\n";

/** @param of the commit in the mark; without it, no mark is written */
function madeFile(of?: string): NodeJS.ProcessEnv {
  const path = join(scratchFolder("handed-over"), "continuo");
  writeFileSync(path, "program");
  if (of !== undefined) writeFileSync(`${path}.commit`, of);
  return { CONTINUO_TEST_EXECUTABLE: path };
}

test("a file that was made from the tested commit is used", () => {
  const env = madeFile("4bf3c2a1\n");
  expect(handedOver("CONTINUO_TEST_EXECUTABLE", { env, commit })).toBe(env.CONTINUO_TEST_EXECUTABLE);
});

test("a test makes its own file if no step hands one over, or if the step made none", () => {
  expect(handedOver("CONTINUO_TEST_PACKAGE", { env: madeFile("4bf3c2a1"), commit })).toBeUndefined();
  for (const path of ["", "/nonexistent/continuo"]) {
    const env = { CONTINUO_TEST_PACKAGE: path };
    expect(handedOver("CONTINUO_TEST_PACKAGE", { env, commit })).toBeUndefined();
  }
});

test.each([
  ["another commit", "0d5c1b7e\n"],
  ["no commit", undefined],
])("a file of %s is refused", (what, of) => {
  expect(() => handedOver("CONTINUO_TEST_EXECUTABLE", { env: madeFile(of), commit })).toThrow(
    `CONTINUO_TEST_EXECUTABLE names a file of ${of?.trim() ?? what}, and the tests are of 4bf3c2a1`,
  );
});
