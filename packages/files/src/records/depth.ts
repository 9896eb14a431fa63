/** Parses JSON from untrusted files, up to a depth. */

import { COUNT_DEPTH_CHARS } from "./limits.ts";

/**
 * Deeper JSON is not accepted as a record: writing it again, or visiting all of it, would overflow the stack. This is
 * more than the store accepts (1,000 levels), with room for the record around an input.
 */
export const MAX_RECORD_DEPTH = 1_100;

export class TooDeepError extends Error {
  constructor() {
    super(`it is nested deeper than ${MAX_RECORD_DEPTH} levels`);
  }
}

/** `JSON.parse` for untrusted text. Throws `SyntaxError` and `TooDeepError`. */
export function parseJson(text: string): unknown {
  if (text.length > COUNT_DEPTH_CHARS && opensDeeper(text, MAX_RECORD_DEPTH)) throw new TooDeepError();
  const value: unknown = JSON.parse(text);
  // Each level takes at least two characters.
  if (text.length > 2 * MAX_RECORD_DEPTH && isDeeper(value, MAX_RECORD_DEPTH)) throw new TooDeepError();
  return value;
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => isDeeper(item, levels - 1));
  for (const key in value)
    if (isDeeper((value as Readonly<Record<string, unknown>>)[key], levels - 1)) return true;
  return false;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/**
 * Returns true if the brackets of the text are nested deeper. It may also return true for a text that is not
 * JSON.
 */
function opensDeeper(text: string, levels: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at + 1);
    // The codes of `[` and `{` differ by one bit, and so do those of `]` and `}`.
    else if ((code | 0x20) === 0x7b) {
      depth += 1;
      if (depth > levels) return true;
    } else if ((code | 0x20) === 0x7d) depth -= 1;
  }
  return false;
}

/** Returns the position of the quote that ends the string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start); at !== -1; at = text.indexOf('"', at + 1)) {
    let escapes = 0;
    while (text.charCodeAt(at - 1 - escapes) === BACKSLASH) escapes += 1;
    if (escapes % 2 === 0) return at;
  }
  return text.length;
}
