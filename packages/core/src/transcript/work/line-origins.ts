/**
 * The edits that wrote the lines of a file. The edits are undone one by one, the newest first: an edit wrote those of
 * its added lines that are still in their place. If somebody changed the file by hand after that, the remaining lines
 * count. Pure.
 */

import type { FileEdit } from "./file-edit.ts";
import { commonLinesOf, compareLines, type Hunk, type HunkLine } from "./hunks.ts";
import { withKnownText } from "./known-text.ts";
import { placesOf } from "./line-places.ts";

/** An edit that wrote a line: its index in the list of edits. */
export interface LineWriter {
  readonly edit: number;
  /** False if the edit wrote an earlier form of the line. */
  readonly isSame: boolean;
}

export interface LineOrigins {
  /** For each line of the file the edits that wrote it, the newest first; empty for a line that no edit wrote. */
  readonly lines: readonly (readonly LineWriter[])[];
  /** The oldest edits, which were not examined because the limit was reached. */
  readonly left: number;
}

/** The number of comparisons of lines after which the rest is left out. */
const MAX_VISITS = 20_000_000;
/** The greatest number of edits that are named for one line. */
const MAX_WRITERS = 20;

interface ModelLine {
  readonly text: string;
  /** The index of the line of the file that this line is, or that it became. */
  readonly of: number | null;
  readonly isSame: boolean;
}

/** @param edits in the order in which they were made */
export function lineOrigins(file: readonly string[], edits: readonly FileEdit[]): LineOrigins {
  const writers: LineWriter[][] = file.map(() => []);
  let model: ModelLine[] = file.map((text, of) => ({ text, of, isSame: true }));
  const known = withKnownText(edits);
  let visits = 0;
  for (let edit = known.length - 1; edit >= 0; edit--) {
    const { kind, hunks } = known[edit] as FileEdit;
    visits += model.length * (hunks.length + 1);
    if (visits > MAX_VISITS) return { lines: writers, left: edit + 1 };
    const wrote = (lines: readonly ModelLine[]): void => {
      for (const { of, text } of lines) {
        const list = of === null ? undefined : writers[of];
        if (list === undefined || list.length >= MAX_WRITERS || list.at(-1)?.edit === edit) continue;
        list.push({ edit, isSame: text === file[of as number] });
      }
    };
    if (kind === "edit") for (const hunk of hunks.toReversed()) model = takeBack(model, hunk, wrote);
    else for (const hunk of hunks) wrote(sameRuns(model, addedIn(hunk)));
  }
  return { lines: writers, left: 0 };
}

type WriteListener = (lines: readonly ModelLine[]) => void;

function addedIn({ lines }: Hunk): readonly string[] {
  return lines.filter(({ sign }) => sign === "+").map(({ text }) => text);
}

/** Returns the model before the hunk, as far as the lines of the hunk are found. */
function takeBack(model: ModelLine[], hunk: Hunk, wrote: WriteListener): ModelLine[] {
  const after = hunk.lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);
  const at = placeOf(model, after, hunk);
  if (at !== null) return undo(model, at, hunk.isPartial ? wholeLines(model, at, hunk) : hunk.lines, wrote);
  let now = model;
  for (const run of runsOf(hunk.lines).toReversed()) now = takeBackRun(now, run, wrote);
  return now;
}

/** The hunk with the unchanged parts of its first and its last line. */
function wholeLines(model: readonly ModelLine[], at: number, { lines }: Hunk): readonly HunkLine[] {
  const [old, fresh] = [
    lines.filter(({ sign }) => sign !== "+").map(({ text }) => text),
    lines.filter(({ sign }) => sign !== "-").map(({ text }) => text),
  ];
  const stands = model.slice(at, at + fresh.length).map(({ text }) => text);
  const [first = "", last = ""] = [stands[0], stands.at(-1)];
  const [start = "", end = ""] = [fresh[0], fresh.at(-1)];
  const from = fresh.length === 1 ? first.indexOf(start) : first.length - start.length;
  const to = fresh.length === 1 ? from + start.length : end.length;
  const [head, tail] = [first.slice(0, from), last.slice(to)];
  const whole = old.map(
    (text, index) => (index === 0 ? head : "") + text + (index === old.length - 1 ? tail : ""),
  );
  return compareLines(old.length === 0 ? [head + tail] : whole, stands);
}

/** One change of a hunk, with the unchanged lines around it. */
interface Run {
  readonly before: readonly HunkLine[];
  readonly changed: readonly HunkLine[];
  readonly after: readonly HunkLine[];
}

function runsOf(lines: readonly HunkLine[]): Run[] {
  const runs: Run[] = [];
  for (let from = 0; from < lines.length; from++) {
    if (lines[from]?.sign === " ") continue;
    let to = from;
    while (to < lines.length && lines[to]?.sign !== " ") to += 1;
    let [start, end] = [from, to];
    while (start > 0 && lines[start - 1]?.sign === " ") start -= 1;
    while (end < lines.length && lines[end]?.sign === " ") end += 1;
    runs.push({
      before: lines.slice(start, from),
      changed: lines.slice(from, to),
      after: lines.slice(to, end),
    });
    from = to;
  }
  return runs;
}

/** Tries again and again with fewer lines around the change, because somebody may have changed them by hand. */
function takeBackRun(model: ModelLine[], { before, changed, after }: Run, wrote: WriteListener): ModelLine[] {
  for (let around = Math.max(before.length, after.length, 0); around >= 0; around--) {
    const lines = [
      ...before.slice(Math.max(0, before.length - around)),
      ...changed,
      ...after.slice(0, around),
    ];
    const stands = lines.filter(({ sign }) => sign !== "-").map(({ text }) => text);
    const at = stands.length === 0 ? null : placeOf(model, stands, { at: null, lines });
    if (at !== null) return undo(model, at, lines, wrote);
  }
  wrote(
    sameRuns(
      model,
      changed.filter(({ sign }) => sign === "+").map(({ text }) => text),
    ),
  );
  return model;
}

/** The place of these lines in the model; `null` if they are not in it, or do not identify a place. */
function placeOf(model: readonly ModelLine[], stands: readonly string[], hunk: Hunk): number | null {
  if (stands.length === 0) return null;
  const places = placesOf(model, stands, hunk.isPartial === true);
  const [first, ...others] = places;
  if (first === undefined) return null;
  const isEnough = hunk.isPartial === true ? isWord : isTelling;
  if (others.length === 0) return stands.some(isEnough) ? first : null;
  if (!stands.some(isTelling)) return null;
  const wanted = hunk.at === null ? null : hunk.at - 1;
  if (wanted === null) return places.find((at) => model[at]?.isSame === true) ?? first;
  return places.reduce((best, at) => (Math.abs(at - wanted) < Math.abs(best - wanted) ? at : best), first);
}

/** True for a line with at least four letters or digits: a bracket or an empty line identifies no place. */
export function isTelling(text: string): boolean {
  return (text.match(/[\p{L}\p{N}]/gu)?.length ?? 0) >= 4;
}

/** A replaced text was in exactly one place of the file, so a smaller part of it is enough to find that place. */
function isWord(text: string): boolean {
  return /[\p{L}\p{N}]{2}/u.test(text);
}

function undo(
  model: readonly ModelLine[],
  at: number,
  lines: readonly HunkLine[],
  wrote: WriteListener,
): ModelLine[] {
  const made: ModelLine[] = model.slice(0, at);
  let from = at;
  for (let index = 0; index < lines.length; ) {
    const { sign } = lines[index] as HunkLine;
    if (sign === " ") {
      const line = model[from++];
      if (line !== undefined) made.push(line);
      index += 1;
      continue;
    }
    const run: HunkLine[] = [];
    while (index < lines.length && lines[index]?.sign !== " ") run.push(lines[index++] as HunkLine);
    const removed = run.filter((line) => line.sign === "-").map(({ text }) => text);
    const count = run.length - removed.length;
    const added = model.slice(from, from + count);
    from += count;
    wrote(added);
    // A line that was changed keeps its place; lines that were only added or only removed have no counterpart.
    const isPaired = removed.length === count;
    for (const [number, text] of removed.entries()) {
      const of = isPaired ? (added[number]?.of ?? null) : null;
      made.push({ text, of, isSame: false });
    }
  }
  return [...made, ...model.slice(from)];
}

/**
 * The lines of the model that have the same order in these texts, in runs with at least one line that identifies its
 * place.
 */
function sameRuns(model: readonly ModelLine[], texts: readonly string[]): readonly ModelLine[] {
  const same: ModelLine[] = [];
  let run: ModelLine[] = [];
  const settle = (): void => {
    if (run.some(({ text }) => isTelling(text))) same.push(...run);
    run = [];
  };
  let [lastOld, lastNew] = [-2, -2];
  for (const [old, fresh] of commonLinesOf(
    texts,
    model.map(({ text }) => text),
  )) {
    if (old !== lastOld + 1 || fresh !== lastNew + 1) settle();
    const line = model[fresh];
    if (line !== undefined) run.push(line);
    [lastOld, lastNew] = [old, fresh];
  }
  settle();
  return same;
}
