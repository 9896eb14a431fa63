/** Places in a message, in the form of the `path` of a cut text: `content/0/args/content`. */

import type { Message } from "../../model/index.ts";

/** The value at a path, using only own properties; `undefined` if there is none. */
export function valueAt(message: Message, path: string): unknown {
  let value: unknown = message;
  for (const name of stepsOf(path)) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

/** The same message with another text at a path; the message itself if that path has no text. */
export function withText(message: Message, path: string, text: string): Message {
  return typeof valueAt(message, path) === "string"
    ? (replaced(message, stepsOf(path), text) as Message)
    : message;
}

function replaced(value: unknown, [name, ...rest]: readonly string[], text: string): unknown {
  if (name === undefined) return text;
  if (Array.isArray(value)) return value.with(Number(name), replaced(value[Number(name)], rest, text));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [name]: replaced(fields[name], rest, text) };
}

/** Splits the path by the rules of a JSON pointer. */
function stepsOf(path: string): readonly string[] {
  return path.split("/").map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}
