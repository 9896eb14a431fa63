/** The notes of an earlier session: to read, to copy, and to export. */

import type { LiveSession, Note } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { EvidenceTexts } from "../sending/view.ts";
import { EXPORT_FORMATS, type ExportFile, exportOf, type SessionText } from "./exports.ts";
import { clock, toMarkdown } from "./format.ts";
import { ask } from "./link.ts";

interface Props {
  readonly session: SessionText;
  readonly onClose: () => void;
}

export function EarlierNotes({ session, onClose }: Props): JSX.Element {
  const { title, notes, spoken } = session;
  const [isCopied, setCopied] = useState(false);
  const copy = (): void =>
    void navigator.clipboard.writeText(toMarkdown(title, notes)).then(() => setCopied(true));
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
            onClick={() => save(exportOf(session, format))}
          >
            {format}
          </button>
        ))}
      </div>
      {notes.length === 0 && <p class="empty">This session has no notes.</p>}
      <ol class="notes">
        {notes.map(({ noteId, startMs, text }) => (
          <li key={noteId} class="note">
            <span class="dim">{clock(startMs)}</span>
            <p class="note-text" dir="auto">
              {text}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}

export function titleOf({ title, videoId }: LiveSession): string {
  return title ?? videoId;
}

/** Rejects with a `Failure`. */
export async function readSession(session: LiveSession): Promise<SessionText> {
  const { key } = session;
  const [{ notes }, texts] = await Promise.all([
    ask(key, { action: "notes" }) as Promise<{ readonly notes: readonly Note[] }>,
    ask(key, { action: "texts" }) as Promise<EvidenceTexts>,
  ]);
  return { title: titleOf(session), notes, ...texts };
}

function save({ name, text }: ExportFile): void {
  const url = URL.createObjectURL(new Blob([text]));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
