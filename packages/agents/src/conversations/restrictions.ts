/** The restrictions of an agent in a folder, as text. Pure. */

import { isAbsolute, relative } from "node:path";
import type { Restriction } from "@continuo/core/model";

/** If there are more names, the line has their number and only the first names, because nobody reads thirty. */
const MAX_NAMES = 3;

/**
 * One line that names the parts of the project and the environment that the agent does not receive, and the command
 * that allows them.
 */
export function describeRestriction(agent: string, restriction: Restriction): string {
  const { folder, isTrusted, files, variables } = restriction;
  const names = files.map((path) => nameIn(folder, path));
  const parts = [
    ...(names.length === 0 ? [] : [named(names, "file")]),
    ...(variables.length === 0 ? [] : [named(variables, "variable")]),
  ];
  const why = isTrusted
    ? "`env: deny` of the configuration keeps them"
    : "this folder is not trusted: `continuo trust`";
  return `${agent} starts without ${parts.join(" and ")}; ${why}`;
}

function named(names: readonly string[], noun: string): string {
  if (names.length <= MAX_NAMES) return names.join(", ");
  return `${names.length} ${noun}s (${names.slice(0, MAX_NAMES - 1).join(", ")}, …)`;
}

/** A path inside the folder becomes relative to it; any other path stays whole. */
function nameIn(folder: string, path: string): string {
  const name = relative(folder, path);
  return name.startsWith("..") || isAbsolute(name) ? path : name;
}
