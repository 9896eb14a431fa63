/** All continuous sessions, the one with the newest input first; looked at again while somebody looks at the page. */

import type { VNode } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { visibleLine } from "../../src/transcript/index.ts";
import type { LiveSession } from "../../src/wire/index.ts";
import { counted, dateAndClock } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { useVirtual } from "../shell/virtual.ts";
import { moveFocus, Repeated } from "../state/repeated.ts";
import { LIVE, liveLink } from "./paths.ts";

interface SessionsAnswer {
  readonly sessions: readonly LiveSession[];
  readonly nextCursor: string | null;
}

/** More are not listed. */
const MOST_SESSIONS = 500;

export function LiveListPage(): VNode {
  const state = useMemo(() => new Repeated<SessionsAnswer>(`${LIVE}?limit=${MOST_SESSIONS}`), []);
  useEffect(() => {
    document.title = "Continuous sessions · Continuo";
    return state.follow();
  }, [state]);
  useKeys({
    u: () => {
      location.hash = "#/";
    },
    j: () => moveFocus(".channel-line", 1),
    k: () => moveFocus(".channel-line", -1),
  });
  const answer = state.answer.value;
  return (
    <main class="list-main plain-page" aria-label="Continuous sessions">
      <h1>Continuous sessions</h1>
      {state.failure.value === null ? null : (
        <p class="notice bad" role="alert">
          {state.failure.value}
        </p>
      )}
      {answer === null ? null : answer.sessions.length === 0 ? <NoSessions /> : <Rows answer={answer} />}
    </main>
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

function Rows({ answer: { sessions, nextCursor } }: { answer: SessionsAnswer }): VNode {
  const scroller = useRef<HTMLDivElement>(null);
  const rows = sessions.toSorted((a, b) => (a.lastActivityAt < b.lastActivityAt ? 1 : -1));
  const virtualizer = useVirtual({
    count: rows.length,
    scroller,
    getItemKey: (index) => rows[index]?.key ?? index,
    estimateSize: () => 60,
    paddingEnd: 48,
  });
  return (
    <div class="scroller" ref={scroller} tabIndex={-1}>
      {nextCursor === null ? null : (
        <p class="notice">
          Only {MOST_SESSIONS} sessions are listed; <code>continuo live list</code> lists all.
        </p>
      )}
      <ul class="rows plain-list" style={{ height: `${virtualizer.getTotalSize()}px` }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const session = rows[index];
          return session === undefined ? null : (
            <li
              key={session.key}
              class="line"
              data-index={index}
              style={{ transform: `translateY(${start}px)` }}
              ref={virtualizer.measureElement}
            >
              <Line session={session} />
            </li>
          );
        })}
      </ul>
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
