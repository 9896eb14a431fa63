/** The uses of a command in a call, and how they ended. Pure. */

import type { ToolCallBlock, ToolResultBlock } from "../../model/index.ts";
import { commandOf, exitCodeOf, outputOf, withoutColours } from "../work/index.ts";
import { commandParts, plainCommand } from "./command-parts.ts";

export interface CommandUse {
  /** The simple command, without variables, words such as `sudo`, and the folder of the program. */
  readonly command: string;
  readonly outcome: "worked" | "failed" | "unknown";
  /** If it failed: the first printed line that looks like an error, or else the last line. */
  readonly error: string | null;
}

const SAYS_ERROR = /error|fail|fatal|cannot|unknown|invalid|not found|no such|denied|usage:/iu;

/** The uses of a command in one call. @param words its first words, such as `["docker", "compose"]` */
export function commandUsesIn(
  call: ToolCallBlock,
  result: ToolResultBlock | null,
  words: readonly string[],
): readonly CommandUse[] {
  const command = commandOf(call);
  if (command === null || !command.includes(words[0] ?? "")) return [];
  const parts = commandParts(command);
  const uses = parts.map(plainCommand).filter((part) => beginsWith(part, words));
  if (uses.length === 0) return [];
  const outcome = outcomeOf(result);
  // If one of several commands failed, it is not known which one.
  const own = outcome === "failed" && parts.length > uses.length ? "unknown" : outcome;
  const error = own === "failed" && result !== null ? errorLineOf(result) : null;
  return uses.map((part) => ({ command: part, outcome: own, error }));
}

function beginsWith(part: string, words: readonly string[]): boolean {
  const own = part.split(" ");
  if (own[0] !== words[0]) return false;
  // Flags may be between a program and its second word, as in `git -C folder log`.
  let at = 1;
  for (const word of words.slice(1)) {
    at = own.indexOf(word, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

function outcomeOf(result: ToolResultBlock | null): CommandUse["outcome"] {
  if (result === null) return "unknown";
  const code = exitCodeOf(result);
  if (code === null) return result.isError ? "failed" : "unknown";
  return code === 0 ? "worked" : "failed";
}

function errorLineOf(result: ToolResultBlock): string | null {
  const lines = withoutColours(outputOf(result)).split("\n");
  const said = lines.filter((line) => line.trim() !== "");
  return said.find((line) => SAYS_ERROR.test(line))?.trim() ?? said.at(-1)?.trim() ?? null;
}
