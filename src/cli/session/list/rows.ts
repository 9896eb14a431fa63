/** Sessions as a table, fitted to the terminal, or as tab-separated values for programs. */

import { isOwn, type ListedSession } from "@continuo/agents/catalog";
import { visibleLine } from "@continuo/core/transcript";
import {
  type Column,
  formatSize,
  layOut,
  type Paint,
  paintFor,
  relativeTime,
  type Shell,
  type Style,
  screenOf,
  tildePath,
} from "../../terminal/index.ts";
import { isDamaged } from "./problems.ts";
import { SHORT_ID_COLUMNS, shortIds } from "./short-ids.ts";

interface StyledColumn extends Column {
  readonly styles: readonly Style[];
}

/** Commands accept this number in place of an id. */
const NUMBER: StyledColumn = { header: "#", align: "right", rank: 0, styles: ["dim"] };

const COLUMNS: readonly StyledColumn[] = [
  { header: "agent", align: "left", ideal: 16, min: 8, styles: ["cyan"] },
  { header: "id", align: "left", ideal: 36, min: 8, wants: SHORT_ID_COLUMNS, styles: ["dim"] },
  { header: "title", align: "left", ideal: 40, min: 8, wants: 24, styles: [] },
  // This column distinguishes sessions with the same title.
  {
    header: "project",
    align: "left",
    ideal: 16,
    min: 8,
    cut: "start",
    rank: 5,
    isFirm: true,
    styles: ["blue"],
  },
  { header: "when", align: "right", rank: 4, styles: ["green"] },
  { header: "size", align: "right", rank: 1, styles: ["dim"] },
  { header: "notes", align: "left", ideal: 10, min: 4, rank: 3, styles: ["yellow"] },
];

const NUMBERED: readonly StyledColumn[] = [NUMBER, ...COLUMNS];

/** The title of a session without a title and without a prompt. */
export const EMPTY_TITLE = "(empty)";

interface RowContext {
  readonly shell: Shell;
  /** Every id with which a shortened one must not be confused. */
  readonly allIds: readonly string[];
  readonly numbers?: "shown";
}

/** Ends with a line feed. */
export function drawSessions(
  sessions: readonly ListedSession[],
  { shell, allIds, numbers }: RowContext,
): string {
  const screen = screenOf(shell, shell.stdout);
  const paint = paintFor(screen);
  const short = shortIds(
    sessions.map((session) => session.sessionId),
    allIds,
  );
  const rows = sessions.map((session, at) => [
    numbers === undefined ? "" : String(at + 1),
    visibleLine(agentOf(session)),
    visibleLine(short.get(session.sessionId) ?? session.sessionId),
    visibleLine(session.title ?? EMPTY_TITLE),
    session.cwd === null ? "" : visibleLine(tildePath(session.cwd, shell.home)),
    relativeTime(session.updatedAt, shell.now),
    session.sizeBytes === null ? "" : formatSize(session.sizeBytes),
    notesOf(session),
  ]);
  const table = layOut(NUMBERED, rows, screen.isTerminal ? { columns: screen.columns } : {});
  return table.cells.map((cells, at) => `${drawRow(cells, at, table.columns, paint)}\n`).join("");
}

/** For programs: writes one line per session, with complete values between tabs, ISO 8601 times and sizes in bytes. */
export function tabSeparated(sessions: readonly ListedSession[]): string {
  const header = COLUMNS.map((column) => column.header);
  const rows = sessions.map((session) => [
    agentOf(session),
    session.sessionId,
    session.title ?? EMPTY_TITLE,
    session.cwd ?? "",
    session.updatedAt ?? "",
    String(session.sizeBytes ?? ""),
    notesOf(session),
  ]);
  return [header, ...rows].map((cells) => `${cells.map(visibleLine).join("\t")}\n`).join("");
}

function drawRow(cells: readonly string[], at: number, columns: readonly number[], paint: Paint): string {
  const painted = cells.map((cell, index) =>
    at === 0 ? paint(cell, "dim") : paint(cell, ...(NUMBERED[columns[index] ?? 0]?.styles ?? [])),
  );
  return painted.join("  ").trimEnd();
}

/** Returns the agent; for one of Continuo's own sessions, also the agents that took part in it. */
function agentOf({ agent, nativeRefs = [] }: ListedSession): string {
  const others = nativeRefs.map((ref) => ref.agent).join(", ");
  return others === "" ? agent : `${agent} (${others})`;
}

function notesOf(session: ListedSession): string {
  const { pinned = false, tags = [] } = session.marks ?? {};
  const notes: string[] = [...(pinned ? ["pinned"] : []), ...tags.map((tag) => `#${tag}`)];
  if (session.movedTo !== undefined) notes.push(`moved to ${session.movedTo.machine}`);
  if (session.live === true) notes.push("live");
  if (session.archived) notes.push("archived");
  if (isOwn(session) && session.isPartial) notes.push("incomplete import");
  if (isDamaged(session)) notes.push("damaged");
  if (session.problems.some(({ code }) => code === "only_copy")) notes.push("only a copy");
  const mirror = session.problems.find(({ code }) => code === "mirror");
  if (mirror !== undefined) notes.push(`mirror: ${mirror.message}`);
  return notes.join(", ");
}
