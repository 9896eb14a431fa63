/** A warning about the part of a project's file that is not used, because nobody trusts it. */

import { type Configuration, untrustedWarning } from "../../config/index.ts";
import { visibleLine } from "../../transcript/index.ts";
import { paintFor, type Shell, screenOf, tildePath } from "../terminal/index.ts";

/** For commands that start no agent. */
export function warnOfUntrusted({ untrusted }: Pick<Configuration, "untrusted">, shell: Shell): void {
  if (untrusted === null) return;
  const text = untrustedWarning(untrusted, tildePath(untrusted.file, shell.home));
  const paint = paintFor(screenOf(shell, shell.stderr));
  shell.stderr.write(`${paint(visibleLine(text), "yellow")}\n`);
}
