/**
 * What a terminal sends between the marks of a paste, kept from looking like keys: several lines become one mark in
 * the line, `[paste 1: 12 lines]`, and are put in its place when the line is sent. Pure.
 */

import { visibleLine } from "../../transcript/index.ts";
import { REPL_LIMITS } from "./limits.ts";

export interface Pastes {
  /** The beginning of a mark, or of a paste, whose rest is on its way. */
  readonly held: string;
  readonly isPasting: boolean;
  readonly count: number;
  /** By mark; the newest ones. */
  readonly texts: ReadonlyMap<string, string>;
}

export const NO_PASTES: Pastes = { held: "", isPasting: false, count: 0, texts: new Map() };

const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

export interface Filtered {
  readonly pastes: Pastes;
  /** What is left to be read as keys. */
  readonly keys: string;
}

export function filterKeys(pastes: Pastes, chunk: string): Filtered {
  let state: Pastes = { ...pastes, held: "" };
  let rest = pastes.held + chunk;
  let keys = "";
  while (rest !== "") {
    const mark = state.isPasting ? END : BEGIN;
    const at = rest.indexOf(mark);
    if (at === -1) {
      const kept = state.isPasting ? rest.slice(0, REPL_LIMITS.pasteChars) : beginningOf(mark, rest);
      if (!state.isPasting) keys += rest.slice(0, rest.length - kept.length);
      return { pastes: { ...state, held: kept }, keys };
    }
    const before = rest.slice(0, at);
    rest = rest.slice(at + mark.length);
    if (state.isPasting) {
      const pasted = addPaste({ ...state, isPasting: false }, before);
      state = pasted.pastes;
      keys += pasted.keys;
    } else {
      keys += before;
      state = { ...state, isPasting: true };
    }
  }
  return { pastes: state, keys };
}

/** The end of the text that may be the beginning of the mark; a lone ESC is a key. */
function beginningOf(mark: string, text: string): string {
  for (let length = Math.min(mark.length - 1, text.length); length > 1; length--) {
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  }
  return "";
}

/** A text that is not typed: as it is where it fits into a line, else as a mark. */
export function addPaste(pastes: Pastes, raw: string): Filtered {
  const text = raw.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replace(/\n$/u, "");
  if (!text.includes("\n") && text.length <= REPL_LIMITS.shownPasteChars) {
    return { pastes, keys: visibleLine(text) };
  }
  const count = pastes.count + 1;
  const lines = text.split("\n").length;
  const mark = `[paste ${count}: ${lines} ${lines === 1 ? "line" : "lines"}]`;
  const texts = new Map([...pastes.texts, [mark, text]].slice(-REPL_LIMITS.pastes) as [string, string][]);
  return { pastes: { ...pastes, count, texts }, keys: mark };
}

/** The line as it is meant. */
export function withPastes(line: string, { texts }: Pastes): string {
  return line.replace(/\[paste \d+: \d+ lines?\]/gu, (mark) => texts.get(mark) ?? mark);
}
