/** Finds the ranges of a text to colour, from the output of the highlighter and from replaced lines. Pure. */

import type { HighlightRanges } from "./tokens.ts";

/** Maps the highlighter's classes to the few colours of the page. */
const COLOURS: Readonly<Record<string, string>> = {
  keyword: "keyword",
  literal: "keyword",
  built_in: "type",
  type: "type",
  "selector-tag": "keyword",
  string: "string",
  regexp: "string",
  "meta-string": "string",
  char: "string",
  link: "string",
  number: "number",
  symbol: "number",
  variable: "name",
  "template-variable": "name",
  comment: "comment",
  quote: "comment",
  doctag: "comment",
  meta: "comment",
  title: "name",
  section: "name",
  name: "name",
  attr: "name",
  attribute: "name",
  property: "name",
  "selector-class": "name",
  "selector-id": "name",
  tag: "name",
  bullet: "keyword",
};

const PIECE = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|([^<&]+)/gu;

/** `html` is the highlighter's output: only spans, five entities and text. */
export function highlightRangesOf(html: string): HighlightRanges[] {
  const painted: HighlightRanges[] = [];
  const open: (string | null)[] = [];
  let at = 0;
  for (const [piece, name, , text] of html.matchAll(PIECE)) {
    if (name !== undefined) open.push(colourOf(name) ?? open.at(-1) ?? null);
    else if (piece === "</span>") open.pop();
    else {
      const colour = open.at(-1) ?? null;
      // The page contains the entity as one character.
      const shown = text ?? "&";
      if (colour !== null) painted.push(...rangesByLine(shown, at, `code-${colour}`));
      at += shown.length;
    }
  }
  return painted;
}

function colourOf(name: string): string | null {
  const [, kind = ""] = /hljs-([\w-]+)/u.exec(name) ?? [];
  return COLOURS[kind] ?? null;
}

/** Makes one range for each line, because each line of a difference is a separate node of the page. */
function rangesByLine(text: string, start: number, name: string): HighlightRanges[] {
  const painted: HighlightRanges[] = [];
  let from = start;
  for (const line of text.split("\n")) {
    if (line !== "") painted.push({ from, to: from + line.length, name });
    from += line.length + 1;
  }
  return painted;
}

interface Word {
  readonly value: string;
  readonly added?: boolean;
  readonly removed?: boolean;
}

const MAX_LINE_CHARS = 2_000;

/**
 * The ranges of changed words, if removed lines are followed by the same number of added lines. If two lines have less
 * than half of their text in common, no word is marked. `compare` splits two lines into words, as `diffWords` does.
 */
export function changedWords(
  text: string,
  signs: readonly string[],
  compare: (before: string, after: string) => readonly Word[],
): HighlightRanges[] {
  const lines = text.split("\n");
  const starts: number[] = [];
  let start = 0;
  for (const line of lines) {
    starts.push(start);
    start += line.length + 1;
  }
  return pairsOf(signs).flatMap(([old, fresh]) => {
    const [before = "", after = ""] = [lines[old], lines[fresh]];
    if (before.length > MAX_LINE_CHARS || after.length > MAX_LINE_CHARS) return [];
    const words = compare(before, after);
    const same = words.reduce(
      (sum, { value, added, removed }) => sum + (added || removed ? 0 : value.length),
      0,
    );
    if (same * 2 < Math.max(before.length, after.length)) return [];
    let [from, to] = [starts[old] ?? 0, starts[fresh] ?? 0];
    const painted: HighlightRanges[] = [];
    for (const { value, added, removed } of words) {
      if (removed) painted.push({ from, to: from + value.length, name: "word-del" });
      if (added) painted.push({ from: to, to: to + value.length, name: "word-ins" });
      if (!added) from += value.length;
      if (!removed) to += value.length;
    }
    return painted;
  });
}

/** Pairs of line numbers: a removed line and the line that replaces it. */
function pairsOf(signs: readonly string[]): (readonly [number, number])[] {
  const pairs: (readonly [number, number])[] = [];
  for (let at = 0; at < signs.length; at++) {
    const removed = runOf(signs, at, "-");
    const added = runOf(signs, at + removed, "+");
    if (removed > 0 && removed === added) {
      for (let line = 0; line < removed; line++) pairs.push([at + line, at + removed + line]);
    }
    at += Math.max(0, removed + added - 1);
  }
  return pairs;
}

function runOf(signs: readonly string[], start: number, sign: string): number {
  let length = 0;
  while (signs[start + length] === sign) length += 1;
  return length;
}
