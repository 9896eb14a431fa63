/**
 * Checks single lines of a session: whether it matches at all, and whether it can be among the best results. Most
 * sessions with a common word are only counted, and need not be read.
 */

import { messageKind } from "@continuo/core/transcript";
import { parseJson } from "@continuo/files";
import { MAX_TEXT_CHARS, turnOfMessage } from "@continuo/native/index-file";
import { type IndexedSession, type SessionLines, useLines } from "../../catalog/index.ts";
import { type CandidateLine, createLineFinder, type LineFinder } from "../bytes/index.ts";
import { greatestRank, rankOf, type SearchQuery, shareOfPiece, WEIGHTS } from "../query/index.ts";
import type { NativeSource } from "./batches.ts";
import { matchWords } from "./match-turn.ts";
import { type MatcherOptions, newestOf, type ScannedResult } from "./session-matcher.ts";

/** `read`: single lines are not enough, or the session may be among the best. `null`: no turn matches. */
export type LineSearchResult = ScannedResult | "read" | null;

export type SearchLines = (found: NativeSource, leastScore: number | undefined) => Promise<LineSearchResult>;

/** `null` for a query that needs more than one line to decide. */
export function createLineSearch(options: MatcherOptions): SearchLines | null {
  const { query, best, regex, filter } = options;
  const [phrase, ...others] = query.all;
  if (phrase === undefined || others.length > 0 || best !== null || regex !== undefined) return null;
  if (!isOfLines(query)) return null;
  const finder = createLineFinder(phrase);
  return async (found, leastScore) => {
    if (query.not.agents.includes(found.agent)) return null;
    const looked = await useLines(found, {
      begin: () => filter.begin().add,
      use: (lines) => look(lines, { ...options, finder, found, leastScore }),
    });
    if (looked === "excluded") return null;
    return looked === "whole" ? "read" : looked;
  };
}

/** True if each line can be checked without the rest of its turn. */
function isOfLines({ none, error, tools, files, projects, branches, since, not }: SearchQuery): boolean {
  const lists = [none, tools, files, projects, branches];
  const excluded = [not.tools, not.files, not.projects, not.branches];
  return (
    [...lists, ...excluded].every((list) => list.length === 0) &&
    [error, since, not.error, not.since].every((one) => one === null)
  );
}

interface LineSearchInput extends Omit<MatcherOptions, "leastScore"> {
  readonly finder: LineFinder;
  readonly found: NativeSource;
  readonly leastScore: number | undefined;
}

function look({ bytes, ownBytes, messagesOf }: SessionLines, looking: LineSearchInput): LineSearchResult {
  const { finder, found, leastScore } = looking;
  if (finder.linesIn(ownBytes).next().done !== true) return "read";
  const ceiling = leastScore === undefined ? null : createCeiling(bytes, { ...looking, leastScore });
  let [isAny, isKept] = [false, false];
  for (const line of finder.linesIn(bytes)) {
    for (const piece of piecesOf(line, messagesOf, looking.query)) {
      isAny = true;
      isKept ||= piece.isKept();
      ceiling?.add(piece);
    }
    if (isAny && ceiling?.isLow() !== true) return "read";
    // The rank of the session is too low, whatever else it contains.
    if (ceiling?.isLowest === true && isKept) return toCounted(found, ceiling.score);
  }
  if (finder.hasOtherForms(bytes)) return "read";
  if (!isAny) return null;
  return isKept && ceiling !== null ? toCounted(found, ceiling.score) : "read";
}

/** One message of a line: a part of a turn that matches. */
interface Piece {
  readonly count: number;
  readonly words: number;
  readonly isPerson: boolean;
  /** True if the piece is certainly in a turn. */
  isKept(): boolean;
}

/** A text that contains the word once weighs at most this. */
const MOST_WEIGHT: number = Math.max(...Object.values(WEIGHTS)) + WEIGHTS.parts;

function piecesOf(
  { bytes, isEnded, hits }: CandidateLine,
  messagesOf: SessionLines["messagesOf"],
  query: SearchQuery,
): readonly Piece[] {
  const unknown = [{ count: hits * MOST_WEIGHT, words: 0, isPerson: false, isKept: () => false }];
  // Only the part of a long text that the index keeps is searched.
  if (!isEnded || bytes.length > MAX_TEXT_CHARS) return unknown;
  const messages = messagesOf(parseLine(bytes));
  if (messages === null) return unknown;
  return messages.flatMap(({ message, isKept }): Piece[] => {
    const matched = matchWords(turnOfMessage(message), query);
    if (matched === null) return [];
    const [count = 0] = matched.phrases;
    return [{ count, words: matched.leastWords(), isPerson: messageKind(message) === "person", isKept }];
  });
}

function parseLine(line: Buffer): unknown {
  const text = line.toString("utf8");
  try {
    return text.includes("\ufffd") ? undefined : parseJson(text);
  } catch {
    return undefined;
  }
}

/** The highest rank that a session can reach, according to its lines so far. */
interface Ceiling {
  /** True if no session of this age ranks high enough. */
  readonly isLowest: boolean;
  /** A rank that is too low to be among the best. */
  readonly score: number;
  add(piece: Piece): void;
  isLow(): boolean;
}

/** Sums have rounding errors. */
const REACHED = 1 - 1e-9;

function createCeiling(
  bytes: Buffer,
  { statistics, found, leastScore, nowMs }: LineSearchInput & { readonly leastScore: number },
): Ceiling {
  const newestMs = newestOf(Math.max(...found.files.map(({ mtimeMs }) => mtimeMs)), lastTimeIn(bytes));
  const recency = rankOf({ at: new Date(newestMs).toISOString(), score: 1 }, { updatedAt: null }, nowMs);
  // A turn has at most one message of a person.
  const shares = { person: 0, others: 0 };
  return {
    isLowest: greatestRank(statistics, newestMs, nowMs) < leastScore,
    score: leastScore * (1 - Number.EPSILON),
    add({ count, words, isPerson }) {
      const share = shareOfPiece({ phrases: [count], words }, leastScore / recency, statistics);
      if (isPerson) shares.person = Math.max(shares.person, share);
      else shares.others += share;
    },
    isLow: () => shares.person + shares.others < REACHED,
  };
}

const TIME = /"timestamp": ?"([^"]{19,40})"/gu;
const END_BYTES = 16_384;

/** ISO 8601; the newest of the last lines that have a time. */
function lastTimeIn(bytes: Buffer): string | null {
  for (const from of [Math.max(0, bytes.length - END_BYTES), 0]) {
    const times = [...bytes.toString("latin1", from).matchAll(TIME)].map(([, time = ""]) => Date.parse(time));
    const newest = times.reduce((last, time) => (time > last ? time : last), 0);
    if (newest > 0) return new Date(newest).toISOString();
  }
  return null;
}

/** Makes a result that is counted but not shown. */
function toCounted({ agent, sessionId, location, archived }: NativeSource, score: number): ScannedResult {
  const session: IndexedSession = {
    agent,
    sessionId,
    location,
    archived,
    title: null,
    cwd: null,
    gitBranch: null,
    createdAt: null,
    updatedAt: null,
    sizeBytes: null,
    live: null,
    parentId: null,
    trashId: null,
    nativeRefs: [],
  };
  const turn = { number: 1, messageId: "", at: null };
  return { session, turn, turns: [turn], score, excerpt: null, briefOf: location };
}
