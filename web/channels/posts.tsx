/** The messages of a channel: only those on the screen are in the page. */

import { visibleLine } from "@continuo/core/transcript";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { clock, counted, dayName } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { isAtEnd, type RowVirtualizer, useGoal, useVirtual } from "../shell/virtual.ts";
import type { ChannelState } from "./channel-state.ts";
import { Post } from "./post.tsx";
import type { Row } from "./rows.ts";

/** The next window is requested when this many rows are left before the beginning of the loaded part. */
const AHEAD = 12;
const HEIGHTS: Readonly<Record<Row["type"], number>> = {
  day: 48,
  mark: 32,
  message: 72,
  reply: 64,
  fold: 30,
  pointer: 30,
  notice: 30,
};

export function Posts({ state }: { state: ChannelState }): VNode {
  const scroller = useRef<HTMLElement>(null);
  const rows = state.rows.value;
  const virtualizer = useVirtual({
    scroller,
    rows,
    keyOf: ({ key }) => key,
    sizeOf: heightOf,
    anchorTo: "end",
    followOnAppend: true,
    paddingStart: 16,
    paddingEnd: 48,
  });
  const items = virtualizer.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const isGoing = state.goal.value !== null;
  useEffect(() => {
    if (rows.length > 0 && first < AHEAD && !isGoing) void state.loadOlder();
  }, [state, rows.length, first, isGoing]);
  usePostGoal(state, virtualizer);
  useKeys({
    G: () => void state.showNewest(),
    g: () => virtualizer.scrollToOffset(0),
  });
  const isNewest = !state.hasNewer && virtualizer.isAtEnd(80);
  useEffect(() => {
    if (isNewest && isAtEnd(virtualizer, 80) && rows.length > 0) state.sawEnd();
  }, [state, isNewest, rows]);
  return (
    <main class="scroller turns posts" ref={scroller} aria-label="Messages">
      {rows.length === 0 && state.failure.value === null ? (
        <p class="empty">{state.loading.value ? "Reading…" : "Nobody has written here yet."}</p>
      ) : null}
      <div class="rows" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {items.map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <div
              key={row.key}
              class={`line row-${row.type}`}
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
              ref={virtualizer.measureElement}
            >
              <RowView row={row} state={state} />
            </div>
          );
        })}
      </div>
      {isNewest || rows.length === 0 ? null : (
        <button type="button" class="to-end" onClick={() => void state.showNewest()}>
          Newest messages
        </button>
      )}
    </main>
  );
}

function heightOf(row: Row): number {
  if (row.type !== "message" && row.type !== "reply") return HEIGHTS[row.type];
  return HEIGHTS[row.type] + 24 * Math.min(200, Math.floor(row.message.content.length / 90));
}

function RowView({ row, state }: { row: Row; state: ChannelState }): VNode {
  switch (row.type) {
    case "day":
      return <h2 class="post-day">{dayName(row.at, new Date())}</h2>;
    case "mark":
      return <p class="seen-mark">New since you were here</p>;
    case "message":
      return <Post message={row.message} state={state} head={row.head} />;
    case "reply":
      return <Post message={row.message} state={state} head="whole" />;
    case "fold":
      return (
        <button
          type="button"
          class="fold"
          aria-expanded={row.isOpen}
          onClick={() => state.fold(row.root, !row.isOpen)}
        >
          {row.isOpen ? "Fold the replies" : counted(row.hidden, "earlier reply", "earlier replies")}
        </button>
      );
    case "pointer":
      return <Pointer row={row} state={state} />;
    case "notice":
      return (
        <p class="post-note">
          <bdi>{visibleLine(row.notice.text)}</bdi> <span class="dim">{clock(row.notice.timestamp)}</span>
        </p>
      );
  }
}

const TITLE_CHARS = 80;

function Pointer({
  row: { message, root },
  state,
}: {
  row: Extract<Row, { type: "pointer" }>;
  state: ChannelState;
}): VNode {
  const title = visibleLine(root.content.slice(0, TITLE_CHARS)).replaceAll("␊", " ");
  return (
    <button
      type="button"
      class="pointer"
      onClick={() => state.showMessage(message.messageId, root.messageId)}
    >
      <bdi class="who">{message.handle === null ? "The server" : visibleLine(message.handle)}</bdi>
      {" replied to "}
      <bdi class="argument">{title === "" ? "a message" : title}</bdi>
      <time dateTime={message.timestamp}>{clock(message.timestamp)}</time>
    </button>
  );
}

function usePostGoal(state: ChannelState, virtualizer: RowVirtualizer): void {
  useGoal(virtualizer, state.goal, (goal) => {
    if (goal.to === "end") virtualizer.scrollToEnd();
    else {
      const at = state.rows.value.findIndex(
        (row) => (row.type === "message" || row.type === "reply") && row.message.messageId === goal.id,
      );
      if (at >= 0) virtualizer.scrollToIndex(at, { align: "center" });
    }
  });
}
