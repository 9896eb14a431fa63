/** Replaces ids and folders in a record with new ones. Pure. */

import { isJson, type Json } from "@continuo/files";

export interface Replacement {
  /** The fields whose text may be replaced. */
  readonly keys: RegExp;
  readonly names: ReadonlyMap<string, string>;
}

/** Fields with the input or output of a model or a tool. Nothing in them is replaced, even if a key in them matches. */
const SAID = new Set(["input", "args", "arguments", "output", "text"]);

/** Returns the same object if it contains nothing to replace. */
export function withReplaced(record: Json, replacements: readonly Replacement[]): Json {
  let copy: Record<string, unknown> | null = null;
  for (const [key, value] of Object.entries(record)) {
    if (SAID.has(key)) continue;
    const names = replacements.filter(({ keys }) => keys.test(key)).map((each) => each.names);
    const fresh = replacedValue(value, names, replacements);
    if (fresh === value) continue;
    copy ??= { ...record };
    copy[key] = fresh;
  }
  return copy ?? record;
}

function replacedValue(
  value: unknown,
  names: readonly ReadonlyMap<string, string>[],
  replacements: readonly Replacement[],
): unknown {
  if (typeof value === "string") return names.find((each) => each.has(value))?.get(value) ?? value;
  if (isJson(value)) return withReplaced(value, replacements);
  if (!Array.isArray(value)) return value;
  const fresh = value.map((each) => replacedValue(each, names, replacements));
  return fresh.every((each, at) => each === value[at]) ? value : fresh;
}
