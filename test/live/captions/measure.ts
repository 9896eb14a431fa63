/**
 * Measures how notes cover the judged thoughts of a talk: coverage, notes for each thought, times, half
 * sentences.
 */

import type { JudgedThought, Talk } from "./draw.ts";

export interface MeasuredNote {
  readonly text: string;
  readonly startMs: number;
}

export interface Measure {
  readonly thoughts: number;
  readonly covered: number;
  readonly notes: number;
  /** The distance between each covered thought and the beginning of its note. */
  readonly errorsMs: readonly number[];
  readonly sentences: number;
  /** Sentences of notes that begin or end where the speaker ends nothing. */
  readonly halves: readonly string[];
}

/** A note covers a thought when it has its key words and begins within 5 s of it. */
const NEAR_MS = 5_000;

export function measure(talk: Talk, notes: readonly MeasuredNote[]): Measure {
  const covering = talk.thoughts.map((thought) => notes.filter((note) => covers(note, thought)));
  const sentences = notes.flatMap(({ text }) => sentencesIn(text));
  const bounds = boundsOf(talk.clauses);
  return {
    thoughts: talk.thoughts.length,
    covered: covering.filter((one) => one.length > 0).length,
    notes: notes.length,
    errorsMs: talk.thoughts.flatMap(({ startMs }, n) => {
      const errors = (covering[n] ?? []).map((note) => Math.abs(note.startMs - startMs));
      return errors.length === 0 ? [] : [Math.min(...errors)];
    }),
    sentences: sentences.length,
    halves: sentences.filter((text) => isHalf(lettersOf(text), bounds)),
  };
}

export function sumOf(measures: readonly Measure[]): Measure & { readonly medianErrorMs: number } {
  const sum = (of: (one: Measure) => number): number => measures.reduce((total, one) => total + of(one), 0);
  const errorsMs = measures.flatMap((one) => one.errorsMs).toSorted((a, b) => a - b);
  return {
    thoughts: sum((one) => one.thoughts),
    covered: sum((one) => one.covered),
    notes: sum((one) => one.notes),
    errorsMs,
    sentences: sum((one) => one.sentences),
    halves: measures.flatMap((one) => one.halves),
    medianErrorMs: errorsMs[Math.floor(errorsMs.length / 2)] ?? Number.POSITIVE_INFINITY,
  };
}

function covers({ text, startMs }: MeasuredNote, thought: JudgedThought): boolean {
  const words = text.toLowerCase();
  return (
    Math.abs(startMs - thought.startMs) <= NEAR_MS &&
    thought.keys.every((some) => some.some((word) => words.includes(word)))
  );
}

interface Bounds {
  readonly letters: string;
  readonly places: ReadonlySet<number>;
}

/** The letters of a talk, and the places at which the speaker ends a clause. */
function boundsOf(clauses: readonly string[]): Bounds {
  let letters = "";
  const places = new Set([0]);
  for (const clause of clauses) {
    letters += lettersOf(clause);
    places.add(letters.length);
  }
  return { letters, places };
}

function isHalf(letters: string, bounds: Bounds): boolean {
  for (let at = bounds.letters.indexOf(letters); at >= 0; at = bounds.letters.indexOf(letters, at + 1)) {
    if (bounds.places.has(at) && bounds.places.has(at + letters.length)) return false;
  }
  return true;
}

function sentencesIn(text: string): readonly string[] {
  return text.split(/(?<=[.!?؟])\s+|(?<=[。！？])/u).filter((one) => lettersOf(one) !== "");
}

function lettersOf(text: string): string {
  return text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
}
