/** Problems of a session, for a person. */

import { type Problem, severityOf } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import { tildePath } from "../../terminal/index.ts";

/** A problem with its place, as one line that is safe to print. */
export function describeProblem({ file, line, message }: Problem, home: string): string {
  const places = [file === undefined ? null : tildePath(file, home), line === null ? null : `line ${line}`];
  const where = places.filter((place) => place !== null).join(", ");
  return visibleLine(where === "" ? message : `${where}: ${message}`);
}

/** True if a problem is damage; warnings are not. */
export function isDamaged({ problems }: { readonly problems: readonly Problem[] }): boolean {
  return problems.some((problem) => severityOf(problem) === "damage");
}
