/**
 * Questions that a person answers with a line. They are asked only on a terminal: elsewhere nobody answers, and the
 * command would wait forever.
 */

import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Shell } from "./shell.ts";

/** True if a person can answer: the question is written to stderr, the answer is read from stdin. */
export function canAsk({ stdin, stderr }: Shell): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** True for `y` and `yes`; any other answer, and the end of input, means no. */
export async function confirm(question: string, shell: Shell): Promise<boolean> {
  return /^\s*y(es)?\s*$/iu.test(await askLine(`${question} [y/N] `, shell));
}

/** The line that was typed; empty at the end of input. */
export async function askLine(question: string, { stdin, stderr }: Shell): Promise<string> {
  stderr.write(question);
  // With `terminal: true`, the process would not receive Ctrl-C.
  const lines = createInterface({ input: stdin, terminal: false });
  const ended = new AbortController();
  lines.once("close", () => ended.abort());
  try {
    const [answer]: unknown[] = await once(lines, "line", { signal: ended.signal });
    return String(answer);
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    stderr.write("\n");
    return "";
  } finally {
    lines.close();
  }
}
