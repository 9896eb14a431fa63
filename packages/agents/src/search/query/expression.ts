/** A query as an expression of FTS5. Pure. Words are quoted, so that nothing a person types is syntax. */

import type { Voice } from "@continuo/native/index-file";
import type { Phrase, SearchQuery } from "./search-query.ts";
import { voicesOf, withParts } from "./voices.ts";

/** Returns the phrases that must be there, which an excerpt marks. */
export function phrasesIn({ all, error }: SearchQuery): readonly Phrase[] {
  return error === null || error === "any" ? all : [...all, ...error];
}

/** `null` where the query names no words: then every turn is looked at. */
export function toExpression(query: SearchQuery): string | null {
  const wanted = toExpressions(query);
  if (wanted.length === 0) return null;
  const voices = voicesOf(query);
  const unwanted = query.none.map((phrase) => inColumns(phrase, columnsOf(phrase, voices)));
  const expression = wanted.join(" AND ");
  return unwanted.length === 0 ? expression : `(${expression}) NOT (${unwanted.join(" OR ")})`;
}

/** Parts of names in code are kept in no order. */
export function columnsOf({ exact }: Phrase, voices: readonly Voice[]): readonly (Voice | "parts")[] {
  return exact ? voices : withParts(voices);
}

/** An expression for each phrase that has to be there. */
export function toExpressions(query: SearchQuery): readonly string[] {
  const { all, error } = query;
  const inResults = error === null || error === "any" ? [] : error;
  return [
    ...all.map((phrase) => inColumns(phrase, columnsOf(phrase, voicesOf(query)))),
    ...inResults.map((phrase) => inColumns(phrase, ["result"])),
  ];
}

function inColumns({ words, isPrefix }: Phrase, columns: readonly string[]): string {
  return `{${columns.join(" ")}} : "${words.join(" ")}"${isPrefix ? " *" : ""}`;
}
