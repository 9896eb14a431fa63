/**
 * Files that an earlier step of CI made, such as the package, so that no test has to make them again. Next to each file is
 * the hash of the commit that it was made from, because a file of another commit would show nothing.
 */

import { existsSync, readFileSync } from "node:fs";
import { headCommit } from "./rotation.ts";

/** The variables in which `.ci/run` names the files. */
export type HandedOver = "CONTINUO_TEST_EXECUTABLE" | "CONTINUO_TEST_PACKAGE";

/**
 * The path of the file; `undefined` if no step hands one over, or if the step failed, which is red by itself.
 *
 * @param commit that is tested
 */
export function handedOver(
  variable: HandedOver,
  { env = process.env, commit = headCommit }: { readonly env?: NodeJS.ProcessEnv; commit?(): string } = {},
): string | undefined {
  const path = env[variable] ?? "";
  if (path === "" || !existsSync(path)) return undefined;
  const mark = `${path}.commit`;
  const made = existsSync(mark) ? readFileSync(mark, "utf8").trim() : "no commit";
  const tested = commit().trim();
  if (made !== tested) throw new Error(`${variable} names a file of ${made}, and the tests are of ${tested}`);
  return path;
}
