/** An answer that shows turns: as many as fit, and where to read on. Pure. */

import type { SessionTurn } from "@continuo/agents/catalog";
import { z } from "zod";
import { type Answer, DATA_NOTE, largestWithin, QUOTED_NOTE, quote, tokensOf } from "./answer.ts";
import { isPlainName } from "./sessions.ts";
import { cutEntry, type Detail, entriesOf, type TurnData, type TurnEntry, turnToText } from "./turn-text.ts";

export const nextOutput: z.ZodNullable<z.ZodObject> = z
  .object({ turn: z.number(), entry: z.number() })
  .nullable();

export interface TurnsAnswerOptions {
  readonly session: string;
  readonly title: string | null;
  readonly folder: string | null;
  readonly ofTurns: number;
  /** The first entry of the first turn, from 1 on. */
  readonly entry: number;
  readonly detail: Detail;
  readonly maxTokens: number;
  mask(text: string): string;
}

/** The numbers of characters to which a text can be cut, from the smallest to the largest. */
const LEVELS: readonly number[] = [
  ...[240, 360, 540, 800, 1_200, 1_800, 2_700, 4_000, 6_000, 9_000, 13_000, 20_000, 30_000, 45_000, 80_000],
  Number.MAX_SAFE_INTEGER,
];
const SHORTEST = 240;
/** The number of characters of the first text if even the shortest level does not fit. */
const LEAST = 40;

interface PlacedEntry {
  readonly turn: SessionTurn;
  /** From 1 on, within its turn. */
  readonly number: number;
  readonly entry: TurnEntry;
}

/** Shortens all texts alike until they fit; if even short ones do not fit, keeps the first ones. */
export function turnsAnswer(turns: readonly SessionTurn[], options: TurnsAnswerOptions): Answer {
  const all: PlacedEntry[] = turns.flatMap((turn) =>
    entriesOf(turn, options).map((entry, at) => ({ turn, number: at + 1, entry })),
  );
  const entries = all.filter(({ turn, number }) => turn !== turns[0] || number >= options.entry);
  const lastTurn = turns.at(-1)?.number ?? 0;
  const build = (count: number, maxChars: number): Answer => {
    const next = entries[count];
    const after = lastTurn < options.ofTurns ? { turn: lastTurn + 1, entry: 1 } : null;
    return toAnswer(entries.slice(0, count), {
      ...options,
      maxChars,
      next: next === undefined ? after : { turn: next.turn.number, entry: next.number },
    });
  };
  if (tokensOf(build(entries.length, SHORTEST)) <= options.maxTokens) {
    return largestWithin(LEVELS.length - 1, options.maxTokens, (level) =>
      build(entries.length, LEVELS[level] ?? SHORTEST),
    );
  }
  const some = largestWithin(entries.length - 1, options.maxTokens, (count) => build(count + 1, SHORTEST));
  return tokensOf(some) <= options.maxTokens ? some : build(1, LEAST);
}

interface AnswerOptions extends TurnsAnswerOptions {
  readonly maxChars: number;
  readonly next: { readonly turn: number; readonly entry: number } | null;
}

function toAnswer(entries: readonly PlacedEntry[], showing: AnswerOptions): Answer {
  const { session, title, folder, ofTurns, next } = showing;
  const turns = byTurn(entries, showing.maxChars);
  const isPlain = isPlainName(session);
  const facts = [isPlain ? null : `session ${session}`, title, folder].filter((fact) => fact !== null);
  const body = [facts.join(" · "), ...turns.map(turnToText)].filter((text) => text !== "");
  const head = [
    `${numbersOf(turns)} of ${ofTurns} of ${isPlain ? session : "the session"}.`,
    next === null
      ? ""
      : `Read on with turn: ${next.turn}${next.entry === 1 ? "" : `, entry: ${next.entry}`}.`,
    QUOTED_NOTE,
  ];
  return {
    text: `${head.filter((sentence) => sentence !== "").join(" ")}\n${quote(body.join("\n\n"))}`,
    data: { note: DATA_NOTE, session, title, folder, ofTurns, next, turns },
  };
}

function byTurn(entries: readonly PlacedEntry[], maxChars: number): TurnData[] {
  const groups = Map.groupBy(entries, ({ turn }) => turn);
  return [...groups].map(([turn, group]) => {
    const first = group[0]?.number ?? 1;
    return {
      turn: turn.number,
      at: turn.at,
      ...(first === 1 ? {} : { firstEntry: first }),
      entries: group.map(({ entry }) => cutEntry(entry, maxChars)),
    };
  });
}

function numbersOf(turns: readonly TurnData[]): string {
  const [first, last] = [turns[0]?.turn, turns.at(-1)?.turn];
  if (first === undefined || last === undefined) return "No turn";
  return first === last ? `Turn ${first}` : `Turns ${first} to ${last}`;
}
