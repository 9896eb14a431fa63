/** All channels, the one with the newest change first; looked at again while somebody looks at the page. */

import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { visibleLine } from "../../src/transcript/index.ts";
import type { ChannelRow, ChannelSummary } from "../../src/wire/index.ts";
import { clock, counted, dateAndClock, dayName } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { useVirtual } from "../shell/virtual.ts";
import { moveFocus, Repeated } from "../state/repeated.ts";
import { CHANNELS, channelLink } from "./paths.ts";

const ROW_HEIGHT = 60;

interface ChannelsAnswer {
  readonly channels: readonly ChannelRow[];
}

export function ChannelsPage(): VNode {
  const state = useMemo(() => new Repeated<ChannelsAnswer>(`${CHANNELS}?summary=true`), []);
  useEffect(() => {
    document.title = "Channels · Continuo";
    return state.follow();
  }, [state]);
  useKeys({
    u: () => {
      location.hash = "#/";
    },
    j: () => moveFocus(".channel-line", 1),
    k: () => moveFocus(".channel-line", -1),
  });
  const rows = state.answer.value?.channels.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1)) ?? null;
  return (
    <main class="list-main plain-page" aria-label="Channels">
      <h1>Channels</h1>
      {state.failure.value === null ? null : (
        <p class="notice bad" role="alert">
          {state.failure.value}
        </p>
      )}
      {rows === null ? null : rows.length === 0 ? <NoChannels /> : <Rows rows={rows} />}
    </main>
  );
}

function NoChannels(): VNode {
  return (
    <div class="empty">
      <p>No channels that this page may read.</p>
      <p class="dim">
        The first message makes a channel: <code>continuo channel send team "hello"</code>, with{" "}
        <code>continuo serve</code> running.
      </p>
    </div>
  );
}

function Rows({ rows }: { rows: readonly ChannelRow[] }): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtual({
    count: rows.length,
    scroller,
    getItemKey: (index) => rows[index]?.channel ?? index,
    estimateSize: () => ROW_HEIGHT,
    paddingEnd: 48,
  });
  const now = new Date();
  return (
    <div class="scroller" ref={scroller} tabIndex={-1}>
      <ul class="rows plain-list" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const row = rows[index];
          return row === undefined ? null : (
            <li
              key={row.channel}
              class="line"
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
              ref={virtualizer.measureElement}
            >
              <Line row={row} now={now} />
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Line({ row: { channel, changedAt, summary = null }, now }: { row: ChannelRow; now: Date }): VNode {
  const day = dayName(changedAt, now);
  return (
    <a class="channel-line" href={channelLink(channel)}>
      <bdi class="title">{visibleLine(channel)}</bdi>
      <span class="there">{summary === null ? "" : whoIsThere(summary)}</span>
      <time class="time" dateTime={changedAt} title={dateAndClock(changedAt)}>
        {day === "Today" ? clock(changedAt) : day}
      </time>
      <span class="excerpt">{summary === null ? "" : <Newest summary={summary} />}</span>
    </a>
  );
}

function whoIsThere({ people, agents }: ChannelSummary): string {
  const parts = [
    people === 0 ? "" : counted(people, "person", "people"),
    agents === 0 ? "" : counted(agents, "agent"),
  ].filter((part) => part !== "");
  return parts.length === 0 ? "Nobody here" : `${parts.join(", ")} here`;
}

function Newest({ summary: { newest } }: { summary: ChannelSummary }): VNode {
  if (newest === null) return <>Nobody has written yet</>;
  const { handle, content, state } = newest;
  return (
    <>
      <bdi class="who">{handle === null ? "The server" : visibleLine(handle)}</bdi>{" "}
      {state === "interrupted" ? <span class="warn">interrupted </span> : null}
      <bdi>{state === "open" && content === "" ? "writes…" : visibleLine(content).replaceAll("␊", " ")}</bdi>
    </>
  );
}
