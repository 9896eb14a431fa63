/** The session of the video that is watched. */

import { present } from "@continuo/core/model";
import type { Note } from "@continuo/core/wire";
import type { JSX, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { browser } from "wxt/browser";
import { LIMITS } from "../limits.ts";
import type { Settings, ToPage } from "../messages/messages.ts";
import type { EngineView } from "../sending/engine.ts";
import type { PanelSession } from "../sending/panel-view.ts";
import type { ShownRemark } from "../sending/remarks.ts";
import type { Failure } from "../sending/view.ts";
import { isPlaying } from "../watching/position.ts";
import { Chapters } from "./chapters.tsx";
import { Composer } from "./composer.tsx";
import { leftOutOf, statusOf } from "./format.ts";
import { wantNotes } from "./link.ts";
import { LiveLine } from "./live-line.tsx";
import { NoteItem } from "./note.tsx";
import { useIsShown, useNoteOperations } from "./note-operations.ts";
import { useNow } from "./now.ts";
import { Problem } from "./problem.tsx";
import { ReadOnly } from "./read-only.tsx";
import { Related } from "./related.tsx";
import { RemarkItem } from "./remark.tsx";
import { Purges, RequestItem } from "./requests.tsx";
import { SessionPage } from "./session-page.tsx";
import { SourceList } from "./sources.tsx";
import { Timeline } from "./timeline.tsx";
import { UndoBar } from "./undo-bar.tsx";
import { Writer } from "./writer.tsx";

/** Within this distance of an end, the list counts as being at that end. */
const NEAR_PX = 40;

interface Props {
  readonly session: PanelSession;
  readonly view: EngineView;
  readonly settings: Settings;
  readonly onSettings: () => void;
}

export function Session({ session, view, settings, onSettings }: Props): JSX.Element {
  const [failure, showFailure] = useState<Failure | null>(null);
  const { key, notes, remarks, evidence, earlier } = session;
  // The text in the composer stays when the video changes, but a failure is removed.
  useEffect(() => showFailure(null), [key]);
  const isShown = useIsShown(key);
  const setFailure = (next: Failure | null): void => {
    if (isShown()) showFailure(next);
  };
  const { place } = view;
  useEffect(() => wantNotes(LIMITS.notesAtOnce), [key]);
  const { list, scrolled } = useNewestNote(session);
  const tell = async (message: ToPage): Promise<unknown> => {
    // The tab may have been closed.
    if (place === null) return null;
    const { tabId, frameId } = place;
    return await browser.tabs.sendMessage(tabId, message, { frameId }).catch(() => null);
  };
  const seek = (mediaTimeMs: number): void => void tell({ to: "page", type: "seek", mediaTimeMs });
  const { operate, remove, undo, setUndo } = useNoteOperations(key, setFailure);
  const capture = (requestId?: string): void => {
    setFailure(null);
    const message = { to: "page", type: "capture", by: "person", ...present({ requestId }) } as const;
    void tell(message).then((result) => setFailure(NOT_CAPTURED[String(result)] ?? null));
  };
  const { isDegraded } = session.standing;
  return (
    <>
      <Head session={session} view={view} onFailure={setFailure} />
      <SourceList view={view} settings={settings} onSettings={onSettings} />
      {isDegraded && <ReadOnly sessionKey={key} reason={session.degraded} onFailure={setFailure} />}
      {failure !== null && <Problem failure={failure} />}
      <Timeline
        timeline={session.timeline}
        watched={session.outline?.watched ?? []}
        position={view.position}
        onSeek={seek}
      />
      <LiveLine sentences={session.line} position={view.position} onSeek={seek} />
      <Chapters
        key={key}
        outline={session.outline}
        position={view.position}
        isOpen={notes.length === 0}
        onSeek={seek}
      />
      <SessionPage page={session.page} isOpen={notes.length === 0} onSeek={seek} />
      <section class="asked" aria-label="What the session asks">
        {view.related !== null && <Related sessionKey={key} related={view.related} onFailure={setFailure} />}
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
      </section>
      <section class="scroll" aria-label="Notes" ref={list} onScroll={scrolled}>
        {notes.length + remarks.length === 0 && (
          <p class="empty">{withoutNotes(session, isPlaying(view.position, Date.now()))}</p>
        )}
        {earlier > 0 && (
          <button type="button" onClick={() => wantNotes(notes.length + LIMITS.notesAtOnce)}>
            Show earlier notes ({earlier})
          </button>
        )}
        <ol class="notes">
          {inOrder(notes, remarks).map((row) =>
            "noteId" in row ? (
              <NoteItem
                key={row.noteId}
                note={row}
                next={notes[notes.indexOf(row) + 1]}
                evidence={evidence}
                frame={session.frames[row.noteId]}
                isCarried={session.carried.includes(row.noteId)}
                elsewhere={session.elsewhere[row.noteId]}
                isReadOnly={isDegraded}
                sessionKey={key}
                onSeek={seek}
                onOperate={operate}
                onRemove={remove}
              />
            ) : (
              <RemarkItem key={row.id} remark={row} onSeek={seek} />
            ),
          )}
        </ol>
      </section>
      {undo !== null && <UndoBar undo={undo} onClose={() => setUndo(null)} />}
      <Composer sessionKey={key} onFailure={setFailure} onSeek={seek} onCapture={() => capture()} />
    </>
  );
}

/** The reasons why there is no frame, by the result from the page. */
const NOT_CAPTURED: Readonly<Record<string, Failure>> = {
  forbidden: {
    message: "this site forbids reading the pictures of its video",
    hint: "Say in words what you see.",
  },
  failed: { message: "the browser could not read a picture", hint: "Load the page of the video again." },
  nothing: { message: "there is no picture just now", hint: "Try it again while the video is shown." },
  null: { message: "the page of the video does not answer", hint: "Load it again." },
};

/** Notes keep their order, and a remark comes before the first note that begins after it. */
function inOrder(notes: readonly Note[], remarks: readonly ShownRemark[]): readonly (Note | ShownRemark)[] {
  const rows: (Note | ShownRemark)[] = [...notes];
  for (const remark of remarks) {
    const at = rows.findIndex((row) => "noteId" in row && row.startMs > remark.mediaTimeMs);
    rows.splice(at < 0 ? rows.length : at, 0, remark);
  }
  return rows;
}

function withoutNotes({ standing }: PanelSession, isRunning: boolean): string {
  if (standing.isDegraded) return "There are no notes yet. Notes continue after the repair.";
  if (standing.connection === "offline")
    return "There are no notes yet. Notes continue when the server answers.";
  const soon = "Notes appear here a few seconds after something was said.";
  return isRunning ? soon : `Play the video. ${soon}`;
}

/** The list stays at the newest note until the person scrolls up; at the top it loads earlier notes. */
function useNewestNote({ key, notes, earlier }: PanelSession): {
  readonly list: RefObject<HTMLElement | null>;
  readonly scrolled: () => void;
} {
  const list = useRef<HTMLElement>(null);
  const isAtEnd = useRef(true);
  const newest = notes.at(-1)?.noteId;
  useLayoutEffect(() => {
    isAtEnd.current = true;
  }, [key]);
  useLayoutEffect(() => {
    if (isAtEnd.current && list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [key, newest]);
  const scrolled = (): void => {
    if (list.current === null) return;
    const { scrollTop, scrollHeight, clientHeight } = list.current;
    isAtEnd.current = scrollHeight - clientHeight - scrollTop < NEAR_PX;
    if (isAtEnd.current) wantNotes(LIMITS.notesAtOnce);
    else if (scrollTop < NEAR_PX && earlier > 0) wantNotes(notes.length + LIMITS.notesAtOnce);
  };
  return { list, scrolled };
}

interface HeadProps extends Pick<Props, "session" | "view"> {
  readonly onFailure: (failure: Failure | null) => void;
}

function Head({ session, view, onFailure }: HeadProps): JSX.Element {
  const nowMs = useNow();
  const { position } = view;
  const { tone, text } = statusOf({ ...session, isPlaying: isPlaying(position, nowMs), nowMs });
  const { lastError = null, lastCheckpointError = null, standIn = null } = session.session?.health ?? {};
  // The sentence about the stand-in contains the error of the note writer.
  const problem = (standIn === null ? lastError : null) ?? lastCheckpointError;
  return (
    <div class="head">
      <h2 dir="auto">{session.title === "" ? session.videoId : session.title}</h2>
      <p class={`status ${tone}`} role="status">
        <span class="dot" aria-hidden="true" />
        {text}
      </p>
      {session.carriedCount > 0 && (
        <p class="dim">
          Continues an earlier session: {session.carriedCount}{" "}
          {session.carriedCount === 1 ? "note was" : "notes were"} carried over
        </p>
      )}
      {standIn !== null && (
        <p class="status warn" role="status">
          {standIn}
        </p>
      )}
      <Writer key={session.key} session={session} onFailure={onFailure} />
      {session.framesLeftOut > 0 && <p class="dim">{leftOutOf(session.framesLeftOut)}</p>}
      {problem !== null && <p class="dim">The server reports: {problem}</p>}
    </div>
  );
}
