/** Questions about parsed JSON that nobody vouches for: no field is trusted to have the type it should have. */

export type Json = Readonly<Record<string, unknown>>;

export function isJson(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The field where it is a text, else `null`. */
export function textField(record: Json, key: string): string | null {
  const value = record[key];
  return typeof value === "string" ? value : null;
}

/** ISO 8601 UTC with milliseconds; `null` where the value is no time. */
export function toTime(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const ms = Date.parse(value);
  if (Number.isNaN(ms)) return null;
  return isCanonical(value) ? value : new Date(ms).toISOString();
}

/** Already as `toISOString` writes it; a day that a month may lack is left to the calendar. */
function isCanonical(time: string): boolean {
  return CANONICAL.test(time) && time.slice(8, 10) <= "28";
}

const CANONICAL = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u;

/** `{ [key]: value }`, or nothing where the value is `null`: an absent field stays absent. */
export function optional<K extends string, V>(key: K, value: V | null): { [P in K]?: V } {
  return (value === null ? {} : { [key]: value }) as { [P in K]?: V };
}

export function hasOnly(record: Json, keys: readonly string[]): boolean {
  return Object.keys(record).every((key) => keys.includes(key));
}
