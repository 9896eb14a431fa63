/**
 * Sections of notes in a Markdown file that a person edits too. Each section is between two lines that name the video
 * and the session. Files are texts of one character for each byte (latin1), so that all other bytes stay as they are.
 * Pure.
 */

import { createHash } from "node:crypto";

/** The notes of one session of a video. */
export interface NoteSection {
  readonly sessionId: string;
  /** Markdown in which each line ends with a line feed. */
  readonly text: string;
  readonly noteCount: number;
  /** The session took over the notes of the one before it, so its section replaces the section of that one. */
  readonly replaces: "parent" | "nothing";
  readonly parentId: string | null;
}

interface SectionRange {
  readonly sessionId: string;
  readonly from: number;
  readonly to: number;
}

const END = "<!-- continuo:end -->";

/** The name of a video in the lines around its sections. */
export function videoMark(videoId: string): string {
  return createHash("sha256").update(videoId).digest("hex").slice(0, 16);
}

/** The video of the first section in a file; `null` for a file without sections. */
export function markIn(file: string): string | null {
  return /^<!-- continuo:notes ([0-9a-f]{16}) \S+ .*-->\r?$/mu.exec(file)?.[1] ?? null;
}

/**
 * Returns the file with the sections, or `broken` if the end of a section is missing: then it is not known where the
 * person's text begins. A new session without notes leaves the file as it is.
 */
export function withSections(
  file: string,
  mark: string,
  sections: readonly NoteSection[],
): { readonly file: string } | "broken" {
  const current = new Set(sections.map(({ sessionId }) => sessionId));
  let text = file;
  for (const section of sections) {
    const places = placesIn(text, mark);
    if (places === "broken") return "broken";
    const own = places.find(({ sessionId }) => sessionId === section.sessionId);
    if (own === undefined && section.noteCount === 0) continue;
    const old = own ?? formerOf(section, places, current);
    text = put(text, { section, mark, old, last: places.at(-1) });
  }
  return { file: text };
}

function formerOf(
  { replaces, parentId }: NoteSection,
  places: readonly SectionRange[],
  current: ReadonlySet<string>,
): SectionRange | undefined {
  if (replaces === "nothing") return undefined;
  // The parent may have ended before its notes were written to the file; then the section belongs to an earlier
  // session.
  return (
    places.find(({ sessionId }) => sessionId === parentId) ??
    places.findLast(({ sessionId }) => !current.has(sessionId))
  );
}

interface SectionEdit {
  readonly section: NoteSection;
  readonly mark: string;
  readonly old: SectionRange | undefined;
  readonly last: SectionRange | undefined;
}

function put(file: string, { section, mark, old, last }: SectionEdit): string {
  const lineEnd = file.includes("\r\n") ? "\r\n" : "\n";
  const lines = `${beginOf(mark, section.sessionId)}\n${Buffer.from(section.text).toString("latin1")}${END}`;
  const text = lines.replaceAll("\n", lineEnd);
  if (old !== undefined) return `${file.slice(0, old.from)}${text}${file.slice(old.to)}`;
  if (last !== undefined) return `${file.slice(0, last.to)}${lineEnd}${lineEnd}${text}${file.slice(last.to)}`;
  const gap =
    file === "" || file.endsWith(lineEnd + lineEnd) ? "" : file.endsWith("\n") ? lineEnd : lineEnd + lineEnd;
  return `${file}${gap}${text}${lineEnd}`;
}

function beginOf(mark: string, sessionId: string): string {
  return `<!-- continuo:notes ${mark} ${nameOf(sessionId)} (up to the end line this text is replaced; write outside of it) -->`;
}

/** The id without characters that could end the comment. */
function nameOf(sessionId: string): string {
  return encodeURIComponent(sessionId).replaceAll("--", "%2D%2D");
}

/** The sections of the video, without the line end after them. */
function placesIn(file: string, mark: string): readonly SectionRange[] | "broken" {
  const places: SectionRange[] = [];
  const lines = /^<!-- continuo:(?:notes ([0-9a-f]{16}) (\S+) .*|end )-->(?=\r?$)/gmu;
  let open: { readonly mark: string; readonly name: string; readonly from: number } | null = null;
  for (const line of file.matchAll(lines)) {
    const [whole, begun, name = ""] = line;
    if (begun !== undefined) {
      if (open !== null) return "broken";
      open = { mark: begun, name, from: line.index };
    } else if (open !== null) {
      const to = line.index + whole.length;
      if (open.mark === mark) places.push({ sessionId: idOf(open.name), from: open.from, to });
      open = null;
    }
  }
  return open === null ? places : "broken";
}

function idOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
