/** The session of the video that is watched. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { browser } from "wxt/browser";
import type { NoteOperation } from "../../src/wire/index.ts";
import { LIMITS } from "../limits.ts";
import type { ToPage } from "../messages/messages.ts";
import type { EngineView } from "../sending/engine.ts";
import type { Failure, SessionView } from "../sending/view.ts";
import { Composer } from "./composer.tsx";
import { ask } from "./link.ts";
import { NoteItem } from "./note.tsx";
import { Purges, RequestItem } from "./requests.tsx";
import { Timeline } from "./timeline.tsx";
import { costOf, statusOf } from "./words.ts";

interface Props {
  readonly session: SessionView;
  readonly view: EngineView;
}

export function Session({ session, view }: Props): JSX.Element {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [room, setRoom] = useState<number>(LIMITS.notesAtOnce);
  const { key, notes, evidence } = session;
  const earlier = Math.max(0, notes.length - room);
  const tabId = view.tabs[key];
  const tell = (message: ToPage): void => {
    // The tab may be closed by now.
    if (tabId !== undefined) void browser.tabs.sendMessage(tabId, message).catch(() => undefined);
  };
  const seek = (mediaTimeMs: number): void => tell({ to: "page", type: "seek", mediaTimeMs });
  const operate = (noteId: string, operation: NoteOperation): void => {
    setFailure(null);
    ask(key, { action: "operate", noteId, operation }).catch(setFailure);
  };
  const capture = (): void => tell({ to: "page", type: "capture" });
  const { isDegraded } = session.standing;
  return (
    <>
      <Head session={session} />
      {isDegraded && (
        <p class="banner bad" role="alert">
          This session is read-only: {session.degraded ?? "its log cannot be trusted"}. What you see and say
          is kept here, and sent after <code>continuo live repair</code>.
        </p>
      )}
      {failure !== null && (
        <p class="banner bad" role="alert">
          {failure.message}. {failure.hint}
        </p>
      )}
      <Timeline notes={notes} position={view.positions[key]} onSeek={seek} />
      <section class="scroll" aria-label="Notes">
        {session.requests.map((request) => (
          <RequestItem
            key={request.requestId}
            sessionKey={key}
            request={request}
            onFailure={setFailure}
            onCapture={capture}
          />
        ))}
        {session.purges.length > 0 && (
          <Purges sessionKey={key} purges={session.purges} onFailure={setFailure} />
        )}
        {notes.length === 0 ? (
          <p class="empty">Play the video. Notes appear here a few seconds after something was said.</p>
        ) : (
          <>
            {earlier > 0 && (
              <button type="button" onClick={() => setRoom(room + LIMITS.notesAtOnce)}>
                Show earlier notes ({earlier})
              </button>
            )}
            <ol class="notes">
              {notes.slice(earlier).map((note, at) => (
                <NoteItem
                  key={note.noteId}
                  note={note}
                  next={notes[earlier + at + 1]}
                  evidence={evidence}
                  isReadOnly={isDegraded}
                  sessionKey={key}
                  onSeek={seek}
                  onOperate={operate}
                />
              ))}
            </ol>
          </>
        )}
      </section>
      <Composer sessionKey={key} onFailure={setFailure} onCapture={capture} />
    </>
  );
}

function Head({ session }: { readonly session: SessionView }): JSX.Element {
  const { tone, text } = statusOf(session);
  const cost = costOf(session);
  const problem = session.session?.health.lastError ?? session.session?.health.lastCheckpointError ?? null;
  return (
    <div class="head">
      <h2>{session.title === "" ? session.videoId : session.title}</h2>
      <p class={`status ${tone}`} role="status">
        <span class="dot" aria-hidden="true" />
        {text}
      </p>
      {cost !== "" && <p class="dim">{cost}</p>}
      {session.framesLeftOut > 0 && (
        <p class="dim">{session.framesLeftOut} frames were left out to make room</p>
      )}
      {problem !== null && <p class="dim">The server reports: {problem}</p>}
    </div>
  );
}
