/** Fields of payloads, under every name that events use for them. */

export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of a field's names that has a value; `undefined` if none has. */
export function anyField(payload: Fields, name: string): unknown {
  const value = payload[name];
  if (value !== undefined && value !== null) return value;
  for (const other of otherNames(name)) {
    const found = payload[other];
    if (found !== undefined && found !== null) return found;
  }
  return undefined;
}

const OTHER_NAMES = new Map<string, readonly string[]>([
  ["toolCallId", ["tool_call_id", "tool_use_id", "call_id"]],
]);

/**
 * The name in snake_case. This function runs for every event, so its results are kept; there are only a few names.
 */
function otherNames(name: string): readonly string[] {
  let others = OTHER_NAMES.get(name);
  if (others === undefined) {
    const snake = name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    others = snake === name ? [] : [snake];
    OTHER_NAMES.set(name, others);
  }
  return others;
}

export function textField(payload: Fields, name: string): string | undefined {
  const value = anyField(payload, name);
  return typeof value === "string" ? value : undefined;
}

export function numberField(payload: Fields, name: string): number | undefined {
  const value = anyField(payload, name);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** Returns a text for any value: a string as it is, the message of an error, nothing for `null`, otherwise JSON. */
export function wordsOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (isFields(value) && typeof value.message === "string") return value.message;
  return JSON.stringify(value) ?? "";
}
