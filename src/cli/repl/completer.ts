/** The candidates of Tab: commands and their arguments. */

import type { CompleterResult } from "node:readline";
import { SLASH_COMMANDS } from "./slash.ts";

export type Completer = (line: string, done: (error: null, result: CompleterResult) => void) => void;

export interface Candidates {
  agents(): readonly string[];
  /** Names of the agent's own commands that are known so far. */
  commands(): readonly string[];
  /** Paths of files with this prefix. */
  paths(prefix: string): Promise<readonly string[]>;
  /** Ids of sessions with this prefix. */
  sessions(prefix: string): Promise<readonly string[]>;
}

export function createCompleter(candidates: Candidates): Completer {
  return (line, done) => {
    completionsOf(line, candidates).then(
      (result) => done(null, result),
      // Nothing can be offered; the person continues to type.
      () => done(null, [[], line]),
    );
  };
}

export async function completionsOf(line: string, candidates: Candidates): Promise<CompleterResult> {
  const [, path] = /(?:^|\s)@([^\s"]*)$/u.exec(line) ?? [];
  if (path !== undefined) return [[...(await candidates.paths(path))], path];
  const [, command, prefix = ""] = /^\/(\w+)\s+(\S*)$/u.exec(line) ?? [];
  if (command === undefined) {
    const names = SLASH_COMMANDS.map(({ name, argument }) => (argument === "" ? `/${name}` : `/${name} `));
    if (!line.startsWith("/")) return [[], line];
    const own = candidates.commands().map((name) => `/${name} `);
    const others = own.filter((name) => !names.some((one) => one.trimEnd() === name.trimEnd()));
    return [[...names, ...others].filter((name) => name.startsWith(line)), line];
  }
  const all = await valuesOf(command, prefix, candidates);
  return [all.filter((value) => value.startsWith(prefix)), prefix];
}

const MODES = ["ask", "safe", "unrestricted"];

async function valuesOf(command: string, prefix: string, candidates: Candidates): Promise<readonly string[]> {
  if (command === "agent") return candidates.agents();
  if (command === "mode") return MODES;
  return command === "resume" || command === "fork" ? await candidates.sessions(prefix) : [];
}
