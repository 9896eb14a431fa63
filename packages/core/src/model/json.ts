/**
 * JSON that is kept and hashed: the text that is stored, and its RFC 8785 canonical form.
 *
 * Numbers and strings are written by `JSON.stringify`, whose forms RFC 8785 adopts; it writes a lone surrogate as
 * `\udXXX`, so that every string can be hashed. Only the order of keys is ours.
 */

import { ContinuoError } from "./errors.ts";

/**
 * Values with more levels are refused with `too_large`, because very deep ones overflow the stack of `JSON.stringify`.
 */
export const JSON_DEPTH_LIMIT = 1_000;

export interface JsonText {
  /** The text of `JSON.stringify`, which is stored. */
  readonly text: string;
  /** The RFC 8785 form of the same value: what is hashed. */
  readonly canonical: string;
}

/**
 * Errors: `invalid` for a value that JSON cannot represent (bigint, a circle, `undefined`), `too_large` for a value
 * with too many levels.
 */
export function toJsonText(value: unknown): JsonText {
  const { text, order, plain } = written(value);
  return { text, canonical: order === "sorted" ? text : canonicalOf(plain) };
}

/** Only the text, for values that are stored and not hashed. Errors: as `toJsonText`. */
export function jsonTextOf(value: unknown): string {
  return written(value).text;
}

interface SerializedJson {
  readonly text: string;
  readonly order: Order;
  /** The value without a `toJSON`: the form that is read back. */
  readonly plain: unknown;
}

function written(value: unknown): SerializedJson {
  const order = orderOf(value, 0);
  if (order === "too_deep") throw tooDeep();
  const text = stringify(value);
  if (order !== "special") return { text, order, plain: value };
  const plain: unknown = JSON.parse(text);
  // The result of a `toJSON` can be deeper than the object that has it.
  if (orderOf(plain, 0) === "too_deep") throw tooDeep();
  return { text, order, plain };
}

/** The number of values that are read to estimate the least length of the JSON. */
const LENGTH_VALUES = 1_000_000;

/**
 * Returns a lower bound of the length of a value's JSON, with a fraction of the work of writing it. It stops as soon as
 * the bound is more than `max`, so that a value that is too long is refused early.
 */
export function jsonLengthAtLeast(value: unknown, max: number): number {
  let length = 0;
  let values = 0;
  const open: unknown[] = [value];
  // The loop also ends for a value that contains itself.
  while (open.length > 0 && length <= max && values++ < LENGTH_VALUES) {
    const one = open.pop();
    if (typeof one === "string") length += one.length + 2;
    else if (Array.isArray(one)) {
      length += one.length + 1;
      for (let at = 0; at < one.length && at < LENGTH_VALUES; at++) open.push(one[at]);
    } else if (isPlainObject(one)) {
      for (const key of Object.keys(one)) {
        const item = fieldOf(one, key);
        if (item === undefined || typeof item === "function" || typeof item === "symbol") continue;
        length += key.length + 4;
        open.push(item);
      }
    } else length += 1;
  }
  return length;
}

/** A getter that throws counts as no value. */
function fieldOf(object: object, key: string): unknown {
  try {
    return (object as Readonly<Record<string, unknown>>)[key];
  } catch {
    return undefined;
  }
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null || !isPlain(value)) return false;
  return typeof (value as { toJSON?: unknown }).toJSON !== "function";
}

/** The RFC 8785 canonical JSON of a value. Errors: as `toJsonText`. */
export function canonicalJson(value: unknown): string {
  return toJsonText(value).canonical;
}

export function tooDeep(): ContinuoError {
  return new ContinuoError(
    "too_large",
    `cannot store this value: it is nested deeper than ${JSON_DEPTH_LIMIT} levels`,
    {
      hint: "Store the value as a blob and refer to it.",
      details: { limit: JSON_DEPTH_LIMIT, what: "depth" },
    },
  );
}

function stringify(value: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(value);
  } catch (cause) {
    throw new ContinuoError("invalid", "this value cannot be represented as JSON", { cause });
  }
  if (text === undefined) throw new ContinuoError("invalid", "this value cannot be represented as JSON");
  return text;
}

/** `sorted`: the text is canonical as it is. `special`: something in it decides itself how it is written. */
type Order = "sorted" | "plain" | "special" | "too_deep";

function orderOf(value: unknown, depth: number): Order {
  if (typeof value !== "object" || value === null) return "sorted";
  if (depth >= JSON_DEPTH_LIMIT) return "too_deep";
  if (typeof (value as { toJSON?: unknown }).toJSON === "function") return "special";
  let order: Order = "sorted";
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item !== "object" || item === null) continue;
      order = worse(order, orderOf(item, depth + 1));
    }
    return order;
  }
  if (!isPlain(value)) return "special";
  let previous: string | undefined;
  for (const key of Object.keys(value)) {
    if (previous !== undefined && previous > key) order = worse(order, "plain");
    previous = key;
    const item = (value as Record<string, unknown>)[key];
    if (typeof item === "object" && item !== null) order = worse(order, orderOf(item, depth + 1));
  }
  return order;
}

const RANK: Readonly<Record<Order, number>> = { sorted: 0, plain: 1, special: 2, too_deep: 3 };

function worse(a: Order, b: Order): Order {
  return RANK[a] >= RANK[b] ? a : b;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function canonicalOf(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) return `[${value.map(canonicalOf).join(",")}]`;
  const parts: string[] = [];
  for (const key of Object.keys(value).sort()) {
    const item = (value as Record<string, unknown>)[key];
    if (item === undefined || typeof item === "function" || typeof item === "symbol") continue;
    parts.push(`${JSON.stringify(key)}:${canonicalOf(item)}`);
  }
  return `{${parts.join(",")}}`;
}

/** The depth is greater than `JSON_DEPTH_LIMIT`, because a value of that depth may be inside a message. */
const MAX_DEPTH = JSON_DEPTH_LIMIT + 10;

/**
 * Replaces halves of surrogate pairs by U+FFFD, in keys too, because some agents do not parse JSON that has them.
 * Returns the same value if it has none. Errors: `too_large` for a value with too many levels.
 */
export function toWellFormed(value: unknown): unknown {
  return wellFormedAt(value, 0);
}

function wellFormedAt(value: unknown, depth: number): unknown {
  if (typeof value === "string") return value.toWellFormed();
  if (typeof value !== "object" || value === null) return value;
  if (depth > MAX_DEPTH) throw tooDeep();
  if (Array.isArray(value)) {
    const items = value.map((each) => wellFormedAt(each, depth + 1));
    return items.every((item, at) => item === value[at]) ? value : items;
  }
  const entries = Object.entries(value).map(
    ([key, each]) => [key, key.toWellFormed(), wellFormedAt(each, depth + 1), each] as const,
  );
  return entries.every(([key, whole, item, each]) => key === whole && item === each)
    ? value
    : Object.fromEntries(entries.map(([, whole, item]) => [whole, item]));
}
