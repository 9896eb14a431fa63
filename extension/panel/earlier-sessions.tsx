/** Earlier sessions with their notes, export, and joining the tabs of related videos. */

import type { LiveSession, Note } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { EngineView } from "../sending/engine.ts";
import type { Failure } from "../sending/view.ts";
import { clock, toMarkdown } from "./format.ts";
import { ask } from "./link.ts";

interface Opened {
  readonly key: string;
  readonly title: string;
  readonly notes: readonly Note[];
}

export function EarlierSessions({ view }: { readonly view: EngineView }): JSX.Element {
  const [sessions, setSessions] = useState<readonly LiveSession[] | null>(null);
  const [opened, setOpened] = useState<Opened | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const load = (): void => {
    ask("", { action: "earlier" }).then((value) => setSessions(value as readonly LiveSession[]), setFailure);
  };
  useEffect(load, []);
  const open = ({ key, title, videoId }: LiveSession): void => {
    ask(key, { action: "notes" }).then((value) => {
      setOpened({ key, title: title ?? videoId, ...(value as { readonly notes: readonly Note[] }) });
    }, setFailure);
  };
  if (opened !== null) return <EarlierNotes opened={opened} onClose={() => setOpened(null)} />;
  return (
    <section class="scroll" aria-label="Sessions">
      <h2>Sessions</h2>
      {failure !== null && <p class="banner bad">{failure.message}</p>}
      {sessions?.length === 0 && (
        <p class="empty">There are no sessions yet. Play a video on a site that you allowed.</p>
      )}
      <ul class="sessions">
        {sessions?.map((session) => (
          <li key={session.sessionId}>
            <button type="button" class="link" onClick={() => open(session)}>
              {session.title ?? session.videoId}
            </button>
            <span class="dim">
              {session.state}, {session.noteIds.length} {session.noteIds.length === 1 ? "note" : "notes"},{" "}
              {began(session)}
            </span>
            <Join view={view} other={session.key} onJoined={load} onFailure={setFailure} />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Sessions of one video have one title: their times tell them apart. */
function began({ createdAt }: LiveSession): string {
  return new Date(createdAt).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}

function EarlierNotes({
  opened,
  onClose,
}: {
  readonly opened: Opened;
  readonly onClose: () => void;
}): JSX.Element {
  const { title, notes } = opened;
  return (
    <section class="scroll" aria-label="Notes of a session">
      <h2>{title}</h2>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Back
        </button>
        <button type="button" onClick={() => save(`${title}.md`, toMarkdown(title, notes))}>
          Export Markdown
        </button>
        <button
          type="button"
          onClick={() => save(`${title}.json`, JSON.stringify({ title, notes }, null, 2))}
        >
          Export JSON
        </button>
      </div>
      {notes.length === 0 && <p class="empty">This session has no notes.</p>}
      <ol class="notes">
        {notes.map(({ noteId, startMs, text }) => (
          <li key={noteId} class="note">
            <span class="dim">{clock(startMs)}</span>
            <p class="note-text">{text}</p>
          </li>
        ))}
      </ol>
    </section>
  );
}

interface JoinProps {
  readonly view: EngineView;
  readonly other: string;
  readonly onJoined: () => void;
  readonly onFailure: (failure: Failure) => void;
}

/** The tab that is watched now goes on in the session of another open tab. */
function Join({ view, other, onJoined, onFailure }: JoinProps): JSX.Element | null {
  const recording = view.session?.key ?? null;
  if (recording === null || recording === other || !view.open.includes(other)) return null;
  return (
    <button
      type="button"
      onClick={() => ask(other, { action: "join", other: recording }).then(onJoined, onFailure)}
    >
      Join this tab to it
    </button>
  );
}

function save(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name.replace(/[^\p{L}\p{N} ._-]/gu, "_").slice(-80);
  link.click();
  URL.revokeObjectURL(url);
}
