/** The note writer without a model: the sentence of a batch that has most of the words that the batch repeats. */

import type { EvidenceItem, NoteWriter } from "./types.ts";
import { contentWords } from "./words.ts";

interface Sentence {
  readonly text: string;
  readonly item: EvidenceItem;
  readonly words: readonly string[];
}

/** Fewer content words make no note. */
const FEWEST_WORDS = 3;
const LONGEST = 400;

export function extractiveWriter(): NoteWriter {
  return {
    name: "extractive",
    write: async ({ batchId, evidence }) => {
      const spoken = evidence.filter(({ type, text }) => text !== "" && type !== "frame_captured");
      const sentences = spoken.flatMap(sentencesOf).filter(({ words }) => words.length >= FEWEST_WORDS);
      const best = bestOf(sentences);
      if (best === undefined) return { drafts: [] };
      const startMs = Math.min(...spoken.map((item) => item.startMs));
      const endMs = Math.max(...spoken.map((item) => item.endMs));
      const text = best.text.length > LONGEST ? `${best.text.slice(0, LONGEST - 1).trimEnd()}…` : best.text;
      const draft = {
        draftId: `${batchId}/1`,
        text,
        startMs,
        endMs,
        confidence: 0.8,
        evidence: spoken.map(({ id }) => id),
      };
      return { drafts: [draft] };
    },
  };
}

function sentencesOf(item: EvidenceItem): readonly Sentence[] {
  const segmenter = new Intl.Segmenter("und", { granularity: "sentence" });
  return [...segmenter.segment(item.text)].map(({ segment }) => {
    const text = segment.trim();
    return { text, item, words: contentWords(text, item.lang) };
  });
}

/** The earliest of the best: the result is the same for the same batch. */
function bestOf(sentences: readonly Sentence[]): Sentence | undefined {
  const counts = new Map<string, number>();
  for (const { words } of sentences) {
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const score = ({ words }: Sentence): number =>
    words.reduce((sum, word) => sum + (counts.get(word) ?? 0), 0) / Math.sqrt(words.length);
  return sentences.toSorted((a, b) => score(b) - score(a))[0];
}
