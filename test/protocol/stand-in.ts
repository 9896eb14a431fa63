/**
 * Stands in for an agent's program: `node stand-in.ts SCRIPT …`. The script, a JSON file, maps lines of the input to
 * output; `$id` is the id of the input line. No line feed is added to the output, so that a line may be incomplete.
 */

import { readFileSync } from "node:fs";
import { splitLines } from "@continuo/files";

export interface Reaction {
  /** A text in the input line. */
  readonly to: string;
  readonly print: string;
  /** True if the program is killed after this output. */
  readonly isLast?: true;
}

export interface StandInScript {
  /** The output for `--help` and `--version`. */
  readonly help: string;
  /** Printed on stderr at once; the program then exits with 3. */
  readonly refusal?: string;
  readonly reactions: readonly Reaction[];
}

const [scriptFile = "", ...flags] = process.argv.slice(2);
const script: StandInScript = JSON.parse(readFileSync(scriptFile, "utf8"));

if (flags.includes("--help") || flags.includes("--version")) {
  process.stdout.write(script.help);
} else if (script.refusal !== undefined) {
  process.stderr.write(script.refusal);
  process.exitCode = 3;
} else {
  for await (const line of splitLines(process.stdin, { maxChars: 64 * 1024 * 1024 })) react(line ?? "");
}

function react(line: string): void {
  const reaction = script.reactions.find(({ to }) => line.includes(to));
  if (reaction === undefined) return;
  const { id, request_id, uuid } = JSON.parse(line);
  const whole = reaction.print.replaceAll("$id", String(id ?? request_id ?? uuid));
  process.stdout.write(whole, () => {
    if (reaction.isLast) process.kill(process.pid, "SIGKILL");
  });
}
