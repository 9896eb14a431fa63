/** Sentences for a person: they break between words on a terminal, and are one line elsewhere. */

import { paintFor } from "./paint.ts";
import { screenOf } from "./screen.ts";
import type { Shell } from "./shell.ts";
import { type Span, widthOf, wrap } from "./width.ts";

const NO_BREAK = "\u00a0";

/**
 * The lines of a text for a stream. A command in backticks stays on one line if it fits, so that it can be copied.
 * @param spans visible text
 */
export function sentenceLines(
  spans: readonly Span[],
  shell: Shell,
  stream: NodeJS.WriteStream,
): readonly string[] {
  const screen = screenOf(shell, stream);
  const columns = screen.isTerminal ? screen.columns : Number.MAX_SAFE_INTEGER;
  const joined = spans.map(({ text, ...span }) => ({ ...span, text: withWholeCommands(text, columns) }));
  return wrap(joined, columns, paintFor(screen)).map((line) => line.replaceAll(NO_BREAK, " "));
}

/** Writes visible text to standard error. */
export function writeNote(spans: readonly Span[], shell: Shell): void {
  shell.stderr.write(`${sentenceLines(spans, shell, shell.stderr).join("\n")}\n`);
}

function withWholeCommands(text: string, columns: number): string {
  return text.replace(/`[^`\n]+`\S*/gu, (command) =>
    widthOf(command) > columns ? command : command.replaceAll(" ", NO_BREAK),
  );
}
