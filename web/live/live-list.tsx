/** All continuous sessions, the one with the newest input first; refreshed while the page is visible. */

import { visibleLine } from "@continuo/core/transcript";
import type { LiveSession } from "@continuo/core/wire";
import type { VNode } from "preact";
import { counted, dateAndClock } from "../content/words.ts";
import { LinkListPage } from "../parts/link-list.tsx";
import { LIVE, liveLink } from "./paths.ts";

interface SessionsAnswer {
  readonly sessions: readonly LiveSession[];
  readonly nextCursor: string | null;
}

/** The largest number of listed sessions. */
const MOST_SESSIONS = 500;

export function LiveListPage(): VNode {
  return (
    <LinkListPage<SessionsAnswer, LiveSession>
      title="Continuous sessions"
      path={`${LIVE}?limit=${MOST_SESSIONS}`}
      rowsOf={({ sessions }) => sessions.toSorted((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1))}
      keyOf={({ key }) => key}
      draw={(session) => <Line session={session} />}
      noteOf={({ nextCursor }) => (nextCursor === null ? null : <NotAll />)}
      none={<NoSessions />}
    />
  );
}

function NotAll(): VNode {
  return (
    <p class="notice">
      Only {MOST_SESSIONS} sessions are listed; <code>continuo live list</code> lists all.
    </p>
  );
}

function NoSessions(): VNode {
  return (
    <div class="empty">
      <p>No continuous sessions that this page may read.</p>
      <p class="dim">
        With <code>continuo serve</code> running, see one:{" "}
        <code>continuo live demo --server http://127.0.0.1:4747</code>
      </p>
    </div>
  );
}

function Line({ session }: { session: LiveSession }): VNode {
  const { key, title, videoId, state, level, noteIds, lastActivityAt, depth } = session;
  return (
    <a class="channel-line" href={liveLink(key)}>
      <bdi class="title">{visibleLine(title ?? videoId)}</bdi>
      <span class="there">
        <span class={`state ${state === "active" ? "live" : state === "degraded" ? "damaged" : ""}`}>
          {state}
        </span>
      </span>
      <time class="time" dateTime={lastActivityAt}>
        {dateAndClock(lastActivityAt)}
      </time>
      <span class="excerpt">
        {counted(noteIds.length, "note")}
        {depth === 0 ? "" : `, ${depth.toLocaleString("en")} waiting`}
        {level === "normal" ? "" : `, ${level}`}, <bdi>{visibleLine(key)}</bdi>
      </span>
    </a>
  );
}
