/** Notes of the writer without a model. */

import { expect, test } from "vitest";
import { EMPTY_JOIN_STATE, endSentence, joinPiece, type Sentence } from "../sentences/index.ts";
import { addSentence, endThought, NO_THOUGHT } from "./cutter.ts";
import type { ThoughtNote } from "./note.ts";

const PAUSE_MS = 2_500;

/** The notes on paragraphs whose sentences follow each other after 500 ms. */
function notesOn(paragraphs: readonly (readonly string[])[], lang = "en"): readonly ThoughtNote[] {
  let state = NO_THOUGHT;
  let nowMs = 0;
  const notes: ThoughtNote[] = [];
  for (const [at, text] of paragraphs.flatMap((sentences) => [...sentences.entries()])) {
    const startMs = nowMs + (at === 0 ? PAUSE_MS : 500);
    nowMs = startMs + text.length * 65;
    const sentence: Sentence = {
      text,
      startMs,
      endMs: nowMs,
      lang,
      kind: "speech",
      isTurn: false,
      pieces: [startMs],
    };
    const added = addSentence(state, sentence);
    state = added.state;
    notes.push(...added.notes);
  }
  return [...notes, ...endThought(state).notes];
}

const BRIDGE = [
  "So, are you ready for this?",
  "The rope bridge of the village hangs over a gorge of thirty metres.",
  "It is made of grass, and the grass rots within a year.",
  "I lost a shoe on the bridge once, and that was in my first year here.",
  "Each June the families weave a new bridge of grass in 3 days.",
  "I think that it still lies down there in the gorge, under the bridge.",
];
const CLOCK = [
  "The oldest clock of the town stands in the tower of the mill.",
  "It has no hands, only a bell that strikes the hour.",
  "A stone of 40 kilos drives the wheels of the clock.",
  "The miller pulls the stone up each morning before he opens the gate.",
];

test("a note begins with the sentence that says its subject, and prefers facts to what the speaker tells of themselves", () => {
  const [note] = notesOn([BRIDGE]);
  expect(note?.text).toBe([BRIDGE[1], BRIDGE[2], BRIDGE[4]].join(" "));
});

test("a few words between two thoughts have no note, and do not move the next thought", () => {
  const notes = notesOn([
    BRIDGE,
    ["No, that was not a hint for the exam.", "Well, perhaps a small hint."],
    CLOCK,
  ]);
  expect(notes.map(({ text }) => text.slice(0, 16))).toEqual(["The rope bridge ", "The oldest clock"]);
});

test("a sentence with a guessed end is in a note together with the next one, so that both are complete", () => {
  const [first, second] = ["the miller pulls the stone", "up each morning before he opens the gate"];
  const one = { lang: "en", kind: "speech", isTurn: false, pieces: [1] } as const;
  const begun = addSentence(NO_THOUGHT, {
    ...one,
    text: first ?? "",
    startMs: 0,
    endMs: 2_000,
    isGuess: true,
  });
  const { state } = addSentence(begun.state, { ...one, text: second ?? "", startMs: 2_300, endMs: 5_000 });
  expect(endThought(state).notes.map(({ text }) => text)).toEqual([
    "The miller pulls the stone up each morning before he opens the gate.",
  ]);
});

test("a short clip has a note, even if it has only a few words", () => {
  expect(notesOn([["The harbour opens at dawn, and the ships wait."]])).toHaveLength(1);
});

test("a thought ends at a pause that is long for its speaker, even if the same words come again", () => {
  const again =
    "The grass of the rope bridge over the gorge is twisted by hand to a rope as thick as an arm.";
  expect(notesOn([BRIDGE, [again, ...CLOCK.slice(1)]])).toHaveLength(2);
});

test("a sentence that somebody interrupted is in no note together with complete ones", () => {
  const asked =
    ">> The rope bridge of the village hangs over a gorge and >> Since when? >> Since a monk wove it of grass.";
  const piece = { sequence: 1, text: asked, startMs: 0, endMs: 9_000, lang: "en" };
  const joined = joinPiece(EMPTY_JOIN_STATE, piece);
  const sentences = [...joined.sentences, ...endSentence(joined.state).sentences];
  const added = sentences.reduce((before, sentence) => addSentence(before, sentence).state, NO_THOUGHT);
  const [note] = endThought(added).notes;
  expect(note?.text).toBe("Since a monk wove it of grass.");
});

test("a short stretch with a greeting or an advertisement has no note, even if most of it could be a subject", () => {
  const aside = [
    "The free watering can of the garden shed is green.",
    "You get it with the promo code TOWER.",
    "It holds nine litres of rain.",
  ];
  expect(notesOn([aside])).toEqual([]);
  expect(notesOn([[...BRIDGE, ...aside]])).toHaveLength(1);
});
