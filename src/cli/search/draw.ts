/** Results for a person: a line for the session, and the piece of the turn that matches. */

import type {
  Excerpt,
  SearchProgress,
  SearchResult,
  SearchResults,
  SessionSearchResults,
} from "@continuo/agents/search";
import { visibleLine } from "@continuo/core/transcript";
import { shortIds } from "../session/list/index.ts";
import {
  cutEnd,
  formatCount,
  type Paint,
  paintFor,
  relativeTime,
  type Shell,
  type Span,
  screenOf,
  tildePath,
  wrap,
} from "../terminal/index.ts";

const SPEAKERS: Readonly<Record<Excerpt["voice"], string>> = {
  person: "you",
  agent: "agent",
  call: "call",
  result: "result",
  other: "injected",
};
const INDENT = "    ";

/** Ends with a line feed. */
export function drawResults(
  { results, total, sessionIds }: Pick<SessionSearchResults, "results" | "total" | "sessionIds">,
  shell: Shell,
): string {
  const screen = screenOf(shell, shell.stdout);
  const columns = screen.isTerminal ? screen.columns : 100;
  const drawing = { shell, paint: paintFor(screen), columns, short: shortIdsOf(results, sessionIds) };
  const blocks = results.map((result, at) => drawResult(result, at + 1, drawing));
  const more = total - results.length;
  const footer = more > 0 ? [[`${formatCount(more)} more sessions match: --all shows them`]] : [];
  return `${[...blocks, ...footer].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

/** Rows and columns that stay free, for the command line and for the `^C` that a terminal prints. */
const [FREE_ROWS, FREE_COLUMNS] = [2, 3];

/**
 * The best results so far, as many as the screen has rows for, above a line that shows the progress of the search. They
 * have no numbers: better ones may follow.
 */
export function drawEarlyResults(
  { results, total }: SearchResults,
  { searched, ofSessions }: Pick<SearchProgress, "searched" | "ofSessions">,
  shell: Shell,
): readonly string[] {
  const { columns, rows, ...screen } = screenOf(shell, shell.stdout);
  const drawing = { shell, paint: paintFor(screen), columns: columns - 1, short: shortIdsOf(results, []) };
  const shown: string[] = [];
  for (const { excerpt, ...result } of results) {
    // One line of the text is enough to recognize the result.
    const lines = [
      ...drawResult({ ...result, excerpt: null }, null, drawing),
      ...drawExcerpt(excerpt && aroundMatch(excerpt, Math.floor(columns / 4)), drawing).slice(0, 1),
    ];
    if (shown.length + lines.length + 1 > rows - FREE_ROWS) break;
    shown.push(...lines);
  }
  const counts = [searched, ofSessions, total].map(formatCount);
  const long = `searched ${counts[0]} of ${counts[1]} sessions, ${counts[2]} found`;
  const short = `${counts[0]} of ${counts[1]}, ${counts[2]} found`;
  const free = columns - FREE_COLUMNS;
  const states = shown.length === 0 ? [long] : [`${long} · Ctrl-C: enough`, `${short} · Ctrl-C: enough`];
  const state = states.find((text) => text.length <= free) ?? cutEnd(short, free);
  return [...shown, drawing.paint(state, "dim")];
}

/** The text is cut so that the first line has the match. */
function aroundMatch({ pieces, ...excerpt }: Excerpt, charsBefore: number): Excerpt {
  const at = pieces.findIndex(({ match }) => match);
  const before = pieces
    .slice(0, Math.max(0, at))
    .map(({ text }) => text)
    .join("");
  if (before.length <= charsBefore) return { ...excerpt, pieces };
  return {
    ...excerpt,
    pieces: [{ text: `…${before.slice(-charsBefore)}`, match: false }, ...pieces.slice(at)],
  };
}

interface DrawOptions {
  readonly shell: Shell;
  readonly paint: Paint;
  readonly columns: number;
  /** Maps each id to the shortest beginning that no other known session shares. */
  readonly short: ReadonlyMap<string, string>;
}

/** @param others ids of sessions that are not among the results */
function shortIdsOf(
  results: SearchResults["results"],
  others: readonly string[],
): ReadonlyMap<string, string> {
  const ids = results.flatMap(({ session: { sessionId, parentId } }) =>
    parentId === null ? [sessionId] : [sessionId, parentId],
  );
  // Only ids with the same first eight characters can need more characters, and there can be thousands of others.
  const beginnings = new Set(ids.map(beginningOf));
  return shortIds(ids, [...ids, ...others.filter((id) => beginnings.has(beginningOf(id)))]);
}

function beginningOf(id: string): string {
  return id.slice(0, 8).toLowerCase();
}

function drawResult(
  { session, turn, excerpt, turns }: SearchResult,
  number: number | null,
  drawing: DrawOptions,
): string[] {
  const { shell, paint, columns, short } = drawing;
  const facts = [
    session.agent,
    short.get(session.sessionId) ?? session.sessionId,
    session.cwd === null ? "" : tildePath(session.cwd, shell.home),
    relativeTime(turn.at ?? session.updatedAt, shell.now),
    session.trashId === null ? "" : "in the trash",
    session.archived ? "archived" : "",
    session.parentId === null ? "" : `sub-agent of ${short.get(session.parentId) ?? session.parentId}`,
  ].filter((fact) => fact !== "");
  const title = visibleLine(session.title ?? "untitled");
  const others = turns.length - 1;
  const where = `turn ${turn.number}${others > 0 ? `, and ${formatCount(others)} more` : ""}`;
  const heading = `${paint(String(number ?? "·").padStart(3), "bold", "cyan")} ${paint(cutEnd(title, columns - INDENT.length), "bold")}`;
  const about = cutEnd(visibleLine([...facts, where].join(" · ")), columns - INDENT.length);
  return [heading, `${INDENT}${paint(about, "dim")}`, ...drawExcerpt(excerpt, drawing)];
}

function drawExcerpt(excerpt: Excerpt | null, { paint, columns }: DrawOptions): string[] {
  if (excerpt === null || excerpt.pieces.length === 0) return [];
  const spans: Span[] = [
    { text: `${SPEAKERS[excerpt.voice]}: `, styles: ["dim"] },
    ...excerpt.pieces.map(
      ({ text, match }): Span => ({ text: visibleLine(text), styles: match ? ["bold", "yellow"] : [] }),
    ),
  ];
  return wrap(spans, columns - INDENT.length, paint).map((line) => INDENT + line);
}
