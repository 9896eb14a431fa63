/** The restrictions of an agent in a folder, as text. Pure. */

import { isAbsolute, relative } from "node:path";
import type { Restriction } from "@continuo/core/model";

/** One line about the project's configuration, one about the environment; none for what is not kept from it. */
export function describeRestriction(agent: string, restriction: Restriction): readonly string[] {
  const { folder, isTrusted, files, variables } = restriction;
  const lines: string[] = [];
  if (files.length > 0) {
    const names = files.map((path) => nameIn(folder, path)).join(", ");
    lines.push(
      `${agent} starts without ${names}: the folder is not trusted. \`continuo trust\` allows them.`,
    );
  }
  if (variables.length > 0) {
    const how = isTrusted
      ? "`env: deny` of the configuration keeps them."
      : "`continuo trust`, or `env: pass` in your own continuo.yaml, passes them.";
    lines.push(`${agent} does not inherit ${variables.join(", ")}. ${how}`);
  }
  return lines;
}

/** Below the folder without its path; elsewhere the whole path. */
function nameIn(folder: string, path: string): string {
  const name = relative(folder, path);
  return name.startsWith("..") || isAbsolute(name) ? path : name;
}
