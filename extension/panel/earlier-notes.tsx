/** The page and the notes of an earlier session, to read, copy and export. */

import type {
  ExpiringPictures,
  LiveOutline,
  LivePage,
  LiveSession,
  Note,
  PurgeWarning,
} from "@continuo/core/wire";
import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { framesOf, toPanelPage } from "../sending/panel-view.ts";
import type { EvidenceView } from "../sending/session-requests.ts";
import type { Failure } from "../sending/view.ts";
import { NewestAnswer } from "./clicks.ts";
import { toMarkdown } from "./export-pages.ts";
import {
  EXPORT_FORMATS,
  type ExportFile,
  type ExportFormat,
  exportOf,
  type SessionFile,
  type SessionText,
} from "./exports.ts";
import { clock } from "./format.ts";
import { ask } from "./link.ts";
import { FramePicture } from "./note.tsx";
import { pageOfOutline } from "./page-parts.ts";
import { framePicture, readPicture } from "./picture.ts";
import { Problem } from "./problem.tsx";
import { Purges } from "./requests.tsx";
import { SessionPage } from "./session-page.tsx";

interface Props {
  readonly session: SessionFile;
  readonly onClose: () => void;
}

export function EarlierNotes({ session, onClose }: Props): JSX.Element {
  const { key, title, notes, spoken, page, frames } = session;
  const [isCopied, setCopied] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const { purges, kept } = usePurges(key, setFailure);
  const copy = (): void =>
    void navigator.clipboard.writeText(toMarkdown(session)).then(() => setCopied(true));
  return (
    <section class="scroll" aria-label="Notes of a session">
      <h2 dir="auto">{title}</h2>
      <div class="actions">
        <button type="button" onClick={onClose}>
          Back
        </button>
        <button type="button" onClick={copy}>
          {isCopied ? "Copied" : "Copy"}
        </button>
      </div>
      <div class="actions">
        <span class="dim">Export</span>
        {EXPORT_FORMATS.map((format) => (
          <button
            key={format}
            type="button"
            disabled={spoken.length === 0 && (format === "SRT" || format === "VTT")}
            onClick={() => void fileOf(session, format).then(save)}
          >
            {format}
          </button>
        ))}
      </div>
      {failure !== null && <Problem failure={failure} />}
      {purges.length > 0 && <Purges sessionKey={key} purges={purges} onFailure={setFailure} onKept={kept} />}
      <SessionPage page={page} isOpen={true} onSeek={null} />
      {notes.length === 0 && <p class="empty">This session has no notes.</p>}
      <ol class="notes">
        {notes.map(({ noteId, startMs, text }) => (
          <li key={noteId} class="note">
            <span class="dim">{clock(startMs)}</span>
            <div class="note-body">
              <p class="note-text" dir="auto">
                {text}
              </p>
              {frames[noteId] !== undefined && <FramePicture frame={frames[noteId]} sessionKey={key} />}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

/** The pictures of the session's video that will be removed within a day. The session itself may have ended. */
function usePurges(
  key: string,
  onFailure: (failure: Failure) => void,
): { readonly purges: readonly PurgeWarning[]; readonly kept: (hash: string) => void } {
  const [purges, setPurges] = useState<readonly PurgeWarning[]>([]);
  const newest = useRef(new NewestAnswer()).current;
  useEffect(() => {
    const answer = ask(key, { action: "expiring" }) as Promise<ExpiringPictures>;
    newest.take(answer, ({ pictures }) => setPurges(pictures), onFailure);
  }, [key]);
  const kept = (hash: string): void => setPurges((all) => all.filter((one) => one.hash !== hash));
  return { purges, kept };
}

export function titleOf({ title, videoId }: LiveSession): string {
  return title ?? videoId;
}

interface HeardSession extends SessionText {
  readonly frames: EvidenceView["frames"];
}

/** Rejects with a `Failure`. */
export async function readTexts(session: LiveSession): Promise<HeardSession> {
  const { key } = session;
  const [{ notes }, texts] = await Promise.all([
    ask(key, { action: "notes" }) as Promise<{ readonly notes: readonly Note[] }>,
    ask(key, { action: "texts" }) as Promise<EvidenceView>,
  ]);
  return { title: titleOf(session), notes, ...texts };
}

/** Rejects with a `Failure`. */
export async function readSession(session: LiveSession): Promise<SessionFile> {
  const { key } = session;
  const [{ frames, ...texts }, { page }, outline] = await Promise.all([
    readTexts(session),
    ask(key, { action: "page" }) as Promise<{ readonly page: LivePage | null }>,
    ask(key, { action: "outline" }) as Promise<LiveOutline>,
  ]);
  const words = texts.spoken.map(({ id, startMs, text }) => ({ id, mediaTimeMs: startMs, text }));
  return {
    ...texts,
    key,
    page:
      page === null
        ? pageOfOutline(outline)
        : toPanelPage(page, words, { session: session.videoId, tab: session.videoId }),
    frames: framesOf(texts.notes, frames),
  };
}

/** An HTML or Markdown file includes the pictures of the notes, unless the server no longer has a picture. */
async function fileOf(session: SessionFile, format: ExportFormat): Promise<ExportFile> {
  const hasPictures = format === "HTML" || format === "Markdown";
  const pictures = new Map<string, string>();
  for (const [noteId, frame] of Object.entries(hasPictures ? session.frames : {})) {
    const wanted = framePicture(frame, session.key);
    const url = wanted === null ? null : await readPicture(wanted);
    if (url !== null) pictures.set(noteId, url);
  }
  return exportOf(session, format, pictures);
}

function save({ name, content }: ExportFile): void {
  const url = URL.createObjectURL(new Blob([content]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
