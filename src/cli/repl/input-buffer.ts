/**
 * The input while an agent works: the line that is being edited, and the lines that wait. Up takes the last waiting
 * line back for editing, and Up again the one before; Down moves forward; Enter puts the line back in its place. Pure.
 */

import { visibleLine } from "@continuo/core/transcript";
import { keysIn } from "../conversation/drawing/index.ts";
import { INTERRUPT } from "../terminal/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface InputBuffer {
  /** Waiting lines before the edited one, oldest first. */
  readonly before: readonly string[];
  readonly text: string;
  /** In UTF-16 units of the text. */
  readonly cursor: number;
  /** Waiting lines after the edited one. */
  readonly after: readonly string[];
}

export const EMPTY_BUFFER: InputBuffer = { before: [], text: "", cursor: 0, after: [] };

export interface KeyResult {
  readonly draft: InputBuffer;
  /** The number of interrupts: Ctrl-C, or the line `/cancel`. Text from before the last interrupt is only in `kept`. */
  readonly interrupts: number;
  readonly kept: readonly string[];
}

export function pressKeys(draft: InputBuffer, keys: string): KeyResult {
  let [now, interrupts, kept]: [InputBuffer, number, readonly string[]] = [draft, 0, []];
  const interrupt = (lines: readonly string[]): void => {
    interrupts += 1;
    kept = [...kept, ...lines];
    now = EMPTY_BUFFER;
  };
  for (const key of inRuns(keysIn(keys))) {
    if (key === INTERRUPT) interrupt(linesOf(now));
    else if (key !== "\r" && key !== "\n") now = edit(now, key);
    else if (now.text.trim() === "/cancel") interrupt([...now.before, ...now.after]);
    else now = entered(now);
  }
  return { draft: now, interrupts, kept };
}

/** Letters that arrive together are inserted together. */
function inRuns(keys: readonly string[]): readonly string[] {
  const runs: string[] = [];
  let letters: string[] = [];
  const end = (): void => {
    if (letters.length > 0) runs.push(letters.join(""));
    letters = [];
  };
  for (const key of keys) {
    if (isText(key)) {
      letters.push(key);
      continue;
    }
    end();
    runs.push(key);
  }
  end();
  return runs;
}

/** True if the key inserts text; false for a control character and for an escape sequence. */
function isText(key: string): boolean {
  return !/^\p{Cc}/u.test(key);
}

/** All lines, with the edited one in its place. */
export function linesOf({ before, text, after }: InputBuffer): readonly string[] {
  return [...before, ...(text.trim() === "" ? [] : [text]), ...after];
}

function entered({ before, text, after }: InputBuffer): InputBuffer {
  const line = text.trim() === "" ? [] : [text];
  return { ...EMPTY_BUFFER, before: [...before, ...line, ...after] };
}

function edit(draft: InputBuffer, key: string): InputBuffer {
  const change = Object.hasOwn(EDITS, key) ? EDITS[key] : undefined;
  if (change !== undefined) return change(draft);
  // Any other key that is not text is ignored.
  return isText(key) ? insert(draft, key) : draft;
}

function insert(draft: InputBuffer, typed: string): InputBuffer {
  const { text, cursor } = draft;
  const chars = linesOf(draft).reduce((sum, line) => sum + line.length, 0);
  const shown = visibleLine(typed).slice(0, Math.max(0, REPL_LIMITS.aheadChars - chars));
  return {
    ...draft,
    text: text.slice(0, cursor) + shown + text.slice(cursor),
    cursor: cursor + shown.length,
  };
}

type Edit = (draft: InputBuffer) => InputBuffer;

const home: Edit = (draft) => ({ ...draft, cursor: 0 });
const end: Edit = (draft) => ({ ...draft, cursor: draft.text.length });
const left: Edit = (draft) => ({ ...draft, cursor: draft.cursor - sizeBefore(draft) });
const right: Edit = (draft) => ({ ...draft, cursor: draft.cursor + sizeAfter(draft) });
const backspace: Edit = (draft) => without(draft, draft.cursor - sizeBefore(draft), draft.cursor);
const remove: Edit = (draft) => without(draft, draft.cursor, draft.cursor + sizeAfter(draft));

const up: Edit = (draft) => {
  const { before, text, after } = draft;
  const taken = before.at(-1);
  if (taken === undefined) return draft;
  const behind = text.trim() === "" ? after : [text, ...after];
  return { before: before.slice(0, -1), text: taken, cursor: taken.length, after: behind };
};

const down: Edit = ({ before, text, after }) => {
  const [next = "", ...rest] = after;
  const ahead = text.trim() === "" ? before : [...before, text];
  return after.length === 0
    ? { before, text, cursor: text.length, after }
    : { before: ahead, text: next, cursor: next.length, after: rest };
};

const word: Edit = (draft) => {
  const start = draft.text.slice(0, draft.cursor).replace(/\S+\s*$/u, "").length;
  return without(draft, start, draft.cursor);
};

/** The keys have the same meaning as between turns, when `node:readline` reads the line. */
const EDITS: Readonly<Record<string, Edit>> = {
  "\u007f": backspace,
  "\b": backspace,
  "\u001b[3~": remove,
  "\u0001": home,
  "\u001b[H": home,
  "\u001bOH": home,
  "\u001b[1~": home,
  "\u0005": end,
  "\u001b[F": end,
  "\u001bOF": end,
  "\u001b[4~": end,
  "\u0002": left,
  "\u001b[D": left,
  "\u001bOD": left,
  "\u0006": right,
  "\u001b[C": right,
  "\u001bOC": right,
  "\u0015": (draft) => without(draft, 0, draft.cursor),
  "\u000b": (draft) => without(draft, draft.cursor, draft.text.length),
  "\u0017": word,
  "\u0010": up,
  "\u001b[A": up,
  "\u001bOA": up,
  "\u000e": down,
  "\u001b[B": down,
  "\u001bOB": down,
};

function without(draft: InputBuffer, start: number, stop: number): InputBuffer {
  return { ...draft, text: draft.text.slice(0, start) + draft.text.slice(stop), cursor: start };
}

/** Returns the length of the character before the cursor: none, one unit, or a pair. */
function sizeBefore({ text, cursor }: InputBuffer): number {
  return [...text.slice(Math.max(0, cursor - 2), cursor)].at(-1)?.length ?? 0;
}

function sizeAfter({ text, cursor }: InputBuffer): number {
  return [...text.slice(cursor, cursor + 2)][0]?.length ?? 0;
}
