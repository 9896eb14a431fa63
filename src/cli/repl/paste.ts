/**
 * Text that a terminal sends between the marks of a paste must not count as keys: several lines become one mark in the
 * line, `[paste 1: 12 lines]`, which is replaced by the text when the line is sent. Ctrl-V types `@clipboard`. Pure.
 */

import { visibleLine } from "@continuo/core/transcript";
import { REPL_LIMITS } from "./limits.ts";

export interface Pastes {
  /** The first characters of a mark whose rest has not arrived yet. */
  readonly held: string;
  readonly isPasting: boolean;
  /** The paste so far, in parts, because a terminal sends 4 kB at a time. */
  readonly parts: readonly string[];
  readonly isCut: boolean;
  readonly count: number;
  /** The newest pastes by their mark. */
  readonly texts: ReadonlyMap<string, string>;
}

export const NO_PASTES: Pastes = {
  held: "",
  isPasting: false,
  parts: [],
  isCut: false,
  count: 0,
  texts: new Map(),
};

/** The name of the picture of the clipboard, after `@`. */
export const CLIPBOARD = "clipboard";

/** A terminal has its own key to paste text, and leaves this key to programs, for pictures. */
const CTRL_V = "\u0016";
const BEGIN = "\u001b[200~";
const END = "\u001b[201~";

export interface PasteResult {
  readonly pastes: Pastes;
  /** The rest, which is read as keys. */
  readonly keys: string;
}

export interface FilteredKeys extends PasteResult {
  /** True if part of it was pasted, so that it is not a key that a person pressed. */
  readonly hasPaste: boolean;
}

export function filterKeys(pastes: Pastes, chunk: string): FilteredKeys {
  let state: Pastes = { ...pastes, held: "" };
  let hasPaste = pastes.isPasting;
  let rest = pastes.held + chunk;
  let keys = "";
  for (;;) {
    const mark = state.isPasting ? END : BEGIN;
    const at = rest.indexOf(mark);
    const held = at === -1 ? beginningOf(mark, rest) : "";
    const before = rest.slice(0, at === -1 ? rest.length - held.length : at);
    if (state.isPasting) state = withPart(state, before);
    else keys += before.replaceAll(CTRL_V, ` @${CLIPBOARD} `);
    if (at === -1) return { pastes: { ...state, held }, keys, hasPaste };
    rest = rest.slice(at + mark.length);
    hasPaste = true;
    if (state.isPasting) {
      const { parts, isCut } = state;
      const ended = { ...state, isPasting: false, parts: [], isCut: false };
      const pasted = addPaste(ended, parts.join(""), isCut ? "cut" : "whole");
      state = pasted.pastes;
      keys += pasted.keys;
    } else {
      state = { ...state, isPasting: true };
    }
  }
}

/** A paste beyond the limit is cut, and its mark shows that; its end is still waited for. */
function withPart(pastes: Pastes, part: string): Pastes {
  if (part === "") return pastes;
  const chars = pastes.parts.reduce((sum, { length }) => sum + length, 0);
  const taken = part.slice(0, Math.max(0, REPL_LIMITS.pasteChars - chars));
  const isCut = pastes.isCut || taken.length < part.length;
  return { ...pastes, isCut, parts: taken === "" ? pastes.parts : [...pastes.parts, taken] };
}

/** The end of the text that may be the beginning of the mark. Outside of a paste, a single ESC is a key. */
function beginningOf(mark: string, text: string): string {
  const shortest = mark === END ? 1 : 2;
  for (let length = Math.min(mark.length - 1, text.length); length >= shortest; length--) {
    if (text.endsWith(mark.slice(0, length))) return mark.slice(0, length);
  }
  return "";
}

/** Adds text that was not typed: it stays unchanged if it is one short line; otherwise a mark takes its place. */
export function addPaste(pastes: Pastes, raw: string, extent: "whole" | "cut" = "whole"): PasteResult {
  const text = raw.replaceAll("\r\n", "\n").replaceAll("\r", "\n").replace(/\n$/u, "");
  if (!text.includes("\n") && text.length <= REPL_LIMITS.shownPasteChars) {
    return { pastes, keys: visibleLine(text) };
  }
  const count = pastes.count + 1;
  const lines = text.split("\n").length;
  const cut = extent === "cut" ? ", cut" : "";
  const mark = `[paste ${count}: ${lines} ${lines === 1 ? "line" : "lines"}${cut}]`;
  const texts = new Map([...pastes.texts, [mark, text]].slice(-REPL_LIMITS.pastes) as [string, string][]);
  return { pastes: { ...pastes, count, texts }, keys: mark };
}

const MARK = /\[paste \d+: \d+ lines?(?:, cut)?\]/gu;

/** The line, with the text of a paste in place of each mark. */
export function withPastes(line: string, { texts }: Pastes): string {
  return line.replace(MARK, (mark) => texts.get(mark) ?? mark);
}

/** True if each mark in the line still has its paste. */
export function isWhole(line: string, { texts }: Pastes): boolean {
  return (line.match(MARK) ?? []).every((mark) => texts.has(mark));
}
