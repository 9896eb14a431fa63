/** The turns of two histories side by side, and the differences of each pair. Pure. */

import type { ToolCallBlock } from "@continuo/core/model";
import { commonLines, contentOfBlock } from "@continuo/core/transcript";
import type { OutlineTurn } from "@continuo/core/wire/machine";
import { messagesOf, type Row } from "../state/history.ts";

/** Turns that show the same on both sides. */
export interface SameTurns {
  readonly type: "same";
  readonly turns: readonly (readonly [OutlineTurn, OutlineTurn])[];
}

export interface TurnPair {
  readonly type: "pair";
  /**
   * `answer`: the same question with another answer; `question`: another question; otherwise the only side with a turn.
   */
  readonly kind: "answer" | "question" | "left" | "right";
  readonly left: OutlineTurn | null;
  readonly right: OutlineTurn | null;
}

export type ComparedTurns = SameTurns | TurnPair;

type Turns = readonly OutlineTurn[];
type Match = readonly [number, number];

/** Equal turns are paired first; between them, turns with the same question; the others in their order. */
export function pairTurns(left: Turns, right: Turns): readonly ComparedTurns[] {
  const rows: ComparedTurns[] = [];
  const equal = matches(left, right, ({ print, id }) => print?.all ?? id);
  eachGap(equal, left.length, right.length, (from, to, match) => {
    rows.push(...pairsOfGap(left.slice(from[0], to[0]), right.slice(from[1], to[1])));
    const [one, other] = match === null ? [] : [left[match[0]], right[match[1]]];
    if (one === undefined || other === undefined) return;
    const last = rows.at(-1);
    if (last?.type === "same") rows[rows.length - 1] = { ...last, turns: [...last.turns, [one, other]] };
    else rows.push({ type: "same", turns: [[one, other]] });
  });
  return rows;
}

function pairsOfGap(left: Turns, right: Turns): readonly TurnPair[] {
  const pairs: TurnPair[] = [];
  const asked = matches(left, right, ({ print, id }) => print?.asked ?? id);
  eachGap(asked, left.length, right.length, (from, to, match) => {
    const [ones, others] = [left.slice(from[0], to[0]), right.slice(from[1], to[1])];
    for (let at = 0; at < Math.max(ones.length, others.length); at++) {
      const [one = null, other = null] = [ones[at], others[at]];
      const kind = one === null ? "right" : other === null ? "left" : "question";
      pairs.push({ type: "pair", kind, left: one, right: other });
    }
    const [one, other] = match === null ? [] : [left[match[0]], right[match[1]]];
    if (one !== undefined && other !== undefined)
      pairs.push({ type: "pair", kind: "answer", left: one, right: other });
  });
  return pairs;
}

function matches<T>(left: readonly T[], right: readonly T[], textOf: (one: T) => string): readonly Match[] {
  const common = commonLines(left.map(textOf), right.map(textOf));
  const places = (flags: Uint8Array): number[] => [...flags].flatMap((flag, at) => (flag === 1 ? [at] : []));
  const others = places(common.fresh);
  return places(common.old).map((one, at): Match => [one, others[at] ?? -1]);
}

/** Calls `use` for the part before each match, and for the part after the last one. */
function eachGap(
  found: readonly Match[],
  left: number,
  right: number,
  use: (from: Match, to: Match, match: Match | null) => void,
): void {
  let from: Match = [0, 0];
  for (const match of found) {
    use(from, match, match);
    from = [match[0] + 1, match[1] + 1];
  }
  use(from, [left, right], null);
}

/** The marks of rows that the other side does not have, by the keys of the rows. */
export type RowMarks = ReadonlyMap<string, RowMark>;

export type RowMark = "differs" | "other arguments" | "other result" | "only here";

/** Every mark except `only here` means that the other side has another row of the same kind at this place. */
export function markRows(
  left: readonly Row[],
  right: readonly Row[],
): { readonly left: RowMarks; readonly right: RowMarks } {
  const marks = {
    left: new Map<string, RowMark>(),
    right: new Map<string, RowMark>(),
  };
  eachGap(matches(left, right, contentOfRow), left.length, right.length, (from, to) => {
    const ones = left.slice(from[0], to[0]);
    const others = right.slice(from[1], to[1]);
    for (const { key } of ones) marks.left.set(key, "only here");
    for (const { key } of others) marks.right.set(key, "only here");
    // The rows are compared from the end, so that the last words of two answers are compared with each other.
    const rest = [...others];
    for (const one of ones.toReversed()) {
      const at = rest.findLastIndex(({ type }) => type === one.type);
      const [other] = at < 0 ? [] : rest.splice(at);
      if (other === undefined) continue;
      const mark = markOf(one, other);
      marks.left.set(one.key, mark);
      marks.right.set(other.key, mark);
    }
  });
  return marks;
}

/** Two folded calls can look the same: the mark says what differs. */
function markOf(one: Row, other: Row): RowMark {
  const [call, otherCall] = [callOf(one), callOf(other)];
  if (call === null || otherCall === null || call.name !== otherCall.name) return "differs";
  return contentOfBlock(call) === contentOfBlock(otherCall) ? "other result" : "other arguments";
}

function callOf(row: Row): ToolCallBlock | null {
  const block = row.type === "call" ? row.at.message.content[row.index] : undefined;
  return block?.type === "tool_call" ? block : null;
}

function contentOfRow(row: Row): string {
  if (!("at" in row)) return row.type;
  const content = messagesOf(row).flatMap(({ message }) => message.content);
  const [block] = "index" in row ? [content[row.index]] : [];
  const blocks = block === undefined ? content : [block];
  const result = row.type === "call" && row.result !== null ? [row.result] : [];
  return JSON.stringify([row.type, [...blocks, ...result].map(contentOfBlock)]);
}

/** Counts the equal turns and the different ones in a sentence. */
export function summaryOf(rows: readonly ComparedTurns[]): string {
  const same = rows.reduce((sum, row) => sum + (row.type === "same" ? row.turns.length : 0), 0);
  const count = (...kinds: readonly TurnPair["kind"][]): number =>
    rows.filter((row) => row.type === "pair" && kinds.includes(row.kind)).length;
  const differ = count("answer", "question");
  if (differ + count("left", "right") === 0) return `All ${same.toLocaleString("en")} turns show the same.`;
  const parts = [
    [same, "the same"],
    [differ, "different"],
    [count("left"), "only on the left"],
    [count("right"), "only on the right"],
  ] as const;
  const words = parts
    .filter(([number]) => number > 0)
    .map(([n, what]) => `${n.toLocaleString("en")} ${what}`);
  return `Turns: ${words.join(", ")}`;
}
