/**
 * Two histories in two columns: their turns side by side, and the differences. A narrow screen shows one column at a
 * time.
 */

import { useComputed, useSignalEffect } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ErrorText } from "../content/error-text.tsx";
import { counted } from "../content/words.ts";
import { addStep } from "../session/session-state.ts";
import { keyHint, useKeys } from "../shell/keys.ts";
import { route, sessionLink, writeAddress } from "../shell/route.ts";
import { useGoal, useVirtual } from "../shell/virtual.ts";
import { isLost } from "../state/server.ts";
import {
  type CompareAddress,
  compareLink,
  comparison,
  parseCompare,
  type SideName,
  swapped,
} from "./compare-address.ts";
import { CompareState } from "./compare-state.ts";
import { PairRow, SameRow } from "./pair-row.tsx";
import { SideHead, titleOfSide } from "./side-head.tsx";
import { type ComparedTurns, summaryOf } from "./turn-pairs.ts";

export function ComparePage(): VNode | null {
  // Each address that the reader opens is a new value.
  const place = route.value;
  const address = useMemo(() => parseCompare(location.hash), [place]);
  if (address === null) return null;
  const { left, right } = address;
  return <Comparison key={compareLink(comparison(left, right))} address={address} />;
}

function Comparison({ address }: { address: CompareAddress }): VNode {
  const state = useMemo(() => new CompareState(address), []);
  useEffect(() => {
    void state.read();
    return () => state.close();
  }, [state]);
  useEffect(() => state.show(address), [address]);
  useSignalEffect(() => {
    const { link } = state;
    if (link !== location.hash) writeAddress(link);
  });
  useSignalEffect(() => {
    document.title = `${titleOfSide(state.left)} and ${titleOfSide(state.right)} · Continuo`;
  });
  useSignalEffect(() => {
    // The failure came from a server that answers again.
    if (!isLost.value && state.failure.peek() !== null) void state.read();
  });
  useKeys({
    j: () => state.go(1, "row"),
    k: () => state.go(-1, "row"),
    "]": () => state.go(1, "difference"),
    "[": () => state.go(-1, "difference"),
    h: () => showSide(state, "left"),
    l: () => showSide(state, "right"),
    u: () => {
      location.hash = sessionLink(state.left.history.key);
    },
  });
  return (
    <div class={`compare-page shows-${state.side.value}`}>
      <section class="compare-head" aria-label="Comparison">
        <Bar state={state} />
        <div class="compare-sides">
          <SideHead side={state.left} state={state} />
          <SideHead side={state.right} state={state} />
        </div>
        {state.failure.value === null ? null : (
          <p class="notice bad" role="alert">
            <ErrorText text={state.failure.value} />
          </p>
        )}
      </section>
      <Rows state={state} />
    </div>
  );
}

function Bar({ state }: { state: CompareState }): VNode {
  const rows = state.rows.value;
  const hasDifferences = rows?.some(({ type }) => type === "pair") === true;
  return (
    <div class="compare-bar">
      <h1>Comparison</h1>
      <p role="status" class="compare-summary">
        {rows !== null ? summaryOf(rows) : state.failure.value === null ? "Reading both…" : ""}
      </p>
      <fieldset class="bare compare-switch" aria-label="Column">
        {(["left", "right"] as const).map((side) => (
          <button
            key={side}
            type="button"
            class="quiet"
            aria-pressed={state.side.value === side}
            {...keyHint(side === "left" ? "h" : "l")}
            onClick={() => showSide(state, side)}
          >
            {side === "left" ? "Left" : "Right"}
          </button>
        ))}
      </fieldset>
      <button
        type="button"
        class="quiet"
        disabled={!hasDifferences}
        {...keyHint("[")}
        onClick={() => state.go(-1, "difference")}
      >
        Previous<span class="long-words"> difference</span>
      </button>
      <button
        type="button"
        class="quiet"
        disabled={!hasDifferences}
        {...keyHint("]")}
        onClick={() => state.go(1, "difference")}
      >
        Next<span class="long-words"> difference</span>
      </button>
      <button
        type="button"
        class="quiet"
        onClick={() => {
          location.hash = compareLink(swapped(state.address));
        }}
      >
        Swap
      </button>
    </div>
  );
}

function showSide(state: CompareState, side: SideName): void {
  if (state.side.value === side) return;
  addStep();
  state.side.value = side;
}

const SAME_HEIGHT = 40;
const PAIR_HEIGHT = 320;
const LINE_HEIGHT = 28;

function Rows({ state }: { state: CompareState }): VNode {
  const scroller = useRef<HTMLElement>(null);
  const rows = useComputed(() => state.rows.value ?? []).value;
  const virtualizer = useVirtual({
    scroller,
    rows,
    keyOf: keyOfRow,
    sizeOf: (row) =>
      row.type === "pair"
        ? PAIR_HEIGHT
        : SAME_HEIGHT + (isOpen(state, row) ? LINE_HEIGHT * row.turns.length : 0),
    paddingStart: 8,
    paddingEnd: 120,
  });
  useGoal(virtualizer, state.goal, ({ row }) => {
    if (row <= rows.length) virtualizer.scrollToIndex(row - 1, { align: "start" });
  });
  return (
    <main class="scroller turns compare" ref={scroller} aria-label="Turns of both" tabIndex={-1}>
      {state.rows.value?.length === 0 ? <p class="empty">Nothing was said in either of them.</p> : null}
      <div class="rows" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <section
              key={keyOfRow(row)}
              class="line compare-row"
              aria-label={`Row ${index + 1} of ${counted(rows.length, "row")}`}
              aria-current={state.at.value === index + 1 ? "true" : undefined}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
              ref={virtualizer.measureElement}
            >
              {row.type === "same" ? (
                <SameRow row={row} state={state} isOpen={isOpen(state, row)} />
              ) : (
                <PairRow row={row} state={state} />
              )}
            </section>
          );
        })}
      </div>
    </main>
  );
}

function isOpen(state: CompareState, row: ComparedTurns): boolean {
  return row.type === "same" && state.same.value.has(row.turns[0]?.[0].number ?? 0);
}

function keyOfRow(row: ComparedTurns): string {
  const [left, right] = row.type === "same" ? (row.turns[0] ?? []) : [row.left, row.right];
  return `${left?.number ?? ""}|${right?.number ?? ""}`;
}
