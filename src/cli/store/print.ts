/** Output of the commands of the store: facts as lines, or as one JSON object. */

import { visibleLine } from "@continuo/core/transcript";
import { createOutput, paintFor, type Shell, screenOf, toJsonText } from "../terminal/index.ts";

export type Fact = readonly [name: string, text: string];

export async function printFacts(
  shell: Shell,
  { facts, json }: { readonly facts: readonly Fact[]; readonly json: unknown },
): Promise<void> {
  const output = createOutput(shell.stdout);
  if (json !== undefined) {
    await output.write(`${toJsonText(json, 2)}\n`);
    return;
  }
  const paint = paintFor(screenOf(shell, shell.stdout));
  const width = Math.max(...facts.map(([name]) => name.length));
  const lines = facts.map(([name, text]) => `${paint(name.padEnd(width), "dim")}  ${visibleLine(text)}`);
  await output.write(`${lines.join("\n")}\n`);
}
