/** A row of a comparison: equal turns, folded, or two turns side by side with marks on the differences. */

import { visibleLine } from "@continuo/core/transcript";
import type { OutlineTurn } from "@continuo/core/wire/machine";
import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { titleText } from "../content/title.ts";
import { cost, counted, duration, tokens } from "../content/words.ts";
import type { ConversationView } from "../session/conversation.tsx";
import { RowView } from "../session/rows.tsx";
import { type Row, toRows } from "../state/history.ts";
import type { ComparedSide, CompareState } from "./compare-state.ts";
import { markRows, type RowMarks, type SameTurns, type TurnPair } from "./turn-pairs.ts";

interface SameRowProps {
  readonly row: SameTurns;
  readonly state: CompareState;
  readonly isOpen: boolean;
}

export function SameRow({ row: { turns }, state, isOpen }: SameRowProps): VNode {
  const first = turns[0]?.[0].number ?? 0;
  return (
    <>
      <h3 class="compare-line">
        <button
          type="button"
          class="fold same-fold"
          aria-expanded={isOpen}
          onClick={() => state.toggleSame(first)}
        >
          {placesOf(turns)} show the same
        </button>
      </h3>
      {isOpen ? (
        <ol class="same-turns plain-list">
          {turns.map(([left, right]) => (
            <li key={left.number}>
              <TurnLink turn={left} side={state.left} />
              <bdi>{titleText(left.title, "Without a question")}</bdi>
              <TurnLink turn={right} side={state.right} />
            </li>
          ))}
        </ol>
      ) : null}
    </>
  );
}

function placesOf(turns: SameTurns["turns"]): string {
  const left = spanOf(turns.map(([one]) => one));
  const right = spanOf(turns.map(([, other]) => other));
  return left === right ? left : `${left} on the left and ${right.toLowerCase()} on the right`;
}

function spanOf(turns: readonly OutlineTurn[]): string {
  const [first, last] = [turns[0]?.number ?? 0, turns.at(-1)?.number ?? 0];
  return first === last ? `Turn ${first}` : `Turns ${first} to ${last}`;
}

function TurnLink({ turn: { number }, side }: { turn: OutlineTurn; side: ComparedSide }): VNode {
  return (
    <a class="number" href={side.session.link(`turn/${number}`)}>
      <span class="hidden-text">Turn </span>
      {number}
      <span class="hidden-text"> on the {side.name}</span>
    </a>
  );
}

const KINDS: Readonly<Record<TurnPair["kind"], string>> = {
  answer: "Same question, different answer",
  question: "Different turns",
  left: "Only on the left",
  right: "Only on the right",
};

export function PairRow({ row, state }: { row: TurnPair; state: CompareState }): VNode {
  const { kind, left, right } = row;
  const rows = {
    left: useRows(state.left, left),
    right: useRows(state.right, right),
  };
  const marks = useMemo(() => markRows(rows.left, rows.right), [rows.left, rows.right]);
  // Until both are loaded, and if one side has no turn, every row would be marked.
  const isMarked = rows.left.length > 0 && rows.right.length > 0;
  return (
    <>
      <h3 class="compare-line">
        {left === null ? null : <TurnLink turn={left} side={state.left} />}
        <span class="pair-kind">{KINDS[kind]}</span>
        {right === null ? null : <TurnLink turn={right} side={state.right} />}
      </h3>
      <div class="compare-cells">
        {(["left", "right"] as const).map((name) => (
          <Cell
            key={name}
            side={state[name]}
            turn={row[name]}
            rows={rows[name]}
            marks={isMarked ? marks[name] : null}
            state={state}
          />
        ))}
      </div>
      {isMarked && kind === "answer" && marks.left.size + marks.right.size === 0 ? (
        <p class="note">They differ in what is not shown, such as the rest of a long text.</p>
      ) : null}
    </>
  );
}

const NO_ROWS: readonly Row[] = [];

/** The rows of a turn, which is loaded when it appears on the screen. */
function useRows(side: ComparedSide, turn: OutlineTurn | null): readonly Row[] {
  useEffect(() => {
    if (turn !== null) void side.load(turn);
  }, [side, turn]);
  const { messages } = side.session.part.value;
  const count = turn === null ? 0 : messages.filter((one) => one.turn === turn.number).length;
  // After more of a text is loaded, its message is a new object.
  const own = turn === null ? [] : messages.filter((one) => one.turn === turn.number);
  return useMemo(
    () => (own.length === 0 ? NO_ROWS : toRows(own, { turns: [], seenFrom: null })),
    [count, ...own.slice(-200)],
  );
}

interface CellProps {
  readonly side: ComparedSide;
  readonly turn: OutlineTurn | null;
  readonly rows: readonly Row[];
  readonly marks: RowMarks | null;
  readonly state: CompareState;
}

function Cell({ side, turn, rows, marks, state }: CellProps): VNode {
  const shown = useCellView(state);
  const failure = turn === null ? undefined : side.failures.value.get(turn.number);
  if (turn === null) {
    return <div class={`compare-cell none ${side.name}`}>No such turn on the {side.name}</div>;
  }
  return (
    <div class={`compare-cell ${side.name}`}>
      {rows.length === 0 && failure === undefined ? <p class="dim">Reading…</p> : null}
      {rows.map((row) => {
        const mark = marks?.get(row.key);
        return (
          <div key={row.key} class={`cell-row row-${row.type} ${mark === undefined ? "" : "marked"}`}>
            {mark === undefined ? null : <span class="cell-mark">{mark}</span>}
            <RowView row={row} state={side.session} shown={shown} />
          </div>
        );
      })}
      {failure === undefined ? null : (
        <p class="notice bad" role="alert">
          <ErrorText text={failure} />
        </p>
      )}
      <More side={side} turn={turn} isFailed={failure !== undefined} hasRows={rows.length > 0} />
      <TurnFacts turn={turn} />
    </div>
  );
}

interface MoreProps {
  readonly side: ComparedSide;
  readonly turn: OutlineTurn;
  readonly isFailed: boolean;
  readonly hasRows: boolean;
}

function More({ side, turn, isFailed, hasRows }: MoreProps): VNode | null {
  const loaded = side.messagesOf(turn).length;
  if (!isFailed && (!hasRows || loaded >= turn.messages)) return null;
  return (
    <p class="note">
      {loaded.toLocaleString("en")} of {counted(turn.messages, "message")}{" "}
      <button type="button" class="quiet" onClick={() => void side.loadMore(turn)}>
        {isFailed ? "Try again" : "Show more"}
      </button>
    </p>
  );
}

function TurnFacts({ turn }: { turn: OutlineTurn }): VNode | null {
  const facts = [
    turn.models.map(visibleLine).join(", "),
    turn.tokens === 0 ? "" : `${tokens(turn.tokens)} tokens`,
    turn.costUsd === null ? "" : cost(turn.costUsd),
    duration(turn.at, turn.endedAt),
  ].filter((fact) => fact !== "");
  return facts.length === 0 ? null : <p class="turn-foot">{facts.join(" · ")}</p>;
}

/** Both sides share their folds: a message of two branches opens in both. */
function useCellView(state: CompareState): ConversationView {
  const closed = useSignal(false);
  const turn = useSignal<number | null>(null);
  return { folds: state.folds, thinking: closed, turn, rail: closed, tree: closed };
}
