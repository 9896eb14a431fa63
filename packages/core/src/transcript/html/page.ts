/** The beginning and the end of the page. */

import type { SessionDetails } from "../../model/index.ts";
import { visibleText } from "../render/index.ts";
import { escapeHtml, escapePath, escapeVisible } from "./escape.ts";
import { headToHtml } from "./head.ts";
import { SCRIPT, SCRIPT_HASH } from "./script.ts";
import { STYLE } from "./style.ts";

export interface HtmlPage {
  readonly details: PageDetails;
  /** Sentences below the facts, or at the end of the page. */
  readonly notes?: readonly string[];
}

/** A line of the contents: `id` is that of an element of the page. */
export interface ContentsLine {
  readonly id: string;
  /** Visible text. */
  readonly text: string;
  readonly isBranch?: true;
}

/** Facts of the session on the page; `agent` is shown as it is. */
export interface PageDetails
  extends Pick<
    SessionDetails,
    | "sessionId"
    | "title"
    | "cwd"
    | "gitBranch"
    | "models"
    | "createdAt"
    | "updatedAt"
    | "messages"
    | "problems"
  > {
  readonly agent: string;
}

/**
 * Nothing may be loaded or run, whatever stands in the page, but the one script of `script.ts`, by its hash; images only
 * from the page itself.
 */
const POLICY = `default-src 'none'; script-src 'sha256-${SCRIPT_HASH}'; require-trusted-types-for 'script'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'`;

/** Beyond that, contents are no help. */
const MAX_CONTENTS = 2_000;

export function pageStart({ details, notes = [] }: HtmlPage): string {
  const title = escapeHtml(details.title ?? `${details.agent} session`);
  const facts = factsOf(details).map(
    ([name, value]) => `<div><dt>${name}</dt><dd><bdi>${escapePath(visibleText(value))}</bdi></dd></div>`,
  );
  return `${headToHtml({ title, policy: POLICY, style: STYLE })}<div class="top">
<h1><bdi>${title}</bdi></h1>
<dl class="facts">${facts.join("")}</dl>${notesToHtml(notes)}
</div>
<div id="search" role="search" hidden><input type="search" placeholder="Search this session" aria-label="Search this session"><output></output><button type="button" aria-label="Previous match">↑</button><button type="button" aria-label="Next match">↓</button></div>
<main>
`;
}

/** The contents follow what they name, because the page is written as it is read; the style places them before it. */
export function pageEnd({
  details,
  notes = [],
  contents = [],
}: HtmlPage & { readonly contents?: readonly ContentsLine[] }): string {
  const problems =
    details.problems.length === 0
      ? ""
      : `<h2>Problems met while reading</h2><ul>${details.problems.map((one) => `<li>${one.line === null ? "" : `line ${one.line}: `}${escapeHtml(one.message)}</li>`).join("")}</ul>`;
  return `</main>
${contentsToHtml(contents)}<footer>${notesToHtml(notes)}${problems}<p>Exported by Continuo. Times are UTC.</p></footer>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function contentsToHtml(contents: readonly ContentsLine[]): string {
  if (contents.length < 2) return "";
  const lines = contents.slice(0, MAX_CONTENTS).map(({ id, text, isBranch }) => {
    const kind = isBranch === true ? ' class="branch"' : "";
    return `<li${kind}><a href="#${id}"><bdi>${escapeVisible(text)}</bdi></a></li>`;
  });
  const left = contents.length - lines.length;
  const rest = left === 0 ? "" : `<li class="branch">${left} more are not listed</li>`;
  return `<nav aria-label="Contents"><details><summary>Contents</summary><ol>${lines.join("")}${rest}</ol></details></nav>\n`;
}

function notesToHtml(notes: readonly string[]): string {
  return notes.map((note) => `<p class="note">${escapeHtml(note)}</p>`).join("");
}

function factsOf(details: PageDetails): readonly (readonly [string, string])[] {
  const facts: readonly (readonly [string, string | null])[] = [
    ["Agent", details.agent],
    ["Session", details.sessionId],
    ["Folder", details.cwd],
    ["Branch", details.gitBranch],
    ["Models", details.models.join(", ")],
    ["Begun", minuteOf(details.createdAt)],
    ["Updated", minuteOf(details.updatedAt)],
    ["Messages", String(details.messages.total)],
  ];
  return facts.flatMap(([name, value]) => (value === null || value === "" ? [] : [[name, value] as const]));
}

/** `2026-11-21 20:43` of an ISO time. */
export function minuteOf(iso: string | null): string | null {
  return iso === null ? null : iso.slice(0, 16).replace("T", " ");
}

/** The heading of a branch, where several are exported. */
export function branchToHtml(branch: {
  readonly number: number;
  readonly count: number;
  readonly label: string | null;
}): string {
  const label = branch.label === null ? "" : `: <bdi>${escapeHtml(branch.label)}</bdi>`;
  return `<h2 id="b${branch.number}">Branch ${branch.number} of ${branch.count}${label}</h2>\n`;
}

export interface HtmlSubagent {
  readonly id: string;
  readonly type: string | null;
  readonly description: string | null;
  /** `null` where it cannot be read. */
  readonly messages: number | null;
}

/** The folded conversation of a sub-agent below its call: this start, its messages, then `subagentEnd`. */
export function subagentStart({ id, type, description, messages }: HtmlSubagent): string {
  const name = `<b><bdi>${escapeHtml(type ?? id)}</bdi></b>`;
  const task = description === null ? "" : `: <bdi>${escapeHtml(description)}</bdi>`;
  const size = messages === null ? "cannot be read" : messages === 1 ? "1 message" : `${messages} messages`;
  return `<details class="subagent"><summary>Sub-agent ${name}${task}, ${size}</summary>\n`;
}

export const subagentEnd = "</details>\n";
