/** The search over the notes and transcripts of sessions, and the groups of sessions by day. Pure. */

import type { LiveSession } from "@continuo/core/wire";
import type { SessionText } from "./exports.ts";

export interface Match {
  readonly startMs: number;
  readonly text: string;
}

/** The largest number of matches that are shown for one session. */
const SHOWN_MATCHES = 3;

/** The lines that contain every word; none if only the title does, and `null` if the session does not match. */
export function matchesIn(
  { title, notes, spoken, pictured }: SessionText,
  query: string,
): readonly Match[] | null {
  const words = wordsOf(query);
  const has = (text: string): boolean => {
    const plain = folded(text);
    return words.every((word) => plain.includes(word));
  };
  const found = [...notes, ...spoken, ...pictured].filter(({ text }) => has(text));
  if (found.length === 0) return has(title) ? [] : null;
  const unique = new Map(found.map(({ startMs, text }) => [folded(text), { startMs, text }]));
  return [...unique.values()].slice(0, SHOWN_MATCHES);
}

/** The status while the search reads sessions. */
export function readingOf(waiting: number): string {
  return `Reading ${waiting} more ${waiting === 1 ? "session" : "sessions"}…`;
}

export interface Day {
  readonly name: string;
  readonly sessions: readonly LiveSession[];
}

/** Groups sessions by the day on which they began. Days and sessions keep the order of the given list. */
export function byDay(sessions: readonly LiveSession[], now: Date): readonly Day[] {
  const days = Map.groupBy(sessions, ({ createdAt }) => nameOfDay(new Date(createdAt), now));
  return [...days].map(([name, some]) => ({ name, sessions: some }));
}

function nameOfDay(day: Date, now: Date): string {
  const start = (date: Date): number =>
    new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
  const days = Math.round((start(now) - start(day)) / 86_400_000);
  if (days === 0) return "Today";
  if (days === 1) return "Yesterday";
  return day.toLocaleDateString(undefined, {
    weekday: "long",
    day: "numeric",
    month: "long",
    year: "numeric",
  });
}

function wordsOf(query: string): readonly string[] {
  return folded(query).split(" ").filter(Boolean);
}

/** The text in lower case and without accents. */
function folded(text: string): string {
  return text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/\s+/gu, " ").trim();
}
