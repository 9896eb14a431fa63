/** The timeline of a session in the order of its log: captions, remarks, frames, notes and states. */

import { visibleLine, visibleText } from "@continuo/core/transcript";
import type { NoteVerb } from "@continuo/core/wire";
import type { VNode } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { clock, counted, dateAndClock } from "../content/words.ts";
import { useGoal, useVirtual } from "../shell/virtual.ts";
import type { Item } from "./fold.ts";
import type { LiveState } from "./live-state.ts";
import { mediaTime } from "./paths.ts";
import { type FrameItem, Picture } from "./picture.tsx";

/** The next window is requested this many lines before an end of the loaded part. */
const AHEAD = 12;
const FRAME_HEIGHT = 128;
const LINE_HEIGHT = 34;

export function Timeline({ state }: { state: LiveState }): VNode {
  const scroller = useRef<HTMLElement>(null);
  const items = state.items.value;
  const virtualizer = useVirtual({
    scroller,
    rows: items,
    keyOf: ({ sequence }) => sequence,
    sizeOf: ({ type }) => (type === "frame" ? FRAME_HEIGHT : LINE_HEIGHT),
    anchorTo: "end",
    followOnAppend: state.isAtEnd,
    paddingEnd: 24,
  });
  const lines = virtualizer.getVirtualItems();
  const { from, to, hasNewer } = state.part.value;
  const at = state.at.value;
  const isGoing = state.goal.value !== null || !state.isReady.value;
  const first = lines[0]?.index ?? 0;
  const last = lines.at(-1)?.index ?? 0;
  useEffect(() => {
    if (isGoing) return;
    if (first < AHEAD) void state.loadOlder();
    // At a position, later lines are not shown.
    else if (hasNewer && (at === null || at > to) && last > items.length - AHEAD) void state.loadNewer();
  }, [state, isGoing, first, last, from, to, at, hasNewer, items.length]);
  useGoal(virtualizer, state.goal, (goal) => {
    if (goal.to === "end") return virtualizer.scrollToEnd();
    const index = items.findIndex((item) => nameOf(item) === goal.name);
    if (index >= 0) virtualizer.scrollToIndex(index, { align: "center" });
  });
  const chosen = state.chosen.value;
  return (
    <div class="live-part">
      <h2 id="live-timeline">Timeline</h2>
      {items.length === 0 && state.isReady.value ? <p class="dim">No evidence yet.</p> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard. */}
      <section class="scroller" ref={scroller} tabIndex={0} aria-labelledby="live-timeline">
        <ol class="rows plain-list" style={{ height: `${virtualizer.getTotalSize()}px` }}>
          {lines.map(({ index, start }) => {
            const item = items[index];
            return item === undefined ? null : (
              <li
                key={item.sequence}
                class="line"
                data-index={index}
                style={{ transform: `translateY(${start}px)` }}
                ref={virtualizer.measureElement}
              >
                <Line item={item} state={state} isChosen={chosen !== null && nameOf(item) === chosen} />
              </li>
            );
          })}
        </ol>
      </section>
    </div>
  );
}

/** The id that selects the line: the id of evidence, or of the newest line of a note. */
function nameOf(item: Item): string {
  return item.type === "note" ? `${item.noteId} ${item.sequence}` : item.id;
}

interface LineProps {
  readonly item: Item;
  readonly state: LiveState;
  readonly isChosen: boolean;
}

function Line({ item, state, isChosen }: LineProps): VNode {
  return (
    <div class={`moment of-${item.type}`} aria-current={isChosen ? "true" : undefined}>
      <time dateTime={item.at} title={dateAndClock(item.at)}>
        {"mediaTimeMs" in item ? mediaTime(item.mediaTimeMs) : ""}
      </time>
      <Words item={item} state={state} />
    </div>
  );
}

function Words({ item, state }: Omit<LineProps, "isChosen">): VNode {
  switch (item.type) {
    case "said":
    case "remark":
      return (
        <p dir="auto">
          {item.type === "remark" ? <b dir="ltr">Remark: </b> : null}
          {item.speaker === null ? null : <bdi class="who">{visibleLine(item.speaker)} </bdi>}
          {visibleText(item.text)}
        </p>
      );
    case "question":
      return (
        <p>
          <b>The agent asks: </b>
          <bdi>{item.text === "" ? "what is meant here?" : visibleText(item.text)}</bdi>
        </p>
      );
    case "frame":
      return <Frame item={item} state={state} />;
    case "note":
      return <NoteLine item={item} state={state} />;
    case "state":
      return (
        <p class="mark-line">
          <bdi>{visibleLine(item.text)}</bdi> <span class="dim">{clock(item.at)}</span>
        </p>
      );
    case "checkpoint":
      return <p class="mark-line dim">Checkpoint, up to event {item.cursor.toLocaleString("en")}</p>;
    case "lost":
      return <p class="mark-line warn">{counted(item.count, "piece")} of evidence dropped under load</p>;
  }
}

function Frame({ item, state }: { item: FrameItem; state: LiveState }): VNode {
  const { text, mediaTimeMs } = item;
  const words = text === "" ? `Frame at ${mediaTime(mediaTimeMs)}` : visibleLine(text);
  return (
    <figure class="frame">
      <Picture sessionKey={state.key} frame={item} words={words} />
      <figcaption>
        <bdi>{words}</bdi>
      </figcaption>
    </figure>
  );
}

const VERBS: Readonly<Record<NoteVerb, string>> = {
  written: "Note written",
  updated: "Note changed",
  accepted: "Note accepted",
  undone: "Change of a note taken back",
  merged: "Notes merged",
  split: "Note split off",
  archived: "Note archived",
};

function NoteLine({ item, state }: { item: Extract<Item, { type: "note" }>; state: LiveState }): VNode {
  return (
    <button
      type="button"
      class="pointer"
      onClick={() => {
        state.chosen.value = item.noteId;
      }}
    >
      <span class="who">
        {VERBS[item.verb]}
        {item.by === "person" ? " by a person" : ""}
      </span>
      <bdi class="argument">{visibleLine(item.text).replaceAll("␊", " ")}</bdi>
    </button>
  );
}
