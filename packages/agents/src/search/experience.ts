/** Finds the changes that solved an error, and the uses of a command, in all sessions that have its words. */

import { ContinuoError, present, type ToolCallBlock } from "@continuo/core/model";
import {
  type CommandUse,
  commandUsesIn,
  createRepairFold,
  errorPattern,
  type Repair,
} from "@continuo/core/transcript/experience";
import { sessionTurns } from "../catalog/index.ts";
import { compareText, createSessionReader, type ReadSession } from "./origins/index.ts";
import { type Phrase, parseQuery, type SearchQuery } from "./query/index.ts";
import { searchToRead, type ToReadOptions } from "./search-to-read.ts";

/** The number of sessions that are read for one question: the best of those that are found. */
const MAX_SESSIONS = 40;

/** The sessions that were read, and how many were not. */
interface ReadCounts {
  /** At most 40, those that fit best. */
  readonly sessions: number;
  /** The number of sessions that were not searched, cannot be read, or are above the limit. */
  readonly notRead: number;
}

export interface FoundRepair extends Repair {
  readonly session: ReadSession;
}

export interface Repairs extends ReadCounts {
  /** The most helpful first: nearly the same error, then solved errors, then work in `folder`. */
  readonly repairs: readonly FoundRepair[];
}

export interface ExperienceOptions extends Omit<ToReadOptions, "limit"> {
  /** Sessions of this folder, or below it, come first; `null` for none. */
  readonly folder: string | null;
}

/** Returns what came after errors like this one. Errors: `usage` for a text without words; as `searchSessions`. */
export async function findRepairs(error: string, options: ExperienceOptions): Promise<Repairs> {
  const pattern = errorPattern(error);
  if (pattern === null) {
    throw new ContinuoError("usage", "the error has no words to search for", {
      hint: "Give the line that says what went wrong, as it was printed.",
    });
  }
  const found: FoundRepair[] = [];
  const query = anyOf(pattern.words.map((word): Phrase => ({ words: [word], exact: false })));
  const counts = await readFound(query, options, (session) => {
    const fold = createRepairFold(pattern);
    return {
      add: (turn) => fold.add(turn),
      end: () => found.push(...fold.finish().map((repair) => ({ ...repair, session }))),
    };
  });
  return { ...counts, repairs: eachOnce(found).toSorted(byHelp(options.folder)) };
}

/** A way of calling a command. */
export interface CommandWay {
  readonly command: string;
  readonly times: number;
  /**
   * A failed call that also ran other commands counts neither as worked nor as failed, because it is unknown which of
   * them failed.
   */
  readonly worked: number;
  readonly failed: number;
  /** The times in `folder` or below it. */
  readonly here: number;
  readonly last: { readonly session: ReadSession; readonly turn: number; readonly at: string | null };
  /** The line that the newest failure printed. */
  readonly error: string | null;
}

export interface CommandUses extends ReadCounts {
  readonly uses: number;
  readonly failed: number;
  /** Ways that always failed are last; ways of `folder` come first, sorted by how often they worked. */
  readonly ways: readonly CommandWay[];
}

const MAX_WAYS = 1_000;
const MAX_COMMAND_CHARS = 2_000;

/** @param command the first words, such as `docker compose`. Errors: `usage`; as `searchSessions` */
export async function findCommandUses(command: string, options: ExperienceOptions): Promise<CommandUses> {
  const words = command.trim().split(/\s+/u);
  if (words[0] === "" || !/[\p{L}\p{N}]/u.test(command)) {
    throw new ContinuoError("usage", "no command to look for", {
      hint: "Give its first words, such as `docker compose`.",
    });
  }
  const ways = new Map<string, WritableWay>();
  let [uses, failed] = [0, 0];
  const seen = new Set<string>();
  const query = parseQuery(words.map((word) => `"${word.replaceAll('"', " ")}"`).join(" "), {
    toTime: (time) => time,
  });
  const counts = await readFound({ ...query, isQuestion: false }, options, (session) => {
    const calls = new Map<string, CallInTurn>();
    const isHere = isIn(session.cwd, options.folder);
    const use = ({ call, turn, at }: CallInTurn, found: readonly CommandUse[]): void => {
      const key = `${call.id} ${at}`;
      if (found.length === 0 || seen.has(key)) return;
      seen.add(key);
      for (const each of found) {
        uses += 1;
        if (each.outcome === "failed") failed += 1;
        const shown = each.command.slice(0, MAX_COMMAND_CHARS);
        const way = ways.get(shown) ?? {
          command: shown,
          times: 0,
          worked: 0,
          failed: 0,
          here: 0,
          last: null,
          error: null,
        };
        if (ways.size < MAX_WAYS || ways.has(shown)) ways.set(shown, way);
        addUse(way, each, { session, turn, at, isHere });
      }
    };
    return {
      add({ number, at, messages }) {
        for (const block of messages.flatMap(({ content }) => content)) {
          if (block.type === "tool_call") calls.set(block.id, { call: block, turn: number, at });
          if (block.type !== "tool_result") continue;
          const called = calls.get(block.toolCallId);
          calls.delete(block.toolCallId);
          if (called !== undefined) use(called, commandUsesIn(called.call, block, words));
        }
      },
      end() {
        for (const called of calls.values()) use(called, commandUsesIn(called.call, null, words));
      },
    };
  });
  const all = [...ways.values()].flatMap((way) => (way.last === null ? [] : [{ ...way, last: way.last }]));
  return { ...counts, uses, failed, ways: all.toSorted(byUse) };
}

interface CallInTurn {
  readonly call: ToolCallBlock;
  readonly turn: number;
  readonly at: string | null;
}

type WritableWay = {
  -readonly [K in keyof CommandWay]: K extends "last" ? CommandWay["last"] | null : CommandWay[K];
};

interface UsePlace {
  readonly session: ReadSession;
  readonly turn: number;
  readonly at: string | null;
  readonly isHere: boolean;
}

function addUse(way: WritableWay, { outcome, error }: CommandUse, { isHere, ...place }: UsePlace): void {
  const isNewer = way.last === null || (way.last.at ?? "") <= (place.at ?? "");
  way.times += 1;
  if (outcome !== "unknown") way[outcome] += 1;
  if (isHere) way.here += 1;
  if (isNewer) way.last = place;
  if (outcome === "failed" && (isNewer || way.error === null)) way.error = error;
}

function byUse(a: CommandWay, b: CommandWay): number {
  return (
    Number(a.failed === a.times) - Number(b.failed === b.times) ||
    Number(b.here > 0) - Number(a.here > 0) ||
    b.worked - a.worked ||
    b.times - a.times ||
    compareText(b.last.at ?? "", a.last.at ?? "") ||
    compareText(a.command, b.command)
  );
}

/** Makes a query that a turn with some of the words can match. */
function anyOf(all: readonly Phrase[]): SearchQuery {
  const query = parseQuery("", { toTime: (time) => time, isEmptyAllowed: true });
  return { ...query, all, isQuestion: true };
}

type RepairTurn = Parameters<ReturnType<typeof createRepairFold>["add"]>[0];

interface SessionFold {
  add(turn: RepairTurn): void;
  end(): void;
}

/** Reads the best sessions of a search, turn by turn. */
async function readFound(
  query: SearchQuery,
  { folder: _, ...options }: ExperienceOptions,
  foldOf: (session: ReadSession) => SessionFold,
): Promise<ReadCounts> {
  const { places, signal } = options;
  const found = await searchToRead(query, { ...options, limit: MAX_SESSIONS });
  const reader = createSessionReader(async (opened, session) => {
    const fold = foldOf(session);
    for await (const turn of sessionTurns(opened, present({ signal }))) fold.add(turn);
    fold.end();
  }, present({ places, signal }));
  await reader.add(found.sessions);
  const { sessions, left, unreadable } = reader.counts();
  // Sessions that have only a few of the words are not counted.
  const others = query.isQuestion ? 0 : Math.max(0, found.total - MAX_SESSIONS);
  return { sessions, notRead: left + unreadable + others + found.unsearched + found.unreadable };
}

/** A copy of a session, as after a fork or a hand-over, has the same calls. */
function eachOnce(repairs: readonly FoundRepair[]): readonly FoundRepair[] {
  const seen = new Set<string>();
  return repairs.filter(({ id, at, line }) => {
    const key = JSON.stringify([id, at, line]);
    return !seen.has(key) && seen.add(key);
  });
}

/** The similarity from which two errors count as nearly the same: only one or two names differ. */
const NEARLY_SAME = 0.8;
const OUTCOMES: readonly Repair["outcome"][] = ["solved", "not confirmed", "not solved"];

function byHelp(folder: string | null): (a: FoundRepair, b: FoundRepair) => number {
  return (a, b) =>
    Number(b.similarity >= NEARLY_SAME) - Number(a.similarity >= NEARLY_SAME) ||
    OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome) ||
    Number(isIn(b.session.cwd, folder)) - Number(isIn(a.session.cwd, folder)) ||
    compareText(b.at ?? "", a.at ?? "");
}

function isIn(cwd: string | null, folder: string | null): boolean {
  return cwd !== null && folder !== null && (cwd === folder || cwd.startsWith(`${folder}/`));
}
