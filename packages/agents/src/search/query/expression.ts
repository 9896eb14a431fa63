/** Makes an FTS5 expression from a query. Words are quoted, so that nothing that a person types is syntax. Pure. */

import type { Voice } from "@continuo/native/index-file";
import type { BestMatch } from "./best-match.ts";
import { type Phrase, quotedIn, type SearchQuery } from "./search-query.ts";
import { voicesOf, withParts } from "./voices.ts";

/** Returns the phrases that a turn must contain; an excerpt marks them. */
export function phrasesIn({ all, error }: SearchQuery): readonly Phrase[] {
  return error === null || error === "any" ? all : [...all, ...error];
}

/** The phrases that an excerpt marks. */
export function shownPhrases(query: SearchQuery, best: BestMatch | undefined): readonly Phrase[] {
  if (best === undefined) return phrasesIn(query);
  const quoted = quotedIn(query.all);
  const words = best.terms.filter(({ type }) => type === "word");
  return [...quoted, ...words.flatMap(({ forms }) => forms.map(({ phrase }) => phrase))];
}

/** `null` if the query requires no words, so that every turn matches. */
export function toExpression(query: SearchQuery): string | null {
  const wanted = toExpressions(query);
  return wanted.length === 0 ? null : join(wanted, query);
}

function join(wanted: readonly string[], query: SearchQuery): string {
  const voices = voicesOf(query);
  const unwanted = query.none.map((phrase) => inColumns(phrase, columnsOf(phrase, voices)));
  const expression = wanted.join(" AND ");
  return unwanted.length === 0 ? expression : `(${expression}) NOT (${unwanted.join(" OR ")})`;
}

/** An exact phrase is not searched in the parts of names, because these have no order. */
export function columnsOf({ exact }: Phrase, voices: readonly Voice[]): readonly (Voice | "parts")[] {
  return exact ? voices : withParts(voices);
}

/** An expression for each required phrase. */
export function toExpressions(query: SearchQuery): readonly string[] {
  const { all, error } = query;
  const inResults = error === null || error === "any" ? [] : error;
  return [
    ...all.map((phrase) => inColumns(phrase, columnsOf(phrase, voicesOf(query)))),
    ...inResults.map((phrase) => inColumns(phrase, ["result"])),
  ];
}

/** An expression for the turns that have this phrase and all quoted phrases, and no excluded word. */
export function toFormExpression(query: SearchQuery, phrase: Phrase): string {
  return join(toExpressions({ ...query, all: [phrase, ...quotedIn(query.all)] }), query);
}

/** An expression for each form of each term. */
export function toFormExpressions(query: SearchQuery, { terms }: BestMatch): readonly string[] {
  return terms.flatMap(({ forms }) => forms.map(({ phrase }) => toFormExpression(query, phrase)));
}

function inColumns({ words, isPrefix }: Phrase, columns: readonly string[]): string {
  return `{${columns.join(" ")}} : "${words.join(" ")}"${isPrefix ? " *" : ""}`;
}
