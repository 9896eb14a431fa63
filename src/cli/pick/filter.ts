/** Sessions, filtered and ranked by the typed text. Pure. */

import type { ListedSession } from "@continuo/agents/catalog";

export interface PickEntry {
  readonly info: ListedSession;
  /** The searched text in lower case: title, folder, agent, id and branch, one per line. */
  readonly words: string;
  /** The turn that a search found in the session. */
  readonly match?: PickMatch;
}

export interface PickMatch {
  readonly messageId: string;
  /** The match in the text around it. */
  readonly pieces: readonly { readonly text: string; readonly match: boolean }[];
  readonly turn: number;
  /** The number of further turns that match. */
  readonly others: number;
}

export function toEntries(sessions: readonly ListedSession[]): PickEntry[] {
  return sessions.map((info) => ({
    info,
    words: [info.title, info.cwd, info.agent, info.sessionId, info.gitBranch, ...namesOf(info)]
      .filter((text) => text !== null)
      .join("\n")
      .toLowerCase(),
  }));
}

/** A conversation is also found by the agents that took part in it, and by their ids. */
function namesOf({ nativeRefs = [] }: ListedSession): string[] {
  return nativeRefs.flatMap(({ agent, sessionId }) => [agent, sessionId]);
}

/** The names of fields in the filter, such as `agent:`, and the texts of a session that each of them searches. */
const FIELDS: Readonly<Record<string, (info: ListedSession) => readonly (string | null)[]>> = {
  agent: (info) => [info.agent, ...(info.nativeRefs ?? []).map(({ agent }) => agent)],
  project: (info) => [info.cwd],
  branch: (info) => [info.gitBranch],
  title: (info) => [info.title],
};

/** The cost of a word in an entry: lower is better; `null` if the word does not match. */
type Fit = (entry: PickEntry) => number | null;

/**
 * The sessions that match every word, in any order of words. A word matches if it is in the text, if its letters follow
 * each other closely in the text, or if it has one additional letter or two swapped letters. Sessions that match
 * equally well keep their order.
 */
export function filterEntries(entries: readonly PickEntry[], query: string): readonly PickEntry[] {
  const fits = query
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "")
    .map(toFit);
  if (fits.length === 0) return entries;
  const ranked: { readonly entry: PickEntry; readonly cost: number }[] = [];
  for (const entry of entries) {
    const cost = costOf(entry, fits);
    if (cost !== null) ranked.push({ entry, cost });
  }
  return ranked.sort((a, b) => a.cost - b.cost).map(({ entry }) => entry);
}

function costOf(entry: PickEntry, fits: readonly Fit[]): number | null {
  let sum = 0;
  for (const costOfWord of fits) {
    const cost = costOfWord(entry);
    if (cost === null) return null;
    sum += cost;
  }
  return sum;
}

function toFit(word: string): Fit {
  const [, name = "", value = ""] = /^([a-z]+):(.*)$/u.exec(word) ?? [];
  const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
  if (field !== undefined) {
    return ({ info }) =>
      field(info).some((text) => (text ?? "").toLowerCase().includes(value)) ? COSTS.inText : null;
  }
  // A number with swapped digits is another number, and an id with other letters is another id.
  const isWord = /^\p{L}[\p{L}\d]*$/u.test(word) && !(/\d/u.test(word) && /^[\da-f]+$/u.test(word));
  const typos = isWord ? typosOf(word).filter((typo) => digitsOf(typo) === digitsOf(word)) : [];
  return ({ info, words }) => {
    if (word.length >= MIN_ID_CHARS && info.sessionId.toLowerCase().startsWith(word)) return COSTS.id;
    if (words.includes(word)) return COSTS.inText;
    if (isWord && word.length >= MIN_FUZZY_CHARS && isSpread(word, words)) return COSTS.spread;
    return typos.some((one) => words.includes(one)) ? COSTS.typo : null;
  };
}

const COSTS = { id: -1, inText: 0, spread: 10, typo: 20 } as const;
/** The length from which the beginning of an id does not match by accident. */
const MIN_ID_CHARS = 4;
const MIN_FUZZY_CHARS = 3;
const MIN_SWAP_CHARS = 4;
const MIN_EXTRA_CHARS = 6;
const MAX_FUZZY_CHARS = 24;
/** The number of characters that may be between two letters of a word. */
const MAX_GAP = 3;
/** The number of characters that may be between a word and its number: `proj12` finds `project-12`. */
const MAX_GAP_TO_NUMBER = 8;

function digitsOf(word: string): string {
  return word.replace(/\D+/gu, " ").trim();
}

/**
 * True if the letters follow each other closely from the beginning of a word on: `frmt` in `format`. Numbers match only
 * as a whole.
 */
function isSpread(word: string, text: string): boolean {
  if (word.length > MAX_FUZZY_CHARS) return false;
  const first = word.charAt(0);
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    if ((at === 0 || !isLetter(text.charCodeAt(at - 1))) && followsFrom(word, text, at)) return true;
  }
  return false;
}

function followsFrom(word: string, text: string, start: number): boolean {
  let at = start;
  const [, ...rest] = word.match(/\d+|\D/gu) ?? [];
  for (const part of rest) {
    const found = text.indexOf(part, at + 1);
    const gap = isDigit(part) ? MAX_GAP_TO_NUMBER : MAX_GAP;
    if (found === -1 || found - at > gap + 1 || text.slice(at, found).includes("\n")) return false;
    if (isDigit(part) && isDigit(text.charAt(found - 1))) return false;
    at = found + part.length - 1;
  }
  return true;
}

function isDigit(text: string): boolean {
  return /^\d/u.test(text);
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57);
}

/** The word with two letters swapped, or, if it is long, without one letter. */
function typosOf(word: string): readonly string[] {
  if (word.length < MIN_SWAP_CHARS || word.length > MAX_FUZZY_CHARS) return [];
  const typos = new Set<string>();
  for (let at = 0; at < word.length; at++) {
    if (word.length >= MIN_EXTRA_CHARS) typos.add(word.slice(0, at) + word.slice(at + 1));
    if (at > 0) typos.add(word.slice(0, at - 1) + word.charAt(at) + word.charAt(at - 1) + word.slice(at + 1));
  }
  return [...typos];
}
