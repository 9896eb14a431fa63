/** Captions without punctuation, drawn in a style, and the notes that a writer without a model makes of them. */

import { expect } from "vitest";
import { measurePlain } from "./drafts.ts";

type PlainCase = Parameters<typeof measurePlain>[0];

/** @param share of the thoughts that the notes cover at least */
export async function expectWholeSentences(of: PlainCase, share: number): Promise<void> {
  const { thoughts, covered, notes, halves, sentences } = await measurePlain(of);
  expect(covered / thoughts).toBeGreaterThanOrEqual(share);
  expect(notes / thoughts).toBeLessThanOrEqual(1.3);
  expect(sentences).toBeGreaterThan(50);
  expect(halves).toEqual([]);
}
