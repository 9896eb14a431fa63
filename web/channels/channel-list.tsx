/** All channels, the one with the newest change first; looked at again while somebody looks at the page. */

import { type Signal, signal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { visibleLine } from "../../src/transcript/index.ts";
import type { ChannelRow, ChannelSummary } from "../../src/wire/index.ts";
import { clock, counted, dateAndClock, dayName } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { useVirtual } from "../shell/virtual.ts";
import { ask, sayError } from "../state/server.ts";
import { CHANNELS, channelLink } from "./paths.ts";

const LOOK_MS = 3_000;
const ROW_HEIGHT = 60;

class ListState {
  readonly rows: Signal<readonly ChannelRow[] | null> = signal(null);
  readonly failure: Signal<string | null> = signal(null);

  follow(): () => void {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      if (document.visibilityState === "visible") await this.#look(stop.signal);
      if (!stop.signal.aborted) timer = setTimeout(() => void look(), LOOK_MS);
    };
    void look();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }

  async #look(stop: AbortSignal): Promise<void> {
    try {
      const { channels } = await ask<{ readonly channels: readonly ChannelRow[] }>(
        `${CHANNELS}?summary=true`,
        { signal: stop },
      );
      this.rows.value = channels.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1));
      this.failure.value = null;
    } catch (error) {
      if (!stop.aborted) this.failure.value = sayError(error);
    }
  }
}

export function ChannelsPage(): VNode {
  const state = useMemo(() => new ListState(), []);
  useEffect(() => {
    document.title = "Channels · Continuo";
    return state.follow();
  }, [state]);
  useKeys({
    u: () => {
      location.hash = "#/";
    },
    j: () => move(1),
    k: () => move(-1),
  });
  const rows = state.rows.value;
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

/** By keyboard from line to line. */
function move(step: 1 | -1): void {
  const lines = [...document.querySelectorAll<HTMLElement>(".channel-line")];
  const at = lines.indexOf(document.activeElement as HTMLElement);
  lines[at === -1 ? (step === 1 ? 0 : lines.length - 1) : at + step]?.focus();
}
