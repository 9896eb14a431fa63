/** Finds the files that a call of a tool names, in the arguments that the agents' tools have. Pure. */

const PATH_ARGUMENTS: readonly string[] = [
  "file_path",
  "filePath",
  "notebook_path",
  "absolute_path",
  "path",
  "file",
];
const PATCH_ARGUMENTS: readonly string[] = ["input", "patch", "patchText", "command"];
const PATCHED = /^\*\*\* (?:Add|Update|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gmu;
const MAX_PATH_CHARS = 1_000;

/** Returns the paths as they are in the call. */
export function filesOfCall(args: Readonly<Record<string, unknown>>): string[] {
  const named = PATH_ARGUMENTS.map((name) => args[name]).filter((value) => typeof value === "string");
  const patches = PATCH_ARGUMENTS.flatMap((name) => textsOf(args[name]));
  const patched = patches.flatMap((text) =>
    [...text.matchAll(PATCHED)].map(([, one, other]) => one ?? other),
  );
  return [...named, ...patched].filter(
    (path): path is string => path !== undefined && path !== "" && path.length <= MAX_PATH_CHARS,
  );
}

/** Codex gives a command as a list of words. */
function textsOf(value: unknown): string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((one) => typeof one === "string").filter((one) => one.includes("*** "));
}
