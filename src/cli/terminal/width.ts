/**
 * Measures the columns that a text takes on a terminal, and cuts and wraps text to a number of columns. Invisible
 * characters in the text must already have been made visible.
 */

import { createRequire } from "node:module";
import { besideBundle } from "@continuo/files";
import type { Paint, Style } from "./paint.ts";

/**
 * These characters have one column each without a look-up: ASCII, Latin, Greek, Cyrillic, dashes, quotes, box drawing.
 */
const NARROW =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2500-\u257f]*$/u;

/**
 * The characters of `NARROW`, and Han, kana, Hangul and full-width letters, which have two columns each and never
 * combine with other characters.
 */
const PLAIN =
  /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0370-\u0482\u048a-\u052f\u2010-\u2027\u2500-\u257f\u3001-\u3029\u3041-\u3096\u309b-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uff01-\uff60]*$/u;
const WIDE = /[\u3001-\uff60]/gu;

type Measure = (text: string) => number;
let measure: Measure | null = null;

/** `string-width` compiles expressions over all emoji, which takes 40 ms: it is loaded only if it is needed. */
export function widthOf(text: string): number {
  if (NARROW.test(text)) return text.length;
  if (PLAIN.test(text)) return text.length + (text.match(WIDE)?.length ?? 0);
  if (measure === null) {
    const file = besideBundle(import.meta.filename, "character-width");
    const loaded: { default: Measure } = createRequire(import.meta.url)(file);
    measure = loaded.default;
  }
  return measure(text);
}

const ELLIPSIS = "…";
/** No line of a terminal is longer, so the rest of a text is not measured. */
const MAX_COLUMNS = 4096;

/** Cuts the text to at most `columns` columns; a cut text has `…` at its end. */
export function cutEnd(text: string, columns: number): string {
  if (text.length <= MAX_COLUMNS && widthOf(text) <= columns) return text;
  if (columns < 1) return "";
  return `${takeColumns(text.slice(0, MAX_COLUMNS), columns - 1)}${ELLIPSIS}`;
}

/** Cuts the text to at most `columns` columns; a cut text has `…` at its beginning. */
export function cutStart(text: string, columns: number): string {
  if (text.length <= MAX_COLUMNS && widthOf(text) <= columns) return text;
  if (columns < 1) return "";
  const kept: string[] = [];
  let used = 0;
  for (const cluster of clustersOf(text.slice(-MAX_COLUMNS)).toReversed()) {
    used += widthOf(cluster);
    if (used > columns - 1) break;
    kept.push(cluster);
  }
  return `${ELLIPSIS}${kept.toReversed().join("")}`;
}

/** The longest beginning that fits. */
function takeColumns(text: string, columns: number): string {
  if (NARROW.test(text)) return text.slice(0, columns);
  let taken = "";
  let used = 0;
  for (const cluster of clustersOf(text)) {
    used += widthOf(cluster);
    if (used > columns) break;
    taken += cluster;
  }
  return taken;
}

/** On an empty line, one cluster is taken even if it is too wide. Otherwise, the loop would never end. */
function firstCluster(text: string, used: number): string {
  return used > 0 ? "" : (clustersOf(text.slice(0, 64))[0] ?? "");
}

let segmenter: Intl.Segmenter | null = null;

function clustersOf(text: string): string[] {
  if (PLAIN.test(text)) return [...text];
  segmenter ??= new Intl.Segmenter("en");
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

/** A stretch of a line in one style. */
export interface Span {
  readonly text: string;
  readonly styles?: readonly Style[];
}

/**
 * Returns lines of at most `columns` columns, broken at spaces if possible, otherwise inside words. Line feeds in spans
 * begin a new line; a tab is four spaces.
 */
export function wrap(spans: readonly Span[], columns: number, paint: Paint): string[] {
  const lines: string[] = [];
  const limit = Math.max(1, columns);
  let line = "";
  let used = 0;
  const flush = (): void => {
    lines.push(line);
    line = "";
    used = 0;
  };
  for (const { text, styles = [] } of spans) {
    for (const [index, row] of text.split("\n").entries()) {
      if (index > 0) flush();
      for (const word of row.replaceAll("\t", "    ").match(/ +|[^ ]+/gu) ?? []) {
        const width = widthOf(word);
        if (used + width <= limit) {
          line += paint(word, ...styles);
          used += width;
          continue;
        }
        // Spaces at a break are dropped.
        if (word.startsWith(" ") && used > 0) {
          flush();
          continue;
        }
        if (used > 0 && width <= limit) flush();
        for (let rest = word; rest !== ""; ) {
          const head = takeColumns(rest.slice(0, MAX_COLUMNS), limit - used) || firstCluster(rest, used);
          line += paint(head, ...styles);
          used += widthOf(head);
          rest = rest.slice(head.length);
          if (rest !== "") flush();
        }
      }
    }
  }
  flush();
  return lines;
}
