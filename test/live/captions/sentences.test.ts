/** Sentences from pieces of captions: no word is lost or repeated, however captions are drawn and batched. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  EMPTY_JOIN_STATE,
  earlierWords,
  endSentence,
  isBehind,
  isRepeat,
  type JoinState,
  joinPiece,
  openSentence,
  type Piece,
  type Sentence,
  stepBack,
} from "@continuo/live/sentences";
import { expect, test } from "vitest";
import { readTalk, type Talk, talksIn } from "./draw.ts";

const STYLES = ["drawn", "polled", "words", "cues", "windows"] as const;
const NAMES = ["bees", "brot", "cha", "mosque"];

function talk(name: string, head: Readonly<Record<string, string>>): Talk {
  let text = readFileSync(join(import.meta.dirname, "tune", `${name}.txt`), "utf8");
  for (const [field, value] of Object.entries(head)) {
    text = text.replace(new RegExp(`^${field}: .*$`, "mu"), `${field}: ${value}`);
  }
  return readTalk(name, text);
}

function piecesOf({ pieces }: Talk): readonly Piece[] {
  return pieces.map(({ text, mediaTimeMs, endMs, lang }, n) => ({
    sequence: n + 1,
    text,
    startMs: mediaTimeMs,
    endMs,
    ...(lang === undefined ? {} : { lang }),
  }));
}

function joined(pieces: readonly Piece[], state: JoinState = EMPTY_JOIN_STATE): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let now = state;
  for (const piece of pieces) {
    const step = joinPiece(now, piece);
    now = step.state;
    sentences.push(...step.sentences);
  }
  return [...sentences, ...endSentence(now).sentences];
}

const at = (text: string, startMs: number, endMs: number = startMs, lang = "en"): Piece => ({
  sequence: startMs,
  text,
  startMs,
  endMs,
  lang,
});

const textsOf = (sentences: readonly Sentence[]): readonly string[] => sentences.map(({ text }) => text);
const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");

test.each(NAMES.flatMap((name) => STYLES.map((style) => [name, style] as const)))(
  "the sentences of %s have each word once, in its order, when captions are drawn as %s",
  (name, style) => {
    for (const punctuation of ["yes", "no"]) {
      const drawn = talk(name, { style, punctuation });
      const sentences = joined(piecesOf(drawn));
      expect(lettersOf(textsOf(sentences).join(""))).toBe(lettersOf(drawn.clauses.join("")));
      for (const [n, { startMs, endMs }] of sentences.entries()) {
        expect(endMs).toBeGreaterThanOrEqual(startMs);
        expect(startMs).toBeGreaterThanOrEqual(sentences[n - 1]?.startMs ?? 0);
      }
    }
  },
);

test.each(["words", "windows"])(
  "a sentence begins at the time of its first word, when captions are drawn as %s",
  (style) => {
    const drawn = talk("lighthouse", { style });
    const begins = new Set(piecesOf(drawn).map(({ startMs }) => startMs));
    const sentences = joined(piecesOf(drawn));
    expect(sentences.length).toBeGreaterThan(20);
    expect(sentences.filter(({ startMs }) => !begins.has(startMs))).toEqual([]);
    for (const { startMs } of drawn.thoughts) expect(sentences.map((one) => one.startMs)).toContain(startMs);
  },
);

test.each(["words", "cues", "windows"])(
  "a sentence ends when its last word has been said, when captions are drawn as %s",
  (style) => {
    const drawn = talk("lighthouse", { style });
    const said = talk("lighthouse", { style: "words" }).pieces;
    const sentences = joined(piecesOf(drawn));
    let at = 0;
    const lateMs = sentences.map(({ text, endMs }) => {
      at += text.split(" ").length;
      return endMs - (said[at - 1]?.endMs ?? 0);
    });
    expect(at).toBe(said.length);
    // The times within a cue follow from the share of its letters.
    const most = style === "cues" ? 700 : 0;
    expect(Math.max(...lateMs.map(Math.abs)), lateMs.join(", ")).toBeLessThanOrEqual(most);
  },
);

test("storing and reading the state between any two pieces does not change the sentences", () => {
  for (const drawn of talksIn("tune")) {
    const pieces = piecesOf(drawn);
    let state = EMPTY_JOIN_STATE;
    const sentences: Sentence[] = [];
    for (const piece of pieces) {
      const step = joinPiece(JSON.parse(JSON.stringify(state)) as JoinState, piece);
      state = step.state;
      sentences.push(...step.sentences);
      expect(JSON.stringify(state).length).toBeLessThan(16_000);
    }
    expect([...sentences, ...endSentence(state).sentences]).toEqual(joined(pieces));
  }
});

test("a sentence ends at its punctuation, but not after a title, an initial or a number with a point", () => {
  expect(
    textsOf(
      joined([
        at("Dr. Smith met J. R. Hall at 3.5 degrees. Then they left! Why? Nobody", 0, 5_000),
        at("knows.", 5_000, 6_000),
      ]),
    ),
  ).toEqual(["Dr. Smith met J. R. Hall at 3.5 degrees.", "Then they left!", "Why?", "Nobody knows."]);
  expect(textsOf(joined([at("Am 3. Mai fuhr er z.B. nach Wien. Dort blieb er.", 0, 4_000, "de")]))).toEqual([
    "Am 3. Mai fuhr er z.B. nach Wien.",
    "Dort blieb er.",
  ]);
  expect(textsOf(joined([at("雨が降った。傘は", 0, 2_000, "ja"), at("ない。", 2_000, 3_000, "ja")]))).toEqual(
    ["雨が降った。", "傘はない。"],
  );
  expect(textsOf(joined([at("هل جاء؟ نعم، جاء.", 0, 2_000, "ar")]))).toEqual(["هل جاء؟", "نعم، جاء."]);
});

test("without punctuation no sentence ends with an article or a preposition, and none is longer than the limit", () => {
  const words =
    `the harbour was built of stone and the stone came from a quarry that lies in the hills to the north of the
    town where a railway carried it down to the coast for many years until the bridge fell into the river`.split(
      /\s+/u,
    );
  const pieces = Array.from({ length: 4 }, () => words)
    .flat()
    .map((word, n) => at(word, n * 400, n * 400 + 350));
  const sentences = joined(pieces);
  expect(sentences.length).toBeGreaterThan(3);
  for (const { text } of sentences) {
    expect(text.split(" ").length).toBeLessThanOrEqual(38);
    expect(text).not.toMatch(/ (?:the|a|of|to|in|from|into|for|and)$/u);
  }
});

test("marks of sounds are separate pieces, and repeated ones count once; marks of speakers stay", () => {
  const sentences = joined([
    at("[Music]", 0, 2_000),
    at("[Music]", 1_000, 3_000),
    at(">> Who is there? >> It is me.", 4_000, 7_000),
    at("♪ la la ♪", 8_000, 9_000),
    at("- And now?", 9_000, 10_000),
  ]);
  expect(sentences.map(({ kind, isTurn, text }) => [kind, isTurn, text])).toEqual([
    ["sound", false, "[Music]"],
    ["speech", true, "Who is there?"],
    ["speech", true, "It is me."],
    ["sound", false, "♪ la la ♪"],
    ["speech", true, "And now?"],
  ]);
});

test("a word that is spoken twice stays, and a window that is drawn again adds nothing", () => {
  expect(textsOf(joined([at("very", 0), at("very", 500), at("good", 1_000)]))).toEqual(["very very good"]);
  const window = [
    at("we go", 0, 900),
    at("we go home", 0, 1_500),
    at("we go home\nby", 900, 2_000),
    at("we go home\nby", 900, 2_000),
  ];
  expect(textsOf(joined(window))).toEqual(["we go home by"]);
});

test("if words are drawn one by one for long, a word that ends one speaker's words and begins the next one's is kept twice", () => {
  const words = "around a fifth of them needed a part that we had to order and the rest was".split(" ");
  const before = words.map((word, n) => at(word, n * 500));
  const answer = [at("dead", 8_500), at("dead like", 9_500), at("how", 10_000)];
  expect(textsOf(joined([...before, ...answer])).join(" ")).toMatch(/was dead\.? dead like how/iu);
  // In a window that grew word by word until then, the last word grew too.
  const grown = words.map((_, n) => at(words.slice(Math.max(0, n - 3), n + 1).join(" "), n * 500));
  const rolling = [at("order and the rest was dead", 8_500), at("the rest was dead like", 9_000)];
  expect(textsOf(joined([...grown, ...rolling])).join(" ")).toMatch(/was dead like/iu);
});

test("a cue that begins with the last words of the previous cue keeps them", () => {
  const cues = [
    at("The ferry goes six times a day.", 0, 3_000),
    at("Six times a day it brings goods.", 4_000, 6_000),
  ];
  expect(textsOf(joined(cues))).toEqual(cues.map(({ text }) => text));
});

test("the open sentence is known from its first words on, and a pause ends it only when the pause is over", () => {
  const { state, sentences } = joinPiece(EMPTY_JOIN_STATE, at("The harbour is", 1_000, 2_000));
  expect(sentences).toEqual([]);
  expect(openSentence(state)).toMatchObject({ text: "The harbour is", startMs: 1_000, endMs: 2_000 });
});

test("words that come again at an earlier time are a repetition, and corrected words are not", () => {
  const heard = [at("the ferry crosses six times a day", 1_000, 3_000), at("then it rests", 30_000, 31_000)];
  let state = EMPTY_JOIN_STATE;
  for (const piece of heard) state = joinPiece(state, piece).state;
  const again = { ...at("the ferry", 1_100, 1_600), sequence: 50 };
  expect(isBehind(state, again)).toBe(true);
  expect(isBehind(state, at("and then", 32_000))).toBe(false);
  expect(stepBack(state, again).backAt).toBe(50);
  const earlier = earlierWords(heard);
  expect(isRepeat(again, earlier)).toBe(true);
  expect(isRepeat(at("the ferry crosses sixteen times a day", 1_000, 3_000), earlier)).toBe(false);
  expect(isRepeat(at("the ferry", 20_000, 20_500), earlier)).toBe(false);
});
