/**
 * Files that an earlier step of CI made, such as the package, so that no test has to make them again. Next to each file
 * is the hash of its commit, because a file of another commit would prove nothing.
 */

import { existsSync, readFileSync } from "node:fs";
import { headCommit } from "./rotation.ts";

/** The variables in which `.ci/run` names the files. */
export type HandedOver = "CONTINUO_TEST_EXECUTABLE" | "CONTINUO_TEST_PACKAGE";

/**
 * Returns the path of the file, or `undefined` if no step handed one over, or if the step failed, which CI reports by
 * itself.
 * @param commit the tested commit
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
