/** The turns of a session: the rail at the side, and the rows on the screen. */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { keyHint, useKeys } from "../shell/keys.ts";
import { lazily } from "../shell/lazy.tsx";
import { isSessionAt, partIn, writeAddress } from "../shell/route.ts";
import { isAtEnd, type RowVirtualizer, useGoal, useVirtual } from "../shell/virtual.ts";
import { isFoldable, isOfMessage, type Row, turnOfRow, wordsInRow } from "../state/history.ts";
import { isSaved } from "../state/server.ts";
import { wordsIn } from "./choices.ts";
import { estimate } from "./estimate.ts";
import { useFoldingHeader } from "./folding-header.ts";
import { isPrinting } from "./printing.ts";
import { RowView } from "./rows.tsx";
import { addStep, type Goal, type SessionState } from "./session-state.ts";

/** The reader's choices. They are kept when rows leave the screen. */
export interface ConversationView {
  /** Folds that were opened or closed, by the key of their row. */
  readonly folds: Signal<ReadonlyMap<string, boolean>>;
  readonly thinking: Signal<boolean>;
  readonly turn: Signal<number | null>;
  /** True if the rail is open on a screen that has no room for both. */
  readonly rail: Signal<boolean>;
  /** True if the tree of branches is open. */
  readonly tree: Signal<boolean>;
}

const BranchTree = lazily(async () => (await import("./branches.tsx")).BranchTree);
const ModelNote = lazily(async () => (await import("./model-note.tsx")).ModelNote);
const Marks = lazily(async () => (await import("./marks.tsx")).Marks);
const Rail = lazily(async () => (await import("./rail.tsx")).Rail);

/** The next part is requested this many rows before an end of the loaded part. */
const AHEAD = 12;

/** Below this height of the window, the space after the last row would push the words off the screen. */
const LOW_PX = 480;

/** The rail and the tree are closed when another session is shown. */
export function useConversationView(state: SessionState): ConversationView {
  return useMemo(
    () => ({
      folds: state.folds,
      thinking: state.thinking,
      turn: signal(null),
      rail: signal(false),
      tree: signal(false),
    }),
    [state],
  );
}

export function Conversation({ state }: { state: SessionState }): VNode {
  const shown = useConversationView(state);
  return (
    <>
      <Switches state={state} shown={shown} />
      {shown.tree.value ? <BranchTree state={state} onClose={() => toggleTree(state, shown)} /> : null}
      <ModelNote state={state} />
      <div class="split">
        <nav class={shown.rail.value ? "rail open" : "rail"} aria-label="Turns">
          <Rail state={state} shown={shown} />
        </nav>
        <Turns state={state} shown={shown} />
      </div>
    </>
  );
}

function Switches({ state, shown }: { state: SessionState; shown: ConversationView }): VNode {
  return (
    <section class="switches" aria-label="What is shown">
      <button
        type="button"
        class="quiet rail-switch"
        aria-pressed={shown.rail.value}
        onClick={() => {
          shown.rail.value = !shown.rail.value;
        }}
      >
        Turns
      </button>
      <BranchSwitch state={state} shown={shown} />
      <button
        type="button"
        class="quiet"
        aria-pressed={shown.thinking.value}
        {...keyHint("t")}
        onClick={() => toggleThinking(state, shown)}
      >
        Thinking
      </button>
      {isSaved() ? null : (
        <button
          type="button"
          class="quiet"
          aria-pressed={state.view.value === "model"}
          {...keyHint("m", "What would be sent to the model on the next resume")}
          onClick={() => toggleView(state)}
        >
          As the model sees it
        </button>
      )}
    </section>
  );
}

/** Opens the tree of branches, if there are several. */
function BranchSwitch({ state, shown }: { state: SessionState; shown: ConversationView }): VNode | null {
  const count = state.head.value?.branches.length ?? 0;
  if (count < 2) return null;
  return (
    <button
      id="branches"
      type="button"
      class="quiet"
      aria-expanded={shown.tree.value}
      {...keyHint("b")}
      onClick={() => toggleTree(state, shown)}
    >
      {count} branches
    </button>
  );
}

function toggleTree(state: SessionState, shown: ConversationView): void {
  if ((state.head.value?.branches.length ?? 0) < 2) return;
  shown.tree.value = !shown.tree.value;
  if (!shown.tree.value) document.getElementById("branches")?.focus();
}

function toggleThinking(state: SessionState, shown: ConversationView): void {
  const turn = shown.turn.value;
  if (turn !== null) state.goal.value = { to: "turn", turn };
  addStep();
  shown.thinking.value = !shown.thinking.value;
  shown.folds.value = new Map();
}

function toggleView(state: SessionState): void {
  void state.setView(state.view.value === "model" ? "history" : "model");
}

function Turns({ state, shown }: { state: SessionState; shown: ConversationView }): VNode {
  const scroller = useRef<HTMLElement>(null);
  const rows = state.rows.value;
  const virtualizer = useVirtual({
    scroller,
    rows,
    keyOf: ({ key }) => key,
    sizeOf: (row) => estimate(row, shown),
    sizedBy: shown.thinking.value,
    anchorTo: "end",
    followOnAppend: useFollowing(state),
    paddingStart: 16,
    paddingEnd: innerHeight < LOW_PX ? 16 : 120,
  });
  const items = virtualizer.getVirtualItems();
  useEdges(state, rows.length, items[0]?.index ?? 0, items.at(-1)?.index ?? 0);
  useTurnGoal(state, virtualizer, shown);
  useCurrentTurn(state, virtualizer, shown);
  useTurnKeys(state, shown);
  useFoldingHeader(scroller);
  return (
    <main class="scroller turns" ref={scroller} aria-label="Conversation">
      {rows.length === 0 && state.failure.value === null ? (
        <p class="empty">{state.loading.value ? "Reading…" : "Nothing was said in this session."}</p>
      ) : null}
      {wordsIn(state.find.value).length === 0 || isSaved() ? null : <Marks state={state} shown={shown} />}
      <div class="rows" style={isPrinting.value ? {} : { height: `${virtualizer.getTotalSize()}px` }}>
        {(isPrinting.value ? rows.map((_, index) => ({ index, start: 0 })) : items).map(
          ({ index, start }) => {
            const row = rows[index];
            return row === undefined ? null : (
              <div
                key={row.key}
                class={`line row-${row.type}`}
                data-index={index}
                style={isPrinting.value ? {} : { transform: `translateY(${start}px)` }}
                ref={isPrinting.value ? null : virtualizer.measureElement}
              >
                <RowView row={row} state={state} shown={shown} />
              </div>
            );
          },
        )}
      </div>
    </main>
  );
}

/** True if the page may follow new messages; false while the rest of the session is loaded below a part of it. */
function useFollowing(state: SessionState): boolean {
  const { hasNewer } = state.part.value;
  const hadNewer = useRef(hasNewer);
  const isFollowing = !hadNewer.current && !hasNewer;
  useLayoutEffect(() => {
    hadNewer.current = hasNewer;
  });
  return isFollowing;
}

function useEdges(state: SessionState, count: number, first: number, last: number): void {
  const isGoing = state.goal.value !== null;
  useEffect(() => {
    if (count === 0 || isGoing) return;
    if (first < AHEAD) void state.loadOlder();
    if (last > count - AHEAD) void state.loadNewer();
  }, [state, count, first, last, isGoing]);
}

/**
 * Nothing else is loaded until the turn is reached, because the virtualizer scrolls to an index, which new rows before
 * it would change.
 */
function useTurnGoal(state: SessionState, virtualizer: RowVirtualizer, shown: ConversationView): void {
  useGoal(virtualizer, state.goal, (goal) => {
    const rows = state.rows.value;
    const words = wordsIn(state.find.value);
    const at = goal.to === "end" ? rows.length - 1 : placeOf(rows, goal, words);
    if (goal.to !== "end" && words.length > 0) openFold(rows[at], state, words);
    if (at >= 0) shown.turn.value = turnOfRow(rows[at]) ?? shown.turn.value;
    if (goal.to === "end") virtualizer.scrollToEnd();
    else if (at >= 0) virtualizer.scrollToIndex(at, { align: "start" });
  });
}

/** Among the rows of the target, the first row that contains the most searched words. */
function placeOf(rows: readonly Row[], goal: Exclude<Goal, { to: "end" }>, words: readonly string[]): number {
  let [at, most] = [-1, -1];
  for (const [index, row] of rows.entries()) {
    const count = isAtGoal(row, goal) ? wordsInRow(row, words) : -1;
    if (count > most) [at, most] = [index, count];
  }
  // The call may not have a separate row: in this case the first row of its message is the target.
  return at >= 0 || goal.to === "turn" ? at : rows.findIndex((row) => isOfMessage(row, goal.id));
}

/** A match may be in a folded call. */
function openFold(row: Row | undefined, state: SessionState, words: readonly string[]): void {
  if (
    row === undefined ||
    !isFoldable(row) ||
    wordsInRow(row, words) === 0 ||
    state.folds.value.get(row.key) === true
  )
    return;
  state.folds.value = new Map(state.folds.value).set(row.key, true);
}

function callIn(row: Row): string | null {
  const block = row.type === "call" ? row.at.message.content[row.index] : undefined;
  return block?.type === "tool_call" ? block.id : null;
}

function isAtGoal(row: Row, goal: Exclude<Goal, { readonly to: "end" }>): boolean {
  if (goal.to === "turn") return turnOfRow(row) === goal.turn;
  return isOfMessage(row, goal.id) && (goal.callId === undefined || callIn(row) === goal.callId);
}

/**
 * Keeps the turn at the top of the screen. Until the reader scrolls, it is the turn that they opened: near the end of
 * the session a turn cannot be at the top, and heights change while rows are drawn.
 */
function useCurrentTurn(state: SessionState, virtualizer: RowVirtualizer, shown: ConversationView): void {
  const rows = state.rows.value;
  const goal = state.goal.value;
  const isGoing = goal !== null || state.loading.value;
  const isLast = useRef(false);
  const reached = useRef<Goal | null>(null);
  useLayoutEffect(() => {
    if (goal !== null) reached.current = goal;
  }, [goal]);
  useReaderScrolls(virtualizer, () => {
    reached.current = null;
  });
  const total = state.outline.value?.total ?? null;
  useLayoutEffect(() => {
    const turn = shown.turn.value;
    if (total === null || turn === null || turn > 0) return;
    // Turns were counted from the end until their number was known.
    const number = turn + total + 1;
    shown.turn.value = number;
    if (reached.current?.to === "turn") reached.current = { to: "turn", turn: number };
    if (goal?.to === "turn" && goal.turn < 0) state.goal.value = { to: "turn", turn: goal.turn + total + 1 };
    if (state.place !== null && state.place < 0) state.place += total + 1;
  }, [total]);
  // This runs before the next paint. Later, it would undo a key that was pressed in the meantime.
  useLayoutEffect(() => {
    const { scrollElement } = virtualizer;
    if (isGoing || scrollElement === null) return;
    const to = reached.current?.to;
    const end = rows.length - 1;
    const isEnd = to === "end" || (to === undefined && isAtEnd(virtualizer, 8) && !state.part.value.hasNewer);
    isLast.current = isEnd;
    if (to !== undefined && to !== "end") return;
    const at = isEnd ? end : (virtualizer.getVirtualItemForOffset(scrollElement.scrollTop + 80)?.index ?? 0);
    shown.turn.value = turnOfRow(rows[at]) ?? turnOfRow(rows[at + 1]) ?? shown.turn.value;
  });
  const turn = shown.turn.value;
  useEffect(() => {
    if (isGoing || turn === null) return;
    const due = setTimeout(() => noteTurn(state, isLast.current ? null : turn), STILL_MS);
    return () => clearTimeout(due);
  }, [state, turn, isGoing]);
}

const SCROLL_KEYS: ReadonlySet<string> = new Set([
  ...["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End", " "],
]);

/** Calls the function when the reader scrolls, and not when the rows move by themselves. */
function useReaderScrolls({ scrollElement }: RowVirtualizer, scrolled: () => void): void {
  useEffect(() => {
    if (scrollElement === null) return;
    const stop = new AbortController();
    const { signal } = stop;
    for (const type of ["wheel", "touchmove"]) {
      scrollElement.addEventListener(type, scrolled, { signal, passive: true });
    }
    const pressed = ({ target, button, offsetX }: PointerEvent): void => {
      if (button === 1 || (target === scrollElement && offsetX >= scrollElement.clientWidth)) scrolled();
    };
    scrollElement.addEventListener("pointerdown", pressed, { signal });
    const typed = ({ key, target }: KeyboardEvent): void => {
      const isField = target instanceof HTMLElement && target.matches("input, textarea, select");
      if (SCROLL_KEYS.has(key) && !isField) scrolled();
    };
    document.addEventListener("keydown", typed, { signal });
    return () => stop.abort();
  }, [scrollElement]);
}

/** After this time, the address names the turn that the reader sees; at the end of the session it names none. */
const STILL_MS = 300;

function noteTurn(state: SessionState, turn: number | null): void {
  state.place = turn;
  const next = turn === null || turn < 0 ? "" : `turn/${turn}`;
  const isOld = partIn(location.hash) !== next && isSessionAt(state.key, "conversation");
  if (isOld) writeAddress(state.link(next));
}

/** Completes a step to an unloaded place after the session was read, unless the reader moved in the meantime. */
function useLaterStep(state: SessionState): { current: (() => void) | null } {
  const later = useRef<(() => void) | null>(null);
  const isRead = state.outline.value !== null;
  useEffect(() => {
    const step = later.current;
    later.current = null;
    if (isRead) step?.();
  }, [isRead]);
  return later;
}

function useTurnKeys(state: SessionState, shown: ConversationView): void {
  const later = useLaterStep(state);
  const total = (): number => state.turns.value.turns.at(-1)?.number ?? 0;
  const go = (turn: number): void => {
    later.current = null;
    if (turn === 0 || turn > total()) return;
    const before = shown.turn.value;
    shown.turn.value = turn;
    void state.showTurn(turn).then((isThere) => {
      if (!isThere && shown.turn.value === turn) shown.turn.value = before;
    });
    if (turn > 0) writeAddress(state.link(`turn/${turn}`));
  };
  const toMark = (step: 1 | -1): void => {
    const here = shown.turn.value ?? total();
    const turns = [...new Set(state.turns.value.marks.map(({ turn }) => turn))].sort((a, b) => a - b);
    const next = step > 0 ? turns.find((turn) => turn > here) : turns.findLast((turn) => turn < here);
    if (next !== undefined) go(next);
    else if (state.outline.value === null) later.current = () => toMark(step);
  };
  useKeys({
    j: () => go((shown.turn.value ?? 0) + 1),
    k: () => go((shown.turn.value ?? total() + 1) - 1),
    "]": () => toMark(1),
    "[": () => toMark(-1),
    g: () => {
      go(1);
      // Only the end of the session is loaded, and its turns have no numbers yet.
      if (total() <= 0) later.current = () => go(1);
    },
    G: () => {
      later.current = null;
      void state.showNewest();
    },
    t: () => toggleThinking(state, shown),
    m: () => !isSaved() && toggleView(state),
    b: () => toggleTree(state, shown),
    "/": () => document.getElementById("find-turn")?.focus(),
    Escape: () =>
      document.activeElement?.id === "find-turn" ? document.getElementById("find-turn")?.blur() : false,
  });
}
