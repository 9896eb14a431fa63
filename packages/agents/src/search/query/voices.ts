/** The authors whose text a query searches. Pure. */

import { VOICES, type Voice } from "@continuo/native/index-file";
import type { Role, SearchQuery } from "./search-query.ts";

const VOICES_OF: Readonly<Record<Role, readonly Voice[]>> = {
  user: ["person"],
  assistant: ["agent"],
  tool: ["call", "result"],
  system: ["other"],
};

/** Words of people, agents and tools. Text that a program inserted is in every session and distinguishes none. */
const SPOKEN: readonly Voice[] = VOICES.filter((voice) => voice !== "other");

/** The voices in which the words may occur. */
export function voicesOf({
  roles,
  not,
  injected,
}: Pick<SearchQuery, "roles" | "not" | "injected">): readonly Voice[] {
  const all = injected === "searched" ? VOICES : SPOKEN;
  const wanted = roles.length === 0 ? all : VOICES.filter((voice) => isOf(voice, roles));
  return wanted.filter((voice) => !isOf(voice, not.roles));
}

/** Parts of names in code have no voice, so they are searched only if people, agents and tools all are. */
export function withParts(voices: readonly Voice[]): readonly (Voice | "parts")[] {
  return SPOKEN.every((voice) => voices.includes(voice)) ? [...voices, "parts"] : voices;
}

function isOf(voice: Voice, roles: readonly Role[]): boolean {
  return roles.some((role) => VOICES_OF[role].includes(voice));
}
