/** Finds the commits that a command made, in the output of git. Pure. */

import type { ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import { commandOf, exitCodeOf, MAX_LOOKED_CHARS, outputOf, simpleCommands } from "./commands.ts";

export interface Commit {
  /** Abbreviated, as git printed it; `null` if it printed nothing, as with `--quiet`. */
  readonly hash: string | null;
  readonly branch: string | null;
  readonly subject: string;
}

const COMMAND = /^git\s+(?:-\S+\s+(?:[^-\s]\S*\s+)?)*?(commit|cherry-pick|revert)(?:\s|$)/u;
/** `[main 1a2b3c4] Subject`, `[detached HEAD 1a2b3c4]`, `[main (root-commit) 1a2b3c4]`. */
const PRINTED = /^\[([^\]\n]{1,200}?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.{1,500})$/gmu;
const NOTHING = /nothing to commit|nothing added to commit|no changes added to commit/u;

/** Looks only at the output of commands that commit, because any file can contain such a line. */
export function commitsOf(call: ToolCallBlock, result: ToolResultBlock): readonly Commit[] {
  const command = commandOf(call);
  if (command === null || !command.includes("git")) return [];
  const made = simpleCommands(command).filter((one) => COMMAND.test(one));
  if (made.length === 0 || made.every((one) => one.includes("--dry-run"))) return [];
  const output = outputOf(result);
  const printed = [...output.matchAll(PRINTED)].map(
    ([, branch = "", hash = "", subject = ""]): Commit => ({ hash, branch, subject }),
  );
  if (printed.length > 0 || result.isError || exitCodeOf(result) !== 0 || NOTHING.test(output))
    return printed;
  const own = made.filter((one) => COMMAND.exec(one)?.[1] === "commit");
  return own.some((one) => output.trim() === "" || /\s(?:-q|--quiet)(?:\s|$)/u.test(one))
    ? [{ hash: null, branch: null, subject: subjectIn(command) }]
    : [];
}

/** The first line of the message after `-m`, which can be a here-document. */
function subjectIn(command: string): string {
  const text = command.slice(0, MAX_LOOKED_CHARS);
  const [, here] = /-\w*m\s*"?\$\(cat <<-?\s*['"]?\w+['"]?\n\s*([^\n]+)/u.exec(text) ?? [];
  const [, , quoted] = /(?:-\w*m|--message)[\s=]*(["'])((?:(?!\1)[^\\]|\\.)*)\1/u.exec(text) ?? [];
  return (here ?? quoted ?? "").split("\n", 1)[0]?.trim().slice(0, 500) ?? "";
}
