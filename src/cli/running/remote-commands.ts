/**
 * The commands that a running process may answer: lists and searches that only read, with flags that are known to be
 * cheap. Commands that are not named here run by themselves: a regular expression could block a server, `--timeout`
 * promises partial results, and the wrong process would start an agent of a configuration.
 */

import { AGENT_NAMES } from "@continuo/core/model";

type Flags = Readonly<Record<string, "alone" | "with a value">>;

const LIST: Flags = {
  "--json": "alone",
  "--all": "alone",
  "--here": "alone",
  "--exact": "alone",
  "--empty": "alone",
  "--archived": "alone",
  "--limit": "with a value",
  "--cwd": "with a value",
  "--project": "with a value",
  "--branch": "with a value",
  "--since": "with a value",
  "--until": "with a value",
  "--sort": "with a value",
  "--title": "with a value",
};

const SEARCH: Flags = {
  "--json": "alone",
  "--all": "alone",
  "--injected": "alone",
  "--limit": "with a value",
};

const AGENTS: ReadonlySet<string> = new Set([...AGENT_NAMES, "continuo"]);

/** @param argv the arguments without the program */
export function isAnswered([first, ...rest]: readonly string[]): boolean {
  if (first === "session" && rest[0] === "list") return isKnown(rest.slice(1), LIST, isAgent);
  if (first === "list") return isKnown(rest, LIST, isAgent);
  return first === "search" && isKnown(rest, SEARCH, (word) => !word.startsWith("-"));
}

function isAgent(word: string): boolean {
  return AGENTS.has(word.toLowerCase());
}

function isKnown(words: readonly string[], flags: Flags, isPlain: (word: string) => boolean): boolean {
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? "";
    const [name = "", value] = word.startsWith("--") ? word.split("=", 2) : [word];
    const kind = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (kind === "with a value" && value === undefined) at += 1;
    else if (kind === undefined && !isPlain(word)) return false;
  }
  return true;
}
