/** Results for a person: a line for the session, and the piece of the turn that matches. */

import type { Excerpt, SearchResult, SearchResults } from "@continuo/agents/search";
import { visibleLine } from "@continuo/core/transcript";
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
const ID_CHARS = 8;

/** Ends with a line feed. */
export function drawResults({ results, total }: SearchResults, shell: Shell): string {
  const screen = screenOf(shell, shell.stdout);
  const drawing = { shell, paint: paintFor(screen), columns: screen.isTerminal ? screen.columns : 100 };
  const blocks = results.map((result, at) => drawResult(result, at + 1, drawing));
  const more = total - results.length;
  const footer = more > 0 ? [[`${formatCount(more)} more sessions match: --all shows them`]] : [];
  return `${[...blocks, ...footer].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

interface Drawing {
  readonly shell: Shell;
  readonly paint: Paint;
  readonly columns: number;
}

function drawResult(
  { session, turn, excerpt, turns }: SearchResult,
  number: number,
  { shell, paint, columns }: Drawing,
): string[] {
  const facts = [
    session.agent,
    session.sessionId.slice(0, ID_CHARS),
    session.cwd === null ? "" : tildePath(session.cwd, shell.home),
    relativeTime(turn.at ?? session.updatedAt, shell.now),
    session.trashId === null ? "" : "in the trash",
    session.archived ? "archived" : "",
    session.parentId === null ? "" : `sub-agent of ${session.parentId.slice(0, ID_CHARS)}`,
  ].filter((fact) => fact !== "");
  const title = visibleLine(session.title ?? "untitled");
  const others = turns.length - 1;
  const where = `turn ${turn.number}${others > 0 ? `, and ${formatCount(others)} more` : ""}`;
  const heading = `${paint(String(number).padStart(3), "bold", "cyan")} ${paint(cutEnd(title, columns - INDENT.length), "bold")}`;
  const about = cutEnd(visibleLine([...facts, where].join(" · ")), columns - INDENT.length);
  return [heading, `${INDENT}${paint(about, "dim")}`, ...drawExcerpt(excerpt, paint, columns)];
}

function drawExcerpt(excerpt: Excerpt | null, paint: Paint, columns: number): string[] {
  if (excerpt === null || excerpt.pieces.length === 0) return [];
  const spans: Span[] = [
    { text: `${SPEAKERS[excerpt.voice]}: `, styles: ["dim"] },
    ...excerpt.pieces.map(
      ({ text, match }): Span => ({ text: visibleLine(text), styles: match ? ["bold", "yellow"] : [] }),
    ),
  ];
  return wrap(spans, columns - INDENT.length, paint).map((line) => INDENT + line);
}
