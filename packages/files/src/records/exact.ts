/**
 * JSON whose numbers are written again exactly as they were read: `12.0`, and integers that JavaScript cannot
 * represent. A value that is read has plain numbers; a record that is kept verbatim is written from its exact form.
 */

import { parseJson } from "./depth.ts";

/** The exact forms by parsed value, for values that differ from their exact form. */
const exactForms = new WeakMap<object, unknown>();

/** Makes `exactOf(value)` return `exact`, for a record that contains a parsed value. */
export function keepExact(value: object, exact: unknown): void {
  exactForms.set(value, exact);
}

/** Parses like `parseJson`, and remembers the exact form. Throws `SyntaxError` and `TooDeepError`. */
export function parseExactly(text: string): unknown {
  const value: unknown = parseJson(text);
  if (typeof value !== "object" || value === null || !MAY_DIFFER.test(text)) return value;
  const exact = exactFormOf(text);
  if (exact !== null) exactForms.set(value, exact);
  return value;
}

/**
 * Returns a value for which `JSON.stringify` writes the text that was read. In that value, a number that would be
 * written differently is an object of `JSON.rawJSON`.
 */
export function exactOf<T>(value: T): T {
  return typeof value === "object" && value !== null ? ((exactForms.get(value) ?? value) as T) : value;
}

/**
 * Matches a number with many digits, an exponent, a zero at the end of its fraction, or a minus before zero; some texts
 * match too. It does not match a plain zero or a time of day, because both are in most records, and reading the exact
 * form takes three times as long.
 */
const MAY_DIFFER =
  /[:,[]\s*(?:-?(?:\d{16}|\d+\.\d{15}|\d+(?:\.\d+)?[eE]|\d+\.\d*0(?=\s*[,}\]]))|-0(?=\s*[,}\]]))/u;

/** The types of TypeScript do not have these two functions yet (ECMAScript 2026, Node 22). */
interface ExactJson {
  parse(
    text: string,
    revive: (key: string, value: unknown, at: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}

function exactFormOf(text: string): unknown {
  const json = JSON as unknown as ExactJson;
  let differs = false;
  const exact = json.parse(text, (_key, value, { source }) => {
    if (typeof value !== "number" || source === undefined || JSON.stringify(value) === source) return value;
    differs = true;
    return json.rawJSON(source);
  });
  return differs ? exact : null;
}
