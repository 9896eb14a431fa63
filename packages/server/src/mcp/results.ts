/** Results as an answer: as many as fit of those that the caller may see. Pure. */

import type { SearchResults } from "@continuo/agents/search";
import { z } from "zod";
import { type Answer, DATA_NOTE, largestWithin, QUOTED_NOTE } from "./answer.ts";
import { foundOutput, type HitData, hitToText } from "./hits.ts";
import { isVisible } from "./sessions.ts";
import type { ToolContext } from "./tool-context.ts";

export const hitsOutput: z.ZodObject = z.object({
  note: z.string(),
  total: z.number(),
  notSearched: z.number(),
  next: z.number().nullable(),
  results: z.array(foundOutput),
});

export function visibleResults<T extends SearchResults>(found: T, context: ToolContext): T {
  const results = found.results.filter(({ session }) => isVisible(session, context));
  return { ...found, results, total: found.total - (found.results.length - results.length) };
}

export interface HitsAnswerOptions {
  /** The number of all hits. */
  readonly total: number;
  /** The index of this answer's first hit among all hits. */
  readonly offset: number;
  readonly notSearched: number;
  readonly maxTokens: number;
  head(total: number): string;
  readonly nothing: string;
}

export function hitsAnswer(hits: readonly HitData[], options: HitsAnswerOptions): Answer {
  const { total, offset, notSearched, maxTokens } = options;
  return largestWithin(hits.length, maxTokens, (count) => {
    const results = hits.slice(0, count);
    const end = offset + count;
    const next = end < total ? end : null;
    const head = [
      total === 0
        ? notSearched === 0
          ? options.nothing
          : "This search is not complete: no match so far."
        : `${options.head(total)} ${QUOTED_NOTE}`,
      missingNote(notSearched),
      next === null || count === 0 ? "" : `Results ${offset + 1} to ${end}; offset: ${next} shows more.`,
    ];
    const texts = results.map((data, at) => hitToText(data, offset + at + 1));
    return {
      text: [head.filter((line) => line !== "").join("\n"), ...texts].join("\n\n"),
      data: { note: DATA_NOTE, total, notSearched, next, results },
    };
  });
}

/** Returns the note that an answer is not complete; empty if it is complete. */
function missingNote(notSearched: number): string {
  if (notSearched === 0) return "";
  const sessions = notSearched === 1 ? "1 session is" : `${notSearched} sessions are`;
  return `${sessions} not searched: time was over. The same call searches more of them.`;
}
