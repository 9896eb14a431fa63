/** A session as Markdown and as HTML. Text from people and pages stays plain text. Pure. */

import type { Citation, PanelPageItem } from "../sending/panel-view.ts";
import type { SessionFile } from "./exports.ts";
import { clock } from "./format.ts";
import { type ExportedPage, partsOf, timesOf, writtenBy } from "./page-parts.ts";

type ExportContent = Pick<SessionFile, "title" | "notes" | "page">;

/**
 * The page and the notes; the same text is copied to the clipboard. `files` has the path of the picture of each note,
 * by its id.
 */
export function toMarkdown(
  { title, notes, page }: ExportContent,
  files: ReadonlyMap<string, string> = new Map(),
): string {
  const lines = notes.flatMap(({ noteId, startMs, text }) => {
    const line = `- **${clock(startMs)}** ${plain(text)}`;
    const file = files.get(noteId);
    return file === undefined ? [line] : [line, "", `  ![Frame at ${clock(startMs)}](${file})`, ""];
  });
  if (page === null) return [`# ${plain(title)}`, "", ...lines, ""].join("\n");
  const parts = partsOf(page).flatMap(({ name, items }) => [`## ${name}`, "", ...items.map(itemLine), ""]);
  const under = notes.length === 0 ? [] : ["## Notes", "", ...lines, ""];
  return [`# ${plain(title)}`, "", ...parts, `_${plain(writtenBy(page))}_`, "", ...under].join("\n");
}

function itemLine(item: PanelPageItem): string {
  const { title, text, citations } = item;
  const heading = title === null ? "" : ` **${plain(title)}**`;
  const words = text === title ? "" : ` ${plain(text)}`;
  return `- ${timesOf(item)}${plain(videoOf(item))}${heading}${words}${saidAt(citations.map(({ startMs }) => clock(startMs)))}`;
}

function videoOf({ elsewhere }: PanelPageItem): string {
  return elsewhere === undefined ? "" : ` (video ${elsewhere})`;
}

/** Characters of Markdown syntax are escaped. */
function plain(text: string): string {
  return text.replace(/\s+/gu, " ").replace(/[\\`*_{}[\]()#+!<>|~-]/gu, "\\$&");
}

function saidAt(citations: readonly string[]): string {
  return citations.length === 0 ? "" : ` (said at ${citations.join(", ")})`;
}

/** The policy lets the file load and run nothing, whatever it contains; its pictures are inside it. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";
const STYLE =
  ":root{color-scheme:light dark}body{margin:2rem auto;max-width:46rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}li{margin:.3rem 0}time,small{opacity:.75;unicode-bidi:isolate}img{display:block;max-width:100%;margin:.3rem 0;border-radius:3px}";

/** `pictures` has the `data:` URL of the frame of each note that has one, by the note's id. */
export function toHtml(session: SessionFile, pictures: ReadonlyMap<string, string>): string {
  const { title, notes, spoken, page } = session;
  const noteItems = notes.map(({ noteId, startMs, text }) => {
    const picture = pictures.get(noteId);
    const frame = picture === undefined ? "" : `<img src="${escaped(picture)}" alt="Frame">`;
    return `<li dir="auto"><time>${clock(startMs)}</time> ${escaped(text)}${frame}</li>`;
  });
  const lines = spoken.map(
    ({ id, startMs, text }) =>
      `<li id="${anchorOf(id)}" dir="auto"><time>${clock(startMs)}</time> ${escaped(text)}</li>`,
  );
  return `<!doctype html>
<html>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title>
<style>${STYLE}</style>
<h1 dir="auto">${escaped(title)}</h1>
${page === null ? "" : pageToHtml(page)}${listOf("Notes", noteItems)}${listOf("Transcript", lines)}</html>
`;
}

function pageToHtml(page: ExportedPage): string {
  const parts = partsOf(page).map(({ name, items }) => listOf(name, items.map(itemToHtml)));
  return `${parts.join("")}<p><small>${escaped(writtenBy(page))}</small></p>\n`;
}

function itemToHtml(item: PanelPageItem): string {
  const { title, text, citations } = item;
  const heading = title === null ? "" : ` <b>${escaped(title)}</b>`;
  const words = text === title ? "" : ` ${escaped(text)}`;
  const links = saidAt(citations.map(linkTo));
  return `<li dir="auto"><time>${timesOf(item)}</time>${escaped(videoOf(item))}${heading}${words}<small>${links}</small></li>`;
}

/** Links to the passage in the transcript of the same file. */
function linkTo({ id, startMs, text }: Citation): string {
  const time = clock(startMs);
  return id === undefined ? time : `<a href="#${anchorOf(id)}" title="${escaped(text)}">${time}</a>`;
}

/** A name for a place in the file, made safe because the id of an event comes from outside. */
function anchorOf(id: string): string {
  return `e-${encodeURIComponent(id).replace(/[^\w-]/gu, "_")}`;
}

function listOf(name: string, items: readonly string[]): string {
  return items.length === 0 ? "" : `<h2>${name}</h2>\n<ul>\n${items.join("\n")}\n</ul>\n`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
