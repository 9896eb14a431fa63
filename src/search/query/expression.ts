/** A query as an expression of FTS5. Pure. Words are quoted, so that nothing a person types is syntax. */

import { VOICES, type Voice } from "../../index-file/index.ts";
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

/** What has to be there: what an excerpt marks. */
export function soughtIn({ all, error }: SearchQuery): readonly Phrase[] {
  return error === null || error === "any" ? all : [...all, ...error];
}

/** `null` where the query names no words: then every turn is looked at. */
export function toExpression(query: SearchQuery): string | null {
  const wanted = toExpressions(query);
  if (wanted.length === 0) return null;
  const voices = voicesOf(query.roles);
  const unwanted = query.none.map((phrase) => inColumns(phrase, columnsOf(phrase, voices)));
  const expression = wanted.join(" AND ");
  return unwanted.length === 0 ? expression : `(${expression}) NOT (${unwanted.join(" OR ")})`;
}

/** Parts of names in code are kept without their voice, and in no order. */
export function columnsOf({ exact }: Phrase, voices: readonly Voice[]): readonly (Voice | "parts")[] {
  return exact || voices.length < VOICES.length ? voices : [...voices, "parts"];
}

/** An expression for each phrase that has to be there. */
export function toExpressions({ all, roles, error }: SearchQuery): readonly string[] {
  const inResults = error === null || error === "any" ? [] : error;
  return [
    ...all.map((phrase) => inColumns(phrase, columnsOf(phrase, voicesOf(roles)))),
    ...inResults.map((phrase) => inColumns(phrase, ["result"])),
  ];
}

function inColumns({ words, isPrefix }: Phrase, columns: readonly string[]): string {
  return `{${columns.join(" ")}} : "${words.join(" ")}"${isPrefix ? " *" : ""}`;
}
