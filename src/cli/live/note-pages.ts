/** The notes of a video as Markdown for a folder of notes, and the name of their file. Pure. */

import { textInIsolates } from "@continuo/core/transcript";
import type { LivePage, LiveSession, Note } from "@continuo/core/wire";
import { escaped, markOf } from "./export-pages.ts";
import { timeOf } from "./lines.ts";
import { momentUrl } from "./moments.ts";
import { partsOf } from "./page-lines.ts";
import type { NoteSection } from "./sections.ts";

export interface SessionNotes {
  readonly session: LiveSession;
  readonly notes: readonly Note[];
  readonly page: LivePage | null;
}

/** The sessions of one video whose notes belong in its file, the oldest first. */
export interface VideoNotes {
  readonly videoId: string;
  readonly sessions: readonly SessionNotes[];
}

/** A place to which notes are written. `take` can be called again with the same notes. */
export interface NoteTarget {
  /**
   * Identifies the place to which the notes go now. If the id changes, the new place has no notes yet. Errors:
   * `not_found` if the place no longer exists.
   */
  place(): string;
  /**
   * Returns a line for the person, or `null` if nothing changed. Errors: those that prevent the target from writing
   * them.
   */
  take(video: VideoNotes): Promise<string | null>;
}

export function sectionOf({ session, notes, page }: SessionNotes): NoteSection {
  const { sessionId, parentId, videoId, tookNotesOver } = session;
  const lines = notes.map((note) => `- ${lineOf(videoId, note)}\n`);
  const parts = page === null ? [] : partsOf(page).map((part) => partText(videoId, part));
  const text = `${parts.join("")}## Notes\n\n${lines.length === 0 ? "No notes.\n" : lines.join("")}`;
  const replaces = tookNotesOver === true ? "parent" : "nothing";
  return { sessionId, parentId, text, noteCount: notes.length, replaces };
}

/** The part of a new file above its sections. The person may change it. */
export function headOf({ videoId, sessions }: VideoNotes): string {
  const url = momentUrl(videoId, 0);
  // A JSON string is also a YAML string.
  const properties = [`video: ${JSON.stringify(line(videoId))}`];
  if (url !== null) properties.push(`url: ${JSON.stringify(url)}`);
  return `---\n${properties.join("\n")}\n---\n\n# ${escaped(line(titleOf({ videoId, sessions })))}\n\n`;
}

export function titleOf({ videoId, sessions }: VideoNotes): string {
  return sessions.findLast(({ session }) => session.title !== null)?.session.title ?? videoId;
}

/** The summary, the chapters, the decisions or the open questions. */
function partText(videoId: string, { name, items }: ReturnType<typeof partsOf>[number]): string {
  const rows = items.map(({ startMs, title, text, videoId: own }) => {
    const heading = title === null ? "" : `**${escaped(line(title))}** `;
    return `- ${linkTo(own ?? videoId, startMs)} ${heading}${escaped(line(text))}\n`;
  });
  return `## ${name}\n\n${rows.join("")}\n`;
}

function lineOf(videoId: string, note: Note): string {
  return `${linkTo(note.videoId ?? videoId, note.startMs)}${markOf(note)} ${escaped(line(note.text))}`;
}

function linkTo(videoId: string, ms: number): string {
  const url = momentUrl(videoId, ms);
  const time = timeOf(ms);
  return url === null ? `**${time}**` : `[${time}](${url})`;
}

function line(text: string): string {
  return textInIsolates(text)
    .replace(/\s*\n\s*/gu, " ")
    .replaceAll("\t", " ");
}

const NAME_BYTES = 150;
/** Names that Windows reserves for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/iu;

/** Returns a file name, without its ending, that all systems and Obsidian links accept. */
export function fileNameOf(title: string): string {
  const plain = title
    .normalize("NFC")
    .replace(/\p{Cs}|\p{Cf}/gu, "")
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\\/:*?"<>|#^[\]%]+/gu, " ")
    .replace(/\s+/gu, " ")
    .replace(/^[. ]+/u, "");
  const name = cut(plain, NAME_BYTES).replace(/[. ]+$/u, "");
  if (name === "") return "video";
  return DEVICE.test(name) ? `_${name}` : name;
}

function cut(text: string, bytes: number): string {
  let kept = "";
  let size = 0;
  for (const { segment } of new Intl.Segmenter("en").segment(text)) {
    size += Buffer.byteLength(segment);
    if (size > bytes) break;
    kept += segment;
  }
  return kept;
}
