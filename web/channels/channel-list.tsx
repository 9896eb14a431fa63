/** The list of channels that this browser may read. It is loaded in parts, and refreshed while it is visible. */

import { visibleLine } from "@continuo/core/transcript";
import type { ChannelRow, ChannelSummary } from "@continuo/core/wire";
import type { VNode } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { clock, counted, dateAndClock, dayName } from "../content/words.ts";
import { LINK_KEYS, LinkRows } from "../parts/link-list.tsx";
import { keyHint, useKeys } from "../shell/keys.ts";
import { ChannelList } from "./channel-list-state.ts";
import { type ChannelPages, isByName } from "./channel-pages.ts";
import { channelLink } from "./paths.ts";

/** The next part of the list is read when fewer than this number of lines are left. */
const AHEAD = 60;

export function ChannelsPage(): VNode {
  const list = useMemo(() => new ChannelList(), []);
  useEffect(() => {
    document.title = "Channels · Continuo";
    return list.follow();
  }, [list]);
  useKeys({
    ...LINK_KEYS,
    "/": () => field()?.focus(),
    Escape: () => {
      if (document.activeElement !== field()) return false;
      if (list.filter.value === "") return field()?.blur();
      list.filter.value = "";
      return true;
    },
  });
  const pages = list.pages.value;
  const rows = list.rows.value;
  const isEmpty = pages.rows.length === 0;
  // A part of the list may be empty although more parts follow, because this browser may not read its channels.
  useEffect(() => {
    if (rows.length === 0) void list.readMore();
  }, [list, pages, rows]);
  return (
    <main class="list-main plain-page" aria-label="Channels">
      <h1>Channels</h1>
      {isEmpty ? null : <FilterLine list={list} />}
      <Failure list={list} />
      {rows.length > 0 ? (
        <LinkRows<ChannelRow>
          // The list of another search begins at the top.
          key={list.filter.value}
          rows={rows}
          keyOf={({ channel }) => channel}
          draw={(row) => <Line row={row} />}
          note={null}
          onRows={(first, last) => {
            list.sees(rows[first]?.channel ?? null);
            if (last >= rows.length - AHEAD) void list.readMore();
          }}
        />
      ) : pages.next !== null ? (
        <Unfinished list={list} />
      ) : isEmpty ? (
        <NoChannels />
      ) : (
        <NoMatch list={list} />
      )}
    </main>
  );
}

/** Shown while no line can be shown yet, but more channels can be read. */
function Unfinished({ list }: { list: ChannelList }): VNode {
  const pages = list.pages.value;
  const isStopped = list.failure.value !== null;
  if (pages.rows.length === 0) return <p class="empty">{isStopped ? "" : "Reading…"}</p>;
  const none = `None of the ${soFar(pages)} that were read so far has this in its name`;
  return <p class="empty">{isStopped ? `${none}.` : `${none}. Reading more…`}</p>;
}

function field(): HTMLElement | null {
  return document.getElementById("find-channel");
}

function soFar({ rows }: ChannelPages): string {
  return counted(rows.length, "channel");
}

function FilterLine({ list }: { list: ChannelList }): VNode {
  return (
    <search class="find-line">
      <input
        id="find-channel"
        type="search"
        placeholder="Filter by name"
        aria-label="Part of a channel's name"
        {...keyHint("/")}
        autocomplete="off"
        spellcheck={false}
        value={list.filter.value}
        onInput={(event) => {
          list.filter.value = event.currentTarget.value;
        }}
      />
      <output aria-live="polite">{countOf(list)}</output>
    </search>
  );
}

/** The count never claims more than what was read. */
function countOf({ pages: { value: pages }, rows, filter }: ChannelList): string {
  const more = pages.next === null ? "" : " so far";
  if (filter.value.trim() === "") return `${soFar(pages)}${more}${isByName(pages) ? ", by name" : ""}`;
  return `${rows.value.length.toLocaleString("en")} of ${pages.rows.length.toLocaleString("en")}${more}`;
}

/**
 * The parts that were read are refreshed automatically. After a failure, the next part is read only when the person
 * presses the button.
 */
function Failure({ list }: { list: ChannelList }): VNode | null {
  const more = list.failure.value;
  const text = more ?? list.poll.failure.value;
  return text === null ? null : (
    <p class="notice bad" role="alert">
      {more === null ? text : `The next channels were not read: ${text}`}{" "}
      {more === null ? null : (
        <button type="button" onClick={() => list.tryAgain()}>
          Try again
        </button>
      )}
    </p>
  );
}

function NoMatch({ list }: { list: ChannelList }): VNode {
  return (
    <div class="empty">
      <p>No channel has this in its name.</p>
      <button
        type="button"
        onClick={() => {
          list.filter.value = "";
        }}
      >
        Clear the filter
      </button>
    </div>
  );
}

function NoChannels(): VNode {
  return (
    <div class="empty">
      <p>There are no channels that this page may read.</p>
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
