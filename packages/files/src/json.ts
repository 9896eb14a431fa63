/** Helpers for parsed JSON from untrusted files, where any field can have any type. */

export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Parses an object of JSON with comments and trailing commas, as in settings; `null` if the text is not one. */
export function parseCommented(text: string): Json | null {
  const bare = text.replace(COMMENTS, (found) => (found.startsWith('"') ? found : " "));
  try {
    const value: unknown = JSON.parse(bare.replace(LAST_COMMAS, (found) => (found === "," ? " " : found)));
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * A comment that is not closed continues to the end of the text. Otherwise each beginning of a comment would cause a
 * slow search for its end.
 */
const COMMENTS = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/gu;
const LAST_COMMAS = /"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])/gu;

/**
 * Returns only an own value of the table for a key that comes from a file, so nothing for `valueOf` and `__proto__`.
 */
export function entryOf<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Returns the field if it is a text, otherwise `null`. */
export function textField(record: Json, key: string): string | null {
  const value = record[key];
  return typeof value === "string" ? value : null;
}

/** Returns the time as ISO 8601 UTC with milliseconds; `null` if the value is not a time. */
export function toTime(value: unknown): string | null {
  if (typeof value !== "string") return null;
  if (CANONICAL.test(value)) return value;
  const ms = Date.parse(value);
  return Number.isNaN(ms) ? null : new Date(ms).toISOString();
}

/** The form of `toISOString`, only with days up to 28, because not every month has the others. */
const CANONICAL =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/u;

/** Returns `{ [key]: value }`, or `{}` if the value is `null`. `present` does the same for `undefined`. */
export function optional<K extends string, V>(key: K, value: V | null): { [P in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { [P in K]?: V };
}

export function hasOnly(record: Json, keys: readonly string[]): boolean {
  return Object.keys(record).every((key) => keys.includes(key));
}

/** Returns a value of a record as text. `String` throws for some objects with their own `toString`. */
export function textOfValue(value: unknown): string {
  return typeof value === "object" && value !== null ? Object.prototype.toString.call(value) : String(value);
}
