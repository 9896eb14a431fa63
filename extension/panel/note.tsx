/** One note: its position in the video, its text, its sources, and the actions on it. */

import type { Note, NoteOperation } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { NoteFrame } from "../sending/panel-view.ts";
import type { ShownEvidence } from "../sending/view.ts";
import { clock, splitNote } from "./format.ts";
import { Menu } from "./menu.tsx";
import { framePicture, usePicture } from "./picture.ts";

export interface NoteProps {
  readonly note: Note;
  readonly next: Note | undefined;
  readonly evidence: readonly ShownEvidence[];
  readonly frame: NoteFrame | undefined;
  /** Taken over from an earlier session of the video. */
  readonly isCarried: boolean;
  /** The video of the note, if the tab shows another one and so cannot seek in it. */
  readonly elsewhere: string | undefined;
  readonly isReadOnly: boolean;
  readonly sessionKey: string;
  readonly onSeek: (ms: number) => void;
  /** Resolves to false if it failed; the failure is shown. */
  readonly onOperate: (noteId: string, operation: NoteOperation) => Promise<boolean>;
  readonly onRemove: (noteId: string) => void;
}

export function NoteItem(props: NoteProps): JSX.Element {
  const { note, evidence, frame, isCarried, elsewhere } = props;
  const onSeek = elsewhere === undefined ? props.onSeek : null;
  const [isEditing, setEditing] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const parts = evidence.filter(({ id }) => note.evidence.includes(id));
  return (
    <li class="note" id={`note-${note.noteId}`}>
      <div class="note-head">
        <Time atMs={note.startMs} onSeek={onSeek} />
        {elsewhere !== undefined && (
          <span class="mark" title={`It is from the video ${elsewhere}, whose tab has the same session.`}>
            another video
          </span>
        )}
        {note.status !== "written" && <span class={`mark ${note.status}`}>{note.status}</span>}
        {note.by === "person" && note.status !== "accepted" && <span class="mark">yours</span>}
        {isCarried && (
          <span class="mark" title="It is from an earlier session of this video, which has its evidence.">
            carried over
          </span>
        )}
        {note.damaged !== undefined && (
          <span
            class="mark damaged"
            title="The log is damaged: something that this note was made of, or a change of it, cannot be trusted."
          >
            damaged
          </span>
        )}
        {!isEditing && <Actions {...props} onEdit={() => setEditing(true)} />}
      </div>
      {isEditing ? (
        <Editor {...props} onDone={() => setEditing(false)} />
      ) : (
        <div class="note-body">
          <p class="note-text" dir="auto">
            {note.text}
          </p>
          {frame !== undefined && <FramePicture frame={frame} sessionKey={props.sessionKey} />}
        </div>
      )}
      {parts.length > 0 && (
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>
            {parts.length} {parts.length === 1 ? "piece" : "pieces"} of evidence
          </summary>
          {/* Pictures are read from the server when somebody wants to see them. */}
          <ul class="evidence">
            {isOpen &&
              parts.map((part) => (
                <Evidence key={part.id} part={part} sessionKey={props.sessionKey} onSeek={onSeek} />
              ))}
          </ul>
        </details>
      )}
    </li>
  );
}

function Actions({
  note,
  next,
  isReadOnly,
  onOperate,
  onRemove,
  onEdit,
}: NoteProps & { readonly onEdit: () => void }): JSX.Element {
  const operate = (operation: NoteOperation): void => void onOperate(note.noteId, operation);
  return (
    <div class="actions quiet">
      {note.status !== "accepted" && (
        <button type="button" disabled={isReadOnly} onClick={() => operate({ operation: "accept" })}>
          Accept
        </button>
      )}
      <button type="button" disabled={isReadOnly} onClick={onEdit}>
        Edit
      </button>
      <Menu label={`More for the note at ${clock(note.startMs)}`}>
        <button type="button" onClick={() => void navigator.clipboard.writeText(note.text)}>
          Copy
        </button>
        {next !== undefined && (
          <button
            type="button"
            disabled={isReadOnly}
            onClick={() => operate({ operation: "merge", noteIds: [next.noteId] })}
          >
            Merge with next
          </button>
        )}
        {note.by === "person" && (
          <button type="button" disabled={isReadOnly} onClick={() => operate({ operation: "undo" })}>
            Undo
          </button>
        )}
        <button type="button" disabled={isReadOnly} onClick={() => onRemove(note.noteId)}>
          Delete
        </button>
      </Menu>
    </div>
  );
}

/** The editor stays open until its text was stored. */
function Editor({ note, onOperate, onDone }: NoteProps & { readonly onDone: () => void }): JSX.Element {
  const [text, setText] = useState(note.text);
  const [before] = useState(note.text);
  const isChanged = note.text !== before;
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  const save = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === "" || text === note.text) {
      onDone();
      return;
    }
    // The version in the panel: a newer edit from another tab, which is not shown yet, must not be overwritten.
    const edit = { operation: "edit", text, ifHash: note.hash } as const;
    void onOperate(note.noteId, edit).then((isDone) => isDone && onDone());
  };
  const split = (): void => {
    const parts = splitNote({ ...note, text }, area.current?.selectionStart ?? 0);
    if (parts === null) return;
    void onOperate(note.noteId, { operation: "split", parts }).then((isDone) => isDone && onDone());
  };
  return (
    <form class="editor" onSubmit={save}>
      <textarea
        ref={area}
        aria-label="Text of the note"
        rows={3}
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={({ key }) => {
          if (key === "Escape") onDone();
        }}
      />
      {isChanged && (
        <p role="status">
          This note was changed meanwhile: <q dir="auto">{note.text}</q>
        </p>
      )}
      <div class="actions">
        <button type="submit" class="main">
          {isChanged ? "Replace it" : "Save"}
        </button>
        <button type="button" onClick={split} title="Put the cursor where the second note begins">
          Split at cursor
        </button>
        <button type="button" onClick={onDone}>
          Cancel
        </button>
      </div>
    </form>
  );
}

function useFrame(frame: NoteFrame, key: string): string | null {
  return usePicture(framePicture(frame, key));
}

interface FramePictureProps {
  readonly frame: NoteFrame;
  readonly sessionKey: string;
}

export function FramePicture({ frame, sessionKey }: FramePictureProps): JSX.Element | null {
  const picture = useFrame(frame, sessionKey);
  return picture === null ? null : <img src={picture} alt={`Frame at ${clock(frame.mediaTimeMs)}`} />;
}

interface TimeProps {
  readonly atMs: number;
  readonly onSeek: ((ms: number) => void) | null;
}

function Time({ atMs, onSeek }: TimeProps): JSX.Element {
  if (onSeek === null) return <span class="time">{clock(atMs)}</span>;
  return (
    <button type="button" class="time" onClick={() => onSeek(atMs)}>
      {clock(atMs)}
    </button>
  );
}

interface EvidenceProps {
  readonly part: ShownEvidence;
  readonly sessionKey: string;
  readonly onSeek: TimeProps["onSeek"];
}

function Evidence({ part, sessionKey, onSeek }: EvidenceProps): JSX.Element {
  const picture = useFrame(part, sessionKey);
  return (
    <li>
      <Time atMs={part.mediaTimeMs} onSeek={onSeek} />
      {picture !== null && <img src={picture} alt={`Frame at ${clock(part.mediaTimeMs)}`} />}
      <span dir="auto">{part.text === "" && picture === null ? "A frame" : part.text}</span>
    </li>
  );
}
