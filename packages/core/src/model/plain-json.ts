/**
 * Copies values of other code as JSON would, and reads each of them only once. Getters and `toJSON` are called here and
 * never again, so that later changes by their maker have no effect.
 */

import { ContinuoError, isContinuoError, messageOf } from "./errors.ts";
import { JSON_DEPTH_LIMIT, tooDeep } from "./json.ts";

/** The greatest number of values inside one value: more would fill the memory, for example a very long list. */
const MAX_VALUES = 5_000_000;

/**
 * Returns the result of `JSON.parse(JSON.stringify(value))` without the text, so that long strings are shared.
 * Errors: `invalid` for a value that JSON cannot represent or that throws when it is read, `too_large` for one
 * that is too deep or too large.
 */
export function toPlainJson(value: unknown): unknown {
  try {
    const copy = new Copier().copy(value, "", 0);
    if (copy !== undefined) return copy;
  } catch (cause) {
    if (isContinuoError(cause)) throw cause;
    throw new ContinuoError("invalid", `this value cannot be represented as JSON: ${messageOf(cause)}`, {
      cause,
    });
  }
  throw new ContinuoError("invalid", "this value cannot be represented as JSON");
}

class Copier {
  #left = MAX_VALUES;

  /** `undefined` for a value that JSON leaves out. */
  copy(given: unknown, key: string, depth: number): unknown {
    if (--this.#left < 0) throw tooMuch();
    const value = unboxed(written(given, key));
    switch (typeof value) {
      case "string":
      case "boolean":
        return value;
      case "number":
        // JSON has no negative zero.
        return Number.isFinite(value) ? value + 0 : null;
      case "bigint":
        throw new ContinuoError("invalid", "this value cannot be represented as JSON: it holds a bigint");
      case "object":
        if (value === null) return null;
        if (depth >= JSON_DEPTH_LIMIT) throw tooDeep();
        return Array.isArray(value) ? this.#list(value, depth + 1) : this.#object(value, depth + 1);
      default:
        return undefined;
    }
  }

  #list(list: readonly unknown[], depth: number): unknown[] {
    const { length } = list;
    if (length > this.#left) throw tooMuch();
    return Array.from({ length }, (_, at) => this.copy(list[at], String(at), depth) ?? null);
  }

  #object(object: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = {};
    for (const key of Object.keys(object)) {
      const value = this.copy((object as Readonly<Record<string, unknown>>)[key], key, depth);
      if (value === undefined) continue;
      if (key !== "__proto__") copy[key] = value;
      else Object.defineProperty(copy, key, { value, enumerable: true, configurable: true, writable: true });
    }
    return copy;
  }
}

/** Some values decide their own JSON, with `toJSON`. */
function written(value: unknown, key: string): unknown {
  if ((typeof value !== "object" && typeof value !== "bigint") || value === null) return value;
  const { toJSON } = value as { readonly toJSON?: unknown };
  return typeof toJSON === "function" ? toJSON.call(value, key) : value;
}

function unboxed(value: unknown): unknown {
  const isBoxed = [Number, String, Boolean, BigInt].some((type) => value instanceof type);
  return isBoxed ? (value as object).valueOf() : value;
}

function tooMuch(): ContinuoError {
  return new ContinuoError("too_large", `cannot store this value: it holds more than ${MAX_VALUES} values`, {
    hint: "Store the value as a blob and refer to it.",
    details: { limit: MAX_VALUES, what: "values" },
  });
}
