/**
 * The note writer without a model: for each stretch of the medium in a batch, it takes the sentence with the most words
 * that the stretch repeats.
 */

import { LIMITS } from "./limits.ts";
import { contentWords } from "./sentences/index.ts";
import type { Draft, EvidenceItem, NoteWriter } from "./types.ts";

interface Sentence {
  readonly text: string;
  readonly item: EvidenceItem;
  readonly words: readonly string[];
}

/** A sentence with fewer content words becomes no note. */
const FEWEST_WORDS = 3;
const LONGEST = 400;
/** A jump back, or a jump ahead of this length, begins another stretch: people rewind and skip. */
const SKIP_MS = 15_000;

export function extractiveWriter(): NoteWriter {
  return {
    name: "extractive",
    write: async ({ batchId, evidence }) => {
      const spoken = evidence.filter(({ type, text }) => text !== "" && type !== "frame_captured");
      const drafts = stretchesOf(spoken).flatMap((stretch, n) => draftOf(stretch, `${batchId}/${n + 1}`));
      return { drafts: drafts.slice(0, LIMITS.draftsPerBatch) };
    },
  };
}

function stretchesOf(spoken: readonly EvidenceItem[]): readonly (readonly EvidenceItem[])[] {
  const stretches: EvidenceItem[][] = [];
  let before: EvidenceItem | undefined;
  for (const item of spoken) {
    const isNext =
      before !== undefined && item.startMs >= before.startMs && item.startMs - before.endMs <= SKIP_MS;
    if (isNext) stretches.at(-1)?.push(item);
    else stretches.push([item]);
    before = item;
  }
  return stretches;
}

function draftOf(stretch: readonly EvidenceItem[], draftId: string): readonly Draft[] {
  const best = bestOf(stretch.flatMap(sentencesOf).filter(({ words }) => words.length >= FEWEST_WORDS));
  if (best === undefined) return [];
  const draft = {
    draftId,
    text: best.text.length > LONGEST ? `${best.text.slice(0, LONGEST - 1).trimEnd()}…` : best.text,
    startMs: Math.min(...stretch.map(({ startMs }) => startMs)),
    endMs: Math.max(...stretch.map(({ endMs }) => endMs)),
    confidence: 0.8,
    evidence: stretch.map(({ id }) => id),
  };
  return [draft];
}

function sentencesOf(item: EvidenceItem): readonly Sentence[] {
  const segmenter = new Intl.Segmenter("und", { granularity: "sentence" });
  return [...segmenter.segment(item.text)].map(({ segment }) => {
    const text = segment.trim();
    return { text, item, words: contentWords(text, item.lang) };
  });
}

/** Among equals the earliest one, so that the same batch always gives the same result. */
function bestOf(sentences: readonly Sentence[]): Sentence | undefined {
  const counts = new Map<string, number>();
  for (const { words } of sentences) {
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const score = ({ words }: Sentence): number =>
    words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.sqrt(words.length);
  return sentences.toSorted((a, b) => score(b) - score(a))[0];
}
