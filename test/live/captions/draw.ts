/** Talks as streams of captions: reads a talk, gives each word its time, and draws the captions as a site does. */

import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { randomFrom } from "../../store/harness/random.ts";

export interface DrawnPiece {
  /** The time at which the extension sends it, from the beginning of the viewing. */
  readonly atMs: number;
  readonly text: string;
  readonly mediaTimeMs: number;
  readonly endMs: number;
  readonly lang?: string;
}

export interface JudgedThought {
  /** Each is a word, or a list of words of which one is enough. */
  readonly keys: readonly (readonly string[])[];
  readonly startMs: number;
}

export interface Talk {
  readonly name: string;
  readonly lang: string;
  readonly pieces: readonly DrawnPiece[];
  readonly thoughts: readonly JudgedThought[];
  /** The texts between which a speaker ends something: at a sentence, or at a comma. */
  readonly clauses: readonly string[];
  readonly spokenMs: number;
}

interface Word {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly isJoined: boolean;
}

type CaptionStep =
  | { readonly type: "said"; readonly words: readonly Word[] }
  | { readonly type: "sound"; readonly text: string; readonly startMs: number; readonly endMs: number }
  | { readonly type: "back"; readonly fromMs: number; readonly toMs: number };

const PAUSES = {
  short: { comma: 120, sentence: 380, thought: 1_100 },
  long: { comma: 260, sentence: 750, thought: 1_800 },
};
/**
 * The earliest and the latest time after which the extension sees a word that a page drew; it is late if it misses the
 * change.
 */
const LOOK_MS = { drawn: 50, polled: 500 };

export function talksIn(folder: "tune" | "final" | "judged" | "blind"): readonly Talk[] {
  const path = join(import.meta.dirname, folder);
  return readdirSync(path)
    .filter((name) => name.endsWith(".txt"))
    .toSorted()
    .map((name) => readTalk(basename(name, ".txt"), readFileSync(join(path, name), "utf8")));
}

export function readTalk(name: string, text: string): Talk {
  const [head = "", ...blocks] = text.trim().split(/\n\n+/u);
  const fields = Object.fromEntries(head.split("\n").map((line) => line.split(": ") as [string, string]));
  const { lang = "en", style = "cues" } = fields;
  const voice = speaker(lang, PAUSES[fields.pauses === "short" ? "short" : "long"], randomOf(name));
  const steps: CaptionStep[] = [];
  const thoughts: JudgedThought[] = [];
  const clauses: string[] = [];
  for (const block of blocks) {
    const [, command, seconds] = /^@(back|skip) (\d+)$/u.exec(block) ?? [];
    if (command === "skip") voice.skip(Number(seconds) * 1_000);
    else if (command === "back")
      steps.push({ type: "back", fromMs: voice.nowMs(), toMs: voice.nowMs() - Number(seconds) * 1_000 });
    else if (/^[[♪]/u.test(block)) steps.push(voice.sound(block));
    else {
      const [keys = "", ...lines] = block.split("\n");
      const said = lines.join(" ").replace(/>> /gu, ">>");
      clauses.push(...said.split(/(?<=[.!?؟,،;:])\s|(?<=[。！？、])|>>/u).flatMap((one) => one.trim() || []));
      const words = voice.say(said);
      if (keys.startsWith("# keys:")) {
        const named = keys
          .slice(7)
          .split(",")
          .map((key) => key.trim().toLowerCase().split("|"));
        thoughts.push({ keys: named, startMs: words[0]?.startMs ?? 0 });
      }
      steps.push({ type: "said", words });
      voice.endThought();
    }
  }
  const ended = clauses.flatMap((clause) => splitAfter(clause, fields.ends));
  const isPlain = fields.punctuation === "no";
  const drawn = DRAWN[style]?.(steps, { lang, isPlain }) ?? [];
  return { name, lang, pieces: played(drawn, steps), thoughts, clauses: ended, spokenMs: voice.nowMs() };
}

/** Splits a clause in two, after words with which one of its main clauses ends without a comma. */
function splitAfter(clause: string, words: string | undefined): readonly string[] {
  const at = words === undefined ? -1 : clause.indexOf(words);
  return at < 0
    ? [clause]
    : [clause.slice(0, at + (words?.length ?? 0)), clause.slice(at + (words?.length ?? 0))];
}

function speaker(lang: string, pauses: (typeof PAUSES)["short"], random: () => number) {
  const segmenter = new Intl.Segmenter(lang, { granularity: "word" });
  let nowMs = 1_000;
  const wait = (ms: number): void => {
    nowMs += Math.round(ms * (0.6 + 0.8 * random()));
  };
  const tokens = (text: string): readonly { text: string; isJoined: boolean }[] => {
    if (lang !== "ja") return text.split(/\s+/u).map((word) => ({ text: word, isJoined: false }));
    const found: { text: string; isJoined: boolean }[] = [];
    for (const { segment, isWordLike } of segmenter.segment(text)) {
      const last = found.at(-1);
      if (isWordLike === true || last === undefined) found.push({ text: segment, isJoined: true });
      else last.text += segment;
    }
    return found;
  };
  return {
    nowMs: () => nowMs,
    skip: (ms: number): void => {
      nowMs += ms;
    },
    say: (text: string): readonly Word[] =>
      tokens(text).map(({ text: word, isJoined }) => {
        const startMs = nowMs;
        const letters = word.replace(/^>>/u, "").length;
        wait(lang === "ja" ? 40 + 130 * letters : 130 + 48 * letters);
        const endMs = nowMs;
        if (/[.!?。！？؟]$/u.test(word)) wait(pauses.sentence);
        else if (/[,;:、،]$/u.test(word)) wait(pauses.comma);
        return { text: word, startMs, endMs, isJoined };
      }),
    endThought: (): void => wait(pauses.thought),
    sound: (text: string): CaptionStep => {
      const startMs = nowMs;
      wait(4_000);
      return { type: "sound", text, startMs, endMs: nowMs };
    },
  };
}

interface Drawing {
  readonly lang: string;
  readonly isPlain: boolean;
}

type Draw = (steps: readonly CaptionStep[], drawing: Drawing) => readonly Omit<DrawnPiece, "atMs">[];

/** The words of a step as captions show them. */
function shown(words: readonly Word[], { isPlain }: Drawing): readonly Word[] {
  const plain = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}\p{M}'’-]/gu, "");
  return words
    .map((word) => ({ ...word, text: isPlain ? plain(word.text) : word.text.replace(/^>>/u, ">> ") }))
    .filter(({ text }) => text !== "");
}

function textOf(words: readonly Word[]): string {
  return words.map(({ text, isJoined }, n) => (n === 0 || isJoined ? text : ` ${text}`)).join("");
}

const saidOrSound = (
  steps: readonly CaptionStep[],
  draw: (words: readonly Word[]) => readonly Omit<DrawnPiece, "atMs">[],
): readonly Omit<DrawnPiece, "atMs">[] =>
  steps.flatMap((step) => {
    if (step.type === "sound") return [{ text: step.text, mediaTimeMs: step.startMs, endMs: step.endMs }];
    return step.type === "said" ? draw(step.words) : [];
  });

const lookedAt = (
  steps: readonly CaptionStep[],
  drawing: Drawing,
  everyMs: number,
): readonly Omit<DrawnPiece, "atMs">[] =>
  saidOrSound(steps, (words) => {
    const looks = new Map<number, Word[]>();
    for (const word of shown(words, drawing)) {
      const at = Math.ceil(word.startMs / everyMs) * everyMs;
      looks.set(at, [...(looks.get(at) ?? []), word]);
    }
    return [...looks].map(([at, group]) => ({ text: textOf(group), mediaTimeMs: at, endMs: at }));
  });

const DRAWN: Readonly<Record<string, Draw>> = {
  /** The extension reads the new words of a page soon after each change. */
  drawn: (steps, drawing) => lookedAt(steps, drawing, LOOK_MS.drawn),
  /** It also looks at the page twice a second. */
  polled: (steps, drawing) => lookedAt(steps, drawing, LOOK_MS.polled),
  /** Single words with their times. */
  words: (steps, drawing) =>
    saidOrSound(steps, (words) =>
      shown(words, drawing).map(({ text, startMs, endMs }) => ({
        text,
        mediaTimeMs: startMs,
        endMs,
        lang: drawing.lang,
      })),
    ),
  /** Whole cues of two lines, which end where the lines are full. */
  cues: (steps, drawing) => {
    const room = drawing.lang === "ja" ? 26 : 74;
    return saidOrSound(steps, (words) => {
      const cues: Word[][] = [[]];
      for (const word of shown(words, drawing)) {
        const last = cues.at(-1) ?? [];
        const isFull = textOf([...last, word]).length > room;
        const isTurn = word.text.startsWith(">>") && last.length > 0;
        if (isFull || isTurn) cues.push([word]);
        else last.push(word);
      }
      return cues
        .filter((cue) => cue.length > 0)
        .map((cue) => ({
          text: textOf(cue),
          mediaTimeMs: cue[0]?.startMs ?? 0,
          endMs: cue.at(-1)?.endMs ?? 0,
          lang: drawing.lang,
        }));
    });
  },
  /** Windows of two lines that move up: each piece repeats the line before it, and grows. */
  windows: (steps, drawing) =>
    saidOrSound(steps, (words) => {
      const lines: Word[][] = [[]];
      const pieces: Omit<DrawnPiece, "atMs">[] = [];
      for (const word of shown(words, drawing)) {
        if (textOf([...(lines.at(-1) ?? []), word]).length > 36) lines.push([]);
        lines.at(-1)?.push(word);
        const text = lines.slice(-2).map(textOf).join("\n");
        pieces.push({ text, mediaTimeMs: word.startMs, endMs: word.endMs, lang: drawing.lang });
      }
      return pieces;
    }),
};

/** The pieces in the order in which they are seen, including those that are repeated after a seek back. */
function played(
  pieces: readonly Omit<DrawnPiece, "atMs">[],
  steps: readonly CaptionStep[],
): readonly DrawnPiece[] {
  const backs = steps.flatMap((step) => (step.type === "back" ? [step] : []));
  const seen: DrawnPiece[] = [];
  let fromMs = 0;
  let lateMs = 0;
  const show = (from: number, to: number): void => {
    for (const piece of pieces) {
      if (piece.mediaTimeMs >= from && piece.mediaTimeMs < to)
        seen.push({ ...piece, atMs: piece.mediaTimeMs + lateMs });
    }
  };
  for (const back of backs) {
    show(fromMs, back.fromMs);
    lateMs += back.fromMs - back.toMs;
    fromMs = back.toMs;
  }
  show(fromMs, Number.POSITIVE_INFINITY);
  return seen;
}

/** Returns the same numbers for the same name. */
function randomOf(name: string): () => number {
  let state = 7;
  for (const letter of name) state = (Math.imul(state, 31) + letter.charCodeAt(0)) | 0;
  return randomFrom(state);
}
