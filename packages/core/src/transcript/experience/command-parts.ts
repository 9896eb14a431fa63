/**
 * The simple commands of a command line as they were written, and the words that distinguish one command from another.
 * Pure.
 */

import { scriptOf } from "../work/index.ts";

/** One simple command: quoted text, escaped signs and redirections such as `2>&1` do not end it. */
const PART = /(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*"|\\[\s\S]|[<>]&|&>|\|&|[^'"\\&|;\n])+/gu;
const VARIABLES = /^(?:\w+=(?:'[^']*'|"[^"]*"|\S*)\s+)+/u;
/** Words that run another command. */
const RUNNERS = /^(?:sudo|time|command|exec|env|timeout\s+\S+)\s+/u;

/**
 * The parts of `a && b | c`, each with single spaces. A here-document is left out; `bash -c "…"` is replaced by the
 * command that it runs.
 */
export function commandParts(command: string): readonly string[] {
  return (scriptOf(command).match(PART) ?? [])
    .map((part) => part.replace(/\s+/gu, " ").trim())
    .filter(isCommand);
}

function isCommand(part: string): boolean {
  return part !== "" && !part.startsWith("#");
}

/**
 * Returns a part without the variables before it, without `sudo` and similar words, and without the folder of the
 * program.
 */
export function plainCommand(part: string): string {
  let plain = part.replace(/^[({\s]+/u, "");
  for (let before = ""; before !== plain; ) {
    before = plain;
    plain = plain.replace(VARIABLES, "").replace(RUNNERS, "");
  }
  return plain.replace(/^(?:\.{0,2}\/)?(?:[\w.@+-]+\/)+(?=[\w.+-]+(?:\s|$))/u, "");
}

/**
 * Commands that only look, move or print: they are not the cause of an error, and their success does not show that it
 * is gone.
 */
const ASIDE =
  /^(?:cd|echo|printf|cat|head|tail|less|grep|rg|find|fd|sed|awk|cut|sort|uniq|wc|nl|tr|tee|jq|ls|tree|pwd|sleep|export|true|which|xargs|git (?:diff|show|log|grep|blame|status))(?:\s|$)/u;
/** Programs whose second word says only that a third one follows. */
const LONGER =
  /^(?:npm|pnpm|yarn|bun) run$|^(?:npx|bunx|uvx) \S+$|^(?:uv|poetry|bundle|docker) (?:run|exec|compose)$|^python[\d.]* -m$/u;

/**
 * Returns the words that tell commands apart: `npm run build`, `npx tsc`, `cargo test`. `null` for one that only looks.
 */
export function commandKey(part: string): string | null {
  const plain = plainCommand(part);
  if (plain === "" || ASIDE.test(plain)) return null;
  const words = plain.split(" ");
  const [program = ""] = words;
  const named = words.slice(1).filter((word, at) => !word.startsWith("-") || (word === "-m" && at === 0));
  const two = [program, ...named.slice(0, 1)].join(" ");
  return LONGER.test(two) ? [program, ...named.slice(0, 2)].join(" ") : two;
}
