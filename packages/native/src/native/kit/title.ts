/** Titles and labels: one line of a text that may be long. */

import { ContinuoError, shorten } from "@continuo/core/model";

const MAX_TITLE_CHARS = 200;

/** Returns the text with folded white space, cut at 200 UTF-16 units with `…`; `null` if nothing is left. */
export function toTitle(text: unknown): string | null {
  if (typeof text !== "string") return null;
  // The first line of a pasted megabyte can be found without folding all of it.
  const line = text
    .slice(0, 20 * MAX_TITLE_CHARS)
    .replace(/\s+/gu, " ")
    .trim();
  return line === "" ? null : shorten(line, MAX_TITLE_CHARS);
}

/**
 * Returns a text that an agent can write into its list: no line ends, no commands to a terminal, no halves of
 * characters.
 */
export function toOneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}

/** A title from a person. Errors: `invalid` for an empty title, and for one that would be shown only in part. */
export function toGivenTitle(text: string): string {
  const line = toOneLine(text);
  if (line === "") throw new ContinuoError("invalid", "a title must have at least one character");
  if (line.length <= MAX_TITLE_CHARS) return line;
  throw new ContinuoError(
    "invalid",
    `a title can have at most ${MAX_TITLE_CHARS} characters, not ${line.length}`,
  );
}
