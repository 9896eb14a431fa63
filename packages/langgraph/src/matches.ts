/** The filters of LangGraph's stores: values of an item, and parts of a namespace. */

import type { MatchCondition } from "@langchain/langgraph-checkpoint";

type Comparison = (value: unknown, wanted: unknown) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  $eq: (value, wanted) => value === wanted,
  $ne: (value, wanted) => value !== wanted,
  $gt: (value, wanted) => Number(value) > Number(wanted),
  $gte: (value, wanted) => Number(value) >= Number(wanted),
  $lt: (value, wanted) => Number(value) < Number(wanted),
  $lte: (value, wanted) => Number(value) <= Number(wanted),
  $in: (value, wanted) => Array.isArray(wanted) && wanted.includes(value),
  $nin: (value, wanted) => !Array.isArray(wanted) || !wanted.includes(value),
};

/** An object of comparisons (`{ $gte: 4 }`) matches if all of them are true; any other value must be equal. */
export function isMatch(value: unknown, wanted: unknown): boolean {
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  const entries = Object.entries(wanted);
  if (entries.some(([name]) => !Object.hasOwn(COMPARISONS, name))) return value === wanted;
  return entries.every(([name, other]) => COMPARISONS[name]?.(value, other) ?? false);
}

/** The labels at the beginning or at the end of a namespace; `*` stands for any one label. */
export function isNamespaceMatch(namespace: readonly string[], { matchType, path }: MatchCondition): boolean {
  const from = matchType === "prefix" ? 0 : namespace.length - path.length;
  return from >= 0 && path.every((label, at) => label === "*" || namespace[from + at] === label);
}
