/** The beginning and the end of the page. */

import type { SessionDetails } from "../../model/index.ts";
import { escapeHtml } from "./escape.ts";
import { STYLE } from "./style.ts";

export interface HtmlPage {
  readonly details: PageDetails;
  /** Sentences below the facts, or at the end of the page. */
  readonly notes?: readonly string[];
}

/** What the page tells of the session; `agent` is shown as it is. */
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

/** Nothing may be loaded or run, whatever stands in the page; images only from the page itself. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'";

export function pageStart({ details, notes = [] }: HtmlPage): string {
  const title = escapeHtml(details.title ?? `${details.agent} session`);
  const facts = factsOf(details).map(
    ([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
<dl class="facts">${facts.join("")}</dl>${notesToHtml(notes)}
<main>
`;
}

export function pageEnd({ details, notes = [] }: HtmlPage): string {
  const problems =
    details.problems.length === 0
      ? ""
      : `<h2>Problems met while reading</h2><ul>${details.problems.map((one) => `<li>${one.line === null ? "" : `line ${one.line}: `}${escapeHtml(one.message)}</li>`).join("")}</ul>`;
  return `</main>
<footer>${notesToHtml(notes)}${problems}<p>Exported by Continuo. Times are UTC.</p></footer>
</body>
</html>
`;
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
  const label = branch.label === null ? "" : `: ${escapeHtml(branch.label)}`;
  return `<h2>Branch ${branch.number} of ${branch.count}${label}</h2>\n`;
}
