/** The earlier sessions by day, the search in their notes and transcripts, and the button that joins two tabs. */

import type { LiveSession } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { EngineView } from "../sending/engine.ts";
import type { Failure } from "../sending/view.ts";
import { NewestAnswer } from "./clicks.ts";
import { EarlierNotes, readSession, readTexts } from "./earlier-notes.tsx";
import type { SessionFile } from "./exports.ts";
import { clock } from "./format.ts";
import { ask } from "./link.ts";
import { Problem } from "./problem.tsx";
import { RemovedSessions } from "./removed-sessions.tsx";
import { SessionItem } from "./session-item.tsx";
import { byDay, type Match, readingOf } from "./session-search.ts";
import { SessionTexts } from "./session-texts.ts";
import { type Undo, UndoBar } from "./undo-bar.tsx";

export function EarlierSessions({ view }: { readonly view: EngineView }): JSX.Element {
  const [sessions, setSessions] = useState<readonly LiveSession[] | null>(null);
  const [opened, setOpened] = useState<SessionFile | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [query, setQuery] = useState("");
  const { found, waiting } = useSearch(sessions, query);
  const [lists, openings] = [useRef(new NewestAnswer()).current, useRef(new NewestAnswer()).current];
  const load = (): void => {
    const answer = ask("", { action: "earlier" }) as Promise<readonly LiveSession[]>;
    const show = (list: readonly LiveSession[]): void => {
      setFailure(null);
      setSessions(list);
    };
    lists.take(answer, show, setFailure);
  };
  const open = (session: LiveSession): void => {
    setFailure(null);
    openings.take(readSession(session), setOpened, setFailure);
  };
  useEffect(load, []);
  const { undo, setUndo, remove } = useRemoval(load, setFailure);
  if (opened !== null) return <EarlierNotes session={opened} onClose={() => setOpened(null)} />;
  const shown = query.trim() === "" ? sessions : sessions?.filter(({ sessionId }) => found.has(sessionId));
  return (
    <section class="scroll" aria-label="Sessions">
      <h2>Sessions</h2>
      <label>
        <span class="hidden">Search notes and transcripts</span>
        <input
          type="search"
          value={query}
          placeholder="Search notes and transcripts"
          onInput={({ currentTarget }) => setQuery(currentTarget.value)}
        />
      </label>
      <p role="status" class="dim">
        {waiting > 0 && readingOf(waiting)}
        {waiting === 0 && query.trim() !== "" && `${shown?.length ?? 0} found`}
      </p>
      {failure !== null && <Problem failure={failure} />}
      {undo !== null && <UndoBar undo={undo} onClose={() => setUndo(null)} />}
      {sessions?.length === 0 && (
        <p class="empty">There are no sessions yet. Play a video on a site that you allowed.</p>
      )}
      {byDay(shown ?? [], new Date()).map(({ name, sessions: some }) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          <ul class="sessions">
            {some.map((session) => (
              <SessionItem
                key={session.sessionId}
                session={session}
                onOpen={() => open(session)}
                onRemove={(what) => remove(session, what)}
              >
                <Matches matches={found.get(session.sessionId) ?? []} />
                <Join view={view} session={session} onJoined={load} onFailure={setFailure} />
              </SessionItem>
            ))}
          </ul>
        </section>
      ))}
      <RemovedSessions sessions={sessions} onRestored={load} onFailure={setFailure} />
    </section>
  );
}

interface Removal {
  readonly undo: Undo | null;
  readonly setUndo: (undo: Undo | null) => void;
  readonly remove: (session: LiveSession, what: "session" | "video") => void;
}

/** Deletes a session, or all sessions of its video, and offers to bring back what was deleted. */
function useRemoval(load: () => void, onFailure: (failure: Failure | null) => void): Removal {
  const [undo, setUndo] = useState<Undo | null>(null);
  const remove = ({ key, sessionId, videoId, title }: LiveSession, what: "session" | "video"): void => {
    const [there, back] =
      what === "session"
        ? ([{ action: "remove", sessionId } as const, { action: "restore", sessionId } as const] as const)
        : ([
            { action: "removeVideo", videoId } as const,
            { action: "restoreVideo", videoId } as const,
          ] as const);
    const name = `“${title ?? videoId}”`;
    const text =
      what === "session" ? `The session of ${name} was deleted.` : `All sessions of ${name} were deleted.`;
    const bringBack = (): void => void ask(key, back).then(load, onFailure);
    onFailure(null);
    ask(key, there).then(() => {
      setUndo({ text, undo: bringBack });
      load();
    }, onFailure);
  };
  return { undo, setUndo, remove };
}

interface Search {
  /** The matches by session. */
  readonly found: ReadonlyMap<string, readonly Match[]>;
  /** The number of sessions that were not searched yet. */
  readonly waiting: number;
}

const NO_SEARCH: Search = { found: new Map(), waiting: 0 };

/** Searches the sessions one after another, again with each change of the words. */
function useSearch(sessions: readonly LiveSession[] | null, query: string): Search {
  const texts = useRef(new SessionTexts<LiveSession>(readTexts));
  const [search, setSearch] = useState(NO_SEARCH);
  useEffect(() => {
    if (query.trim() === "" || sessions === null) return setSearch(NO_SEARCH);
    const given = new AbortController();
    void texts.current.search(sessions, {
      query,
      signal: given.signal,
      onProgress: (found, waiting) => setSearch({ found, waiting }),
    });
    return () => given.abort();
  }, [sessions, query]);
  return search;
}

function Matches({ matches }: { readonly matches: readonly Match[] }): JSX.Element {
  return (
    <>
      {matches.map(({ startMs, text }) => (
        <p key={`${startMs} ${text}`} class="match" dir="auto">
          <span class="dim">{clock(startMs)}</span> {text}
        </p>
      ))}
    </>
  );
}

interface JoinProps {
  readonly view: EngineView;
  readonly session: LiveSession;
  readonly onJoined: () => void;
  readonly onFailure: (failure: Failure) => void;
}

/** A button that from now on records the video of this tab in the session of another open tab. */
function Join({ view, session, onJoined, onFailure }: JoinProps): JSX.Element | null {
  if (view.session === null || view.session.sessionId === session.sessionId) return null;
  const recordingKey = view.session.key;
  const otherKey = (session.keys ?? [session.key]).find(
    (key) => key !== recordingKey && view.open.includes(key),
  );
  if (otherKey === undefined) return null;
  return (
    <button
      type="button"
      onClick={() => ask(otherKey, { action: "join", other: recordingKey }).then(onJoined, onFailure)}
    >
      Join this tab to this session
    </button>
  );
}
