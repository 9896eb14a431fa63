/** Makes ids and names of tools that every vendor's API accepts; a call and its result have the same id. Pure. */

import type { TargetRules } from "@continuo/native";

export interface ToolNames {
  /** Returns a new id for a call: its own id if that is acceptable and was not used before. */
  callId(id: string): string;
  /** Does the same as `callId` for an id that the target itself made: any character is acceptable. */
  ownCallId(id: string): string;
  toolName(name: string): string;
}

const MAX_ID_CHARS = 64;

/** @param taken ids that are used already. */
export function createNames(
  { maxToolNameChars, takenForCopyOf }: Pick<TargetRules, "maxToolNameChars" | "takenForCopyOf">,
  taken: readonly string[] = [],
): ToolNames {
  const used = new Set<string>();
  const copied = new Set<string>();
  const use = (id: string): string => {
    used.add(id);
    copied.add(takenForCopyOf(id));
    return id;
  };
  const isFree = (id: string): boolean => !used.has(id) && !used.has(takenForCopyOf(id)) && !copied.has(id);
  const unused = (base: string): string => {
    let free = base;
    for (let count = 2; !isFree(free); count++) {
      const suffix = `-${count}`;
      free = base.slice(0, MAX_ID_CHARS - suffix.length) + suffix;
    }
    return use(free);
  };
  for (const id of taken) use(id);
  return {
    callId: (id) => unused(acceptable(id, MAX_ID_CHARS, "call")),
    ownCallId: unused,
    toolName: (name) => acceptable(name, maxToolNameChars, "tool"),
  };
}

/** Replaces each character outside of `a-z A-Z 0-9 _ -` with one `_`. */
function acceptable(text: string, maxChars: number, empty: string): string {
  const clean = text.replace(/[^a-zA-Z0-9_-]/gu, "_").slice(0, maxChars);
  if (clean === "") return empty;
  return clean;
}
