/** Statement texts that every call needs, made once for each dialect. */

import type { Dialect } from "./work.ts";

/**
 * The key is the dialect itself and not its engine's name: two dialects of one engine may differ, for example
 * in their clock.
 */
const made = new WeakMap<Dialect, Map<string, string>>();

/** @param name each name must belong to one text. */
export function textOnce(dialect: Dialect, name: string, make: () => string): string {
  let texts = made.get(dialect);
  if (texts === undefined) {
    texts = new Map();
    made.set(dialect, texts);
  }
  let text = texts.get(name);
  if (text === undefined) {
    text = make();
    texts.set(name, text);
  }
  return text;
}
