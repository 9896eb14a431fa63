/** All channels, the most recently changed first; refreshed while the page is visible. */

import type { VNode } from "preact";
import { visibleLine } from "../../src/transcript/index.ts";
import type { ChannelRow, ChannelSummary } from "../../src/wire/index.ts";
import { clock, counted, dateAndClock, dayName } from "../content/words.ts";
import { LinkListPage } from "../parts/link-list.tsx";
import { CHANNELS, channelLink } from "./paths.ts";

interface ChannelsAnswer {
  readonly channels: readonly ChannelRow[];
}

export function ChannelsPage(): VNode {
  return (
    <LinkListPage<ChannelsAnswer, ChannelRow>
      title="Channels"
      path={`${CHANNELS}?summary=true`}
      rowsOf={({ channels }) => channels.toSorted((a, b) => (a.changedAt < b.changedAt ? 1 : -1))}
      keyOf={({ channel }) => channel}
      draw={(row) => <Line row={row} />}
      none={<NoChannels />}
    />
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

function Line({ row: { channel, changedAt, summary = null } }: { row: ChannelRow }): VNode {
  const day = dayName(changedAt, new Date());
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
