/** A session as a file: its page and notes as Markdown, HTML or JSON, its transcript as SRT or VTT. Pure. */

import type { Note } from "@continuo/core/wire";
import type { NoteFrame } from "../sending/panel-view.ts";
import type { PicturedText, SpokenText } from "../sending/view.ts";
import { toHtml, toMarkdown } from "./export-pages.ts";
import type { ExportedPage } from "./page-parts.ts";
import { pictureFilesOf } from "./picture-files.ts";
import { zipOf } from "./zip.ts";

export interface SessionText {
  readonly title: string;
  readonly notes: readonly Note[];
  readonly spoken: readonly SpokenText[];
  /** The texts that were read in pictures: they can be searched, and are not part of the transcript. */
  readonly pictured: readonly PicturedText[];
}

/** A session with everything that its exported file shows. */
export interface SessionFile extends SessionText {
  readonly key: string;
  readonly page: ExportedPage | null;
  /** The keys are the ids of notes. */
  readonly frames: Readonly<Record<string, NoteFrame>>;
}

export type ExportFormat = "Markdown" | "HTML" | "JSON" | "SRT" | "VTT";

export interface ExportFile {
  readonly name: string;
  readonly content: string | Blob;
}

export const EXPORT_FORMATS: readonly ExportFormat[] = ["Markdown", "HTML", "JSON", "SRT", "VTT"];

const ENDINGS: Readonly<Record<ExportFormat, string>> = {
  Markdown: "md",
  HTML: "html",
  JSON: "json",
  SRT: "srt",
  VTT: "vtt",
};

/**
 * `pictures` has the `data:` URLs of frames; the keys are the ids of notes. An HTML file shows the pictures. Markdown
 * with pictures is a ZIP archive, which has the text and the pictures as files.
 */
export function exportOf(
  session: SessionFile,
  format: ExportFormat,
  pictures: ReadonlyMap<string, string> = new Map(),
): ExportFile {
  const { title, notes, spoken, page } = session;
  const base = title.replace(/[^\p{L}\p{N} ._-]/gu, "_").slice(0, 80);
  const name = `${base}.${ENDINGS[format]}`;
  switch (format) {
    case "Markdown":
      return markdownOf(session, base, pictures);
    case "HTML":
      return { name, content: toHtml(session, pictures) };
    case "JSON":
      return { name, content: JSON.stringify({ title, page, notes, transcript: spoken }, null, 2) };
    case "SRT":
      return { name, content: toSrt(spoken) };
    case "VTT":
      return { name, content: toVtt(spoken) };
  }
}

function markdownOf(session: SessionFile, base: string, pictures: ReadonlyMap<string, string>): ExportFile {
  const frames = pictureFilesOf(session.notes, pictures);
  const files = new Map(frames.map((frame) => [frame.name, frame]));
  const name = `${base}.md`;
  if (frames.length === 0) return { name, content: toMarkdown(session) };
  const text = toMarkdown(session, new Map(frames.map((frame) => [frame.noteId, frame.name])));
  return {
    name: `${base}.zip`,
    content: zipOf([{ name, bytes: new TextEncoder().encode(text) }, ...files.values()]),
  };
}

function toSrt(spoken: readonly SpokenText[]): string {
  return cuesOf(spoken)
    .map(
      ({ startMs, endMs, text }, at) => `${at + 1}\n${time(startMs, ",")} --> ${time(endMs, ",")}\n${text}\n`,
    )
    .join("\n");
}

function toVtt(spoken: readonly SpokenText[]): string {
  const cues = cuesOf(spoken).map(
    ({ startMs, endMs, text }) =>
      `${time(startMs, ".")} --> ${time(endMs, ".")}\n${text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")}\n`,
  );
  return ["WEBVTT\n", ...cues].join("\n");
}

/**
 * A piece without an end lasts until the next piece, but for at least a second; the last piece lasts two seconds. Line
 * breaks become spaces, because an empty line would end a cue.
 */
function cuesOf(spoken: readonly SpokenText[]): readonly SpokenText[] {
  return spoken.map((piece, at) => {
    const nextMs = spoken[at + 1]?.startMs ?? piece.startMs + 2_000;
    const endMs = piece.endMs > piece.startMs ? piece.endMs : Math.max(piece.startMs + 1_000, nextMs);
    return { ...piece, endMs, text: piece.text.replace(/\s+/gu, " ").replaceAll("-->", "->") };
  });
}

function time(ms: number, mark: "," | "."): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, "0");
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1000) % 60];
  return `${two(hours)}:${two(minutes)}:${two(seconds)}${mark}${String(Math.floor(ms % 1000)).padStart(3, "0")}`;
}
