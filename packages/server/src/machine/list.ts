/** Pages of the list: filters, and a cursor that names the last row of the page before. Pure. */

import { ContinuoError } from "@continuo/core/model";
import type {
  ListPart,
  ListQuery,
  MachineSession,
  RowPlace,
  SessionsPage,
} from "@continuo/core/wire/machine";
import { MACHINE_LIMITS } from "./limits.ts";

type Filter = (session: MachineSession) => boolean;

export function toFilter(query: ListQuery): Filter {
  const { agent, project, since, until, title, archived = "exclude", pinned, part } = query;
  const words = wordsOf(title);
  const folder = project?.toLowerCase();
  const tags = query.tag?.map((tag) => tag.toLowerCase()) ?? [];
  // Agents write times with and without milliseconds, so they are not compared as texts.
  const [fromMs, beforeMs] = [since, until].map((time) =>
    time === undefined ? undefined : Date.parse(time),
  );
  const isTimed = since !== undefined || until !== undefined;
  return (session) => {
    const name = (session.title ?? "").toLowerCase();
    const atMs = isTimed ? Date.parse(session.updatedAt ?? "") : Number.NaN;
    return (
      (agent === undefined || agent.length === 0 || agent.includes(session.agent)) &&
      (folder === undefined || session.cwd?.toLowerCase().includes(folder) === true) &&
      (fromMs === undefined || atMs >= fromMs) &&
      (beforeMs === undefined || atMs < beforeMs) &&
      (pinned === undefined || session.marks.pinned) &&
      tags.every((tag) => session.marks.tags.includes(tag)) &&
      (part === undefined || part === PARTS[session.place?.of ?? "none"]) &&
      words.every((word) => name.includes(word)) &&
      (archived === "include" || session.archived === (archived === "only"))
    );
  };
}

const PARTS: Readonly<Record<RowPlace["of"] | "none", ListPart>> = {
  none: "conversations",
  channel: "channels",
  live: "live",
};

/** Sessions that compare as equal keep their order. */
export function sorted(
  sessions: readonly MachineSession[],
  { sort, text }: ListQuery,
): readonly MachineSession[] {
  switch (sort) {
    case "created":
      return sessions.toSorted((a, b) => compare(b.createdAt ?? "", a.createdAt ?? ""));
    case "largest":
      return sessions.toSorted((a, b) => compare(b.sizeBytes ?? -1, a.sizeBytes ?? -1));
    case "title":
      return sessions.toSorted((a, b) => compareTitles(a.title, b.title));
    default:
      // Search results have an order of their own.
      return text === undefined ? sessions.toSorted(byPin) : sessions;
  }
}

function byPin(a: MachineSession, b: MachineSession): number {
  return Number(b.marks.pinned) - Number(a.marks.pinned);
}

const TITLES = new Intl.Collator("en", { numeric: true });

/** Sessions without a title come last. */
function compareTitles(a: string | null, b: string | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return TITLES.compare(a, b);
}

function compare<T extends string | number>(a: T, b: T): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** `sessions` are already ordered and filtered. Errors: `invalid` for a cursor that no page returned. */
export function pageOf(
  sessions: readonly MachineSession[],
  { limit = MACHINE_LIMITS.pageSessions, cursor }: ListQuery,
  notices: readonly string[],
): SessionsPage {
  const start = cursor === undefined ? 0 : startAfter(sessions, parseCursor(cursor));
  const shown = sessions.slice(start, start + limit);
  const last = shown.at(-1);
  const isFirst = cursor === undefined;
  return {
    sessions: shown,
    total: sessions.length,
    nextCursor: last === undefined || start + limit >= sessions.length ? null : cursorOf(last, start + limit),
    projects: isFirst
      ? countBy(sessions, ({ cwd }) => (cwd === null ? [] : [cwd])).map(([cwd, count]) => ({
          cwd,
          sessions: count,
        }))
      : [],
    agents: isFirst
      ? countBy(sessions, ({ agent }) => [agent]).map(([agent, count]) => ({ agent, sessions: count }))
      : [],
    tags: isFirst
      ? countBy(sessions, ({ marks }) => marks.tags).map(([tag, count]) => ({ tag, sessions: count }))
      : [],
    unsearched: 0,
    notices,
  };
}

interface Cursor {
  readonly key: string;
  readonly place: number;
}

/** The key of the last row of a page, and its place in case the row disappears. */
function cursorOf({ key }: MachineSession, place: number): string {
  return Buffer.from(JSON.stringify([key, place])).toString("base64url");
}

function parseCursor(text: string): Cursor {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(text, "base64url").toString());
  } catch (cause) {
    throw badCursor(cause);
  }
  if (!Array.isArray(value)) throw badCursor();
  const [key, place] = value;
  if (typeof key !== "string" || !Number.isSafeInteger(place) || place < 0) throw badCursor();
  return { key, place };
}

function startAfter(sessions: readonly MachineSession[], { key, place }: Cursor): number {
  const at = sessions.findIndex((session) => session.key === key);
  return at === -1 ? Math.min(place, sessions.length) : at + 1;
}

function badCursor(cause?: unknown): ContinuoError {
  return new ContinuoError("invalid", "the cursor does not come from a page of this list", {
    hint: "Begin again without a cursor.",
    cause,
  });
}

function countBy(
  sessions: readonly MachineSession[],
  valuesOf: (session: MachineSession) => readonly string[],
): [string, number][] {
  const counts = new Map<string, number>();
  for (const session of sessions) {
    for (const value of valuesOf(session)) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MACHINE_LIMITS.projects);
}

function wordsOf(text = ""): readonly string[] {
  return text
    .toLowerCase()
    .split(/\s+/u)
    .filter((word) => word !== "");
}
