/** A session as Markdown and as a page. Everything in it came from others. Pure. */

import { visibleLine, visibleText } from "@continuo/core/transcript";
import { escapeHtml, headToHtml } from "@continuo/core/transcript/html";
import type { LivePage, LiveSession, Note, PageItem, WireEvent } from "@continuo/core/wire";
import { frameOfNote } from "./export-frames.ts";
import { timeOf } from "./lines.ts";
import { partsOf, spanOfItem, videoOfItem, writerLine } from "./page-lines.ts";

export interface LiveExport {
  readonly session: LiveSession;
  readonly page: LivePage | null;
  readonly notes: readonly Note[];
  readonly evidence: readonly WireEvent[];
}

interface Line {
  readonly id: string;
  readonly sequence: number;
  readonly at: string;
  readonly who: string;
  readonly text: string;
}

type Pictures = ReadonlyMap<number, string>;

const NO_PICTURES: Pictures = new Map();

/** `files` has the path of the picture of each frame, by its sequence. */
export function toMarkdown(
  { session, page, notes, evidence }: LiveExport,
  files: Pictures = NO_PICTURES,
): string {
  const lines = [
    `# ${plain(titleOf(session))}`,
    "",
    ...factsOf(session).map(([name, value]) => `- ${name}: ${plain(value)}`),
  ];
  lines.push(...pageToMarkdown(page, evidence));
  lines.push("", "## Notes", "");
  for (const note of notes) {
    lines.push(`- **${spanOf(note)}**${markOf(note)} ${plain(note.text)}`);
    const file = files.get(frameOfNote(note, evidence, files) ?? -1);
    if (file !== undefined) lines.push("", `  ![Frame](${file})`, "");
  }
  lines.push("", "## Evidence", "");
  for (const { at, who, text, sequence } of linesOf(evidence)) {
    const file = files.get(sequence);
    const picture = file === undefined ? "" : ` ([picture](${file}))`;
    lines.push(`- ${at} ${plain(who)}: ${plain(text)}${picture}`);
  }
  return `${lines.join("\n")}\n`;
}

/** The policy lets the page load and run nothing, whatever it contains; its pictures are inside it. */
const POLICY =
  "default-src 'none'; img-src data:; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'";
const STYLE =
  ":root{color-scheme:light dark}body{margin:2rem auto;max-width:46rem;padding:0 1rem;font:16px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1rem}dd{margin:0}li{margin:.3rem 0;white-space:pre-wrap}time,small{opacity:.7}img{display:block;max-width:100%;max-height:18rem;margin:.3rem 0;border-radius:3px}";

/** `pictures` has a data address with the picture of each frame, by its sequence. A picture is shown only once. */
export function toHtml(
  { session, page, notes, evidence }: LiveExport,
  pictures: Pictures = NO_PICTURES,
): string {
  const shown = new Set<number>();
  const pictureOf = (sequence: number | null): string => {
    const address = pictures.get(sequence ?? -1);
    if (address === undefined || sequence === null || shown.has(sequence)) return "";
    shown.add(sequence);
    return `<img src="${escapeHtml(address)}" alt="Frame">`;
  };
  const title = escapeHtml(titleOf(session));
  const facts = factsOf(session).map(([name, value]) => `<dt>${name}</dt><dd>${escapeHtml(value)}</dd>`);
  const noteItems = notes.map(
    (note) =>
      `<li><time>${spanOf(note)}</time>${markOf(note)} ${escapeHtml(note.text)}${pictureOf(frameOfNote(note, evidence, pictures))}</li>`,
  );
  const evidenceItems = linesOf(evidence).map(
    ({ id, at, who, text, sequence }) =>
      `<li id="${anchorOf(id)}"><time>${at}</time> <b>${escapeHtml(who)}</b> ${escapeHtml(text)}${pictureOf(sequence)}</li>`,
  );
  return `${headToHtml({ title, policy: POLICY, style: STYLE })}<h1>${title}</h1>
<dl>${facts.join("")}</dl>
${pageToHtml(page, evidence)}<h2>Notes</h2>
<ul>
${noteItems.join("\n")}
</ul>
<h2>Evidence</h2>
<ul>
${evidenceItems.join("\n")}
</ul>
</body>
</html>
`;
}

const SHOWN_CITATIONS = 4;

/** The words that an item cites, as they were said. */
function citedBy({ evidence: ids }: PageItem, lines: ReadonlyMap<string, Line>): readonly Line[] {
  return ids.flatMap((id) => lines.get(id) ?? []);
}

function pageToMarkdown(page: LivePage | null, evidence: readonly WireEvent[]): readonly string[] {
  if (page === null) return [];
  const known = new Map(linesOf(evidence).map((line) => [line.id, line]));
  return partsOf(page)
    .flatMap(({ name, items }) => [
      "",
      `## ${name}`,
      "",
      ...items.map((item) => {
        const title = item.title === null ? "" : `**${plain(item.title)}** `;
        const times = [...new Set(citedBy(item, known).map(({ at }) => at))].slice(0, SHOWN_CITATIONS);
        const cited = times.length === 0 ? "" : ` (said at ${times.join(", ")})`;
        return `- ${spanOfItem(item)}${plain(videoOfItem(item))} ${title}${plain(item.text)}${cited}`;
      }),
    ])
    .concat("", `_${plain(writerLine(page))}_`);
}

/** Each citation links to the words in the evidence below. */
function pageToHtml(page: LivePage | null, evidence: readonly WireEvent[]): string {
  if (page === null) return "";
  const known = new Map(linesOf(evidence).map((line) => [line.id, line]));
  const parts = partsOf(page).map(({ name, items }) => {
    const rows = items.map((item) => {
      const title = item.title === null ? "" : `<b>${escapeHtml(item.title)}</b> `;
      const cited = citedBy(item, known)
        .slice(0, SHOWN_CITATIONS)
        .map(({ id, at, text }) => `<a href="#${anchorOf(id)}" title="${escapeHtml(text)}">${at}</a>`);
      const links = cited.length === 0 ? "" : ` <small>said at ${cited.join(", ")}</small>`;
      return `<li><time>${spanOfItem(item)}</time>${escapeHtml(videoOfItem(item))} ${title}${escapeHtml(item.text)}${links}</li>`;
    });
    return `<h2>${name}</h2>\n<ul>\n${rows.join("\n")}\n</ul>\n`;
  });
  return `${parts.join("")}<p><small>${escapeHtml(writerLine(page))}</small></p>\n`;
}

/** A name for a place in the page, made safe because the id of an event comes from outside. */
function anchorOf(id: string): string {
  return `e-${encodeURIComponent(id).replaceAll(/[^\w-]/gu, "_")}`;
}

function titleOf({ title, videoId }: LiveSession): string {
  return title ?? videoId;
}

function factsOf({
  sessionId,
  key,
  videoId,
  state,
  createdAt,
}: LiveSession): readonly (readonly [string, string])[] {
  return [
    ["Session", sessionId],
    ["Key", key],
    ["Video", videoId],
    ["State", state],
    ["Begun", createdAt],
  ];
}

function spanOf({ startMs, endMs }: Note): string {
  return startMs === endMs ? timeOf(startMs) : `${timeOf(startMs)}–${timeOf(endMs)}`;
}

/** Texts of Continuo itself. */
export function markOf({ status, damaged }: Note): string {
  const based = damaged === undefined ? "" : ` (from damaged events: ${damaged.map(Number).join(", ")})`;
  return `${status === "unsure" || status === "accepted" ? ` (${status})` : ""}${based}`;
}

function linesOf(evidence: readonly WireEvent[]): readonly Line[] {
  return evidence.flatMap(({ id, type, data, sequence }) => {
    const { text, description, mediaTimeMs, speaker } = (data ?? {}) as Readonly<Record<string, unknown>>;
    const at = timeOf(typeof mediaTimeMs === "number" ? mediaTimeMs : 0);
    if (type === "transcript_added" || type === "remark_added") {
      return [
        {
          id,
          sequence,
          at,
          who: typeof speaker === "string" ? speaker : "somebody",
          text: String(text ?? ""),
        },
      ];
    }
    if (type !== "frame_captured") return [];
    return [
      {
        id,
        sequence,
        at,
        who: `frame ${sequence}`,
        text: typeof description === "string" ? description : "",
      },
    ];
  });
}

/** One line that contains no Markdown or HTML. */
function plain(text: string): string {
  return escaped(visibleLine(visibleText(text)));
}

/** Text that contains no Markdown, HTML, or syntax of Obsidian: a comment, a formula, a highlight. */
export function escaped(text: string): string {
  return text.replace(/[\\`*_[\]<>#|!&~%$=^]/gu, "\\$&");
}
