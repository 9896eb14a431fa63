/** The embedder without a model: hashes the words of a text and their parts into a vector. Pure. */

import type { Embedder } from "../kit/index.ts";
import { contentWords, functionWords } from "../sentences/index.ts";

const DIMENSIONS = 1_024;
/** A word weighs more than its parts. The parts find the word in another form (`lamp`, `lamps`). */
const WORD_WEIGHT = 1;
const PART_WEIGHT = 0.35;
const PART_LENGTH = 4;
/**
 * Texts on one subject with different content stay below this cosine: test/live/embedders.test.ts measures both sides.
 */
const THRESHOLD = 0.55;

export function lexicalEmbedder(): Embedder {
  return {
    name: "lexical",
    threshold: THRESHOLD,
    embed: async (texts) => texts.map(lexicalVector),
  };
}

function lexicalVector(text: string): readonly number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  const add = (feature: string, weight: number): void => {
    const place = hashOf(feature) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + weight;
  };
  const words = contentWords(text).filter((word) => !functionWords.has(word));
  for (const word of new Set(words)) {
    add(word, WORD_WEIGHT);
    for (let n = 0; n + PART_LENGTH <= word.length; n++) {
      add(`~${word.slice(n, n + PART_LENGTH)}`, PART_WEIGHT);
    }
  }
  return vector;
}

/** FNV-1a over UTF-16 units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), 0x01000193);
  return hash >>> 0;
}
