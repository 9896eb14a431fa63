/** Simpler searches, as a comparison: plain BM25 over sessions and over turns, and the number of lines that `rg` counts. */

import type { HaystackSession } from "./haystack.ts";

export interface Baseline {
  readonly name: string;
  /** The first session of the results, or `null`. */
  first(question: string): string | null;
}

interface Document {
  readonly sessionId: string;
  readonly text: string;
}

/** Returns the baselines. In each class of questions, Continuo's search is compared with the best of them. */
export function baselinesOf(sessions: readonly HaystackSession[]): readonly Baseline[] {
  const whole = sessions.map((one) => ({ sessionId: one.id, text: linesOf(one).join("\n") }));
  const turns = sessions.flatMap((one) =>
    one.talks.map((talk) => ({ sessionId: one.id, text: linesOf({ talks: [talk] }).join("\n") })),
  );
  return [
    { name: "BM25 of sessions", ...bm25(whole) },
    { name: "BM25 of turns", ...bm25(turns) },
    { name: "rg", first: (question) => mostLines(sessions, question) },
  ];
}

/** Returns one line for each message. */
function linesOf({ talks }: Pick<HaystackSession, "talks">): string[] {
  return talks.flatMap(({ person, agent, call }) => [
    person,
    ...(call === undefined ? [] : [`${call.tool} ${call.input} ${call.output}`.replaceAll("\n", " ")]),
    agent,
  ]);
}

function tokensOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

const [K1, B] = [1.2, 0.75];

function bm25(documents: readonly Document[]): Pick<Baseline, "first"> {
  const counted = documents.map(({ sessionId, text }) => {
    const counts = new Map<string, number>();
    const words = tokensOf(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    return { sessionId, counts, length: words.length };
  });
  const mean = counted.reduce((sum, { length }) => sum + length, 0) / counted.length;
  const holding = new Map<string, number>();
  for (const { counts } of counted)
    for (const word of counts.keys()) holding.set(word, (holding.get(word) ?? 0) + 1);
  const idf = (word: string): number => {
    const count = holding.get(word) ?? 0;
    return Math.log(1 + (counted.length - count + 0.5) / (count + 0.5));
  };
  return {
    first(question) {
      const words = [...new Set(tokensOf(question))];
      let best: { readonly sessionId: string; readonly score: number } | null = null;
      for (const { sessionId, counts, length } of counted) {
        const score = words.reduce((sum, word) => {
          const count = counts.get(word) ?? 0;
          return sum + (idf(word) * count * (K1 + 1)) / (count + K1 * (1 - B + (B * length) / mean));
        }, 0);
        if (score > (best?.score ?? 0)) best = { sessionId, score };
      }
      return best?.sessionId ?? null;
    },
  };
}

/** The same as `rg --count --ignore-case -e WORD …` over one file a session: the file with the most lines. */
function mostLines(sessions: readonly HaystackSession[], question: string): string | null {
  const words = tokensOf(question).filter((word) => word.length > 3);
  let best: { readonly id: string; readonly count: number } | null = null;
  for (const session of sessions) {
    const count = linesOf(session).filter((line) => {
      const text = line.toLowerCase();
      return words.some((word) => text.includes(word));
    }).length;
    if (count > (best?.count ?? 0)) best = { id: session.id, count };
  }
  return best?.id ?? null;
}
