/** A query as an expression of FTS5. Pure. Words are quoted, so that nothing a person types is syntax. */

import { VOICES, type Voice } from "../index-file/index.ts";
import type { Phrase, Role, SearchQuery } from "./query.ts";

const VOICES_OF: Readonly<Record<Role, readonly Voice[]>> = {
  user: ["person"],
  assistant: ["agent"],
  tool: ["call", "result"],
  system: ["other"],
};

/** Where the words may stand. */
export function voicesOf(roles: readonly Role[]): readonly Voice[] {
  return roles.length === 0
    ? VOICES
    : VOICES.filter((voice) => roles.some((role) => VOICES_OF[role].includes(voice)));
}

/** `null` where the query names no words: then every turn is looked at. */
export function toExpression({ all, none, roles, error }: SearchQuery): string | null {
  const voices = voicesOf(roles);
  const inResults =
    error === null || error === "any" ? [] : error.map((phrase) => inColumns(phrase, ["result"]));
  const wanted = [...all.map((phrase) => inColumns(phrase, columnsFor(phrase, voices))), ...inResults];
  if (wanted.length === 0) return null;
  const unwanted = none.map((phrase) => inColumns(phrase, columnsFor(phrase, voices)));
  const expression = wanted.join(" AND ");
  return unwanted.length === 0 ? expression : `(${expression}) NOT (${unwanted.join(" OR ")})`;
}

/** Parts of names in code are kept without their voice, and in no order. */
function columnsFor({ exact }: Phrase, voices: readonly Voice[]): readonly string[] {
  return exact || voices.length < VOICES.length ? voices : [...voices, "parts"];
}

function inColumns({ words, isPrefix }: Phrase, columns: readonly string[]): string {
  return `{${columns.join(" ")}} : "${words.join(" ")}"${isPrefix ? " *" : ""}`;
}
