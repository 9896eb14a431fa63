/** The search over sessions, and their days. */

import type { LiveSession, Note } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { byDay, matchesIn, readingOf } from "./session-search.ts";

const SESSION = {
  title: "A day at the harbour",
  notes: [{ startMs: 1_000, text: "The café opens." }] as unknown as readonly Note[],
  spoken: [
    { id: "a", startMs: 5_000, endMs: 6_000, text: "Ships leave early", speaker: "" },
    { id: "b", startMs: 9_000, endMs: 9_500, text: "ships  LEAVE early", speaker: "" },
  ],
  pictured: [{ startMs: 7_000, text: "PORT ELLEN\nBuilt in 1853" }],
};

test.each([
  ["leave ships", [{ startMs: 9_000, text: "ships  LEAVE early" }]],
  ["CAFE", [{ startMs: 1_000, text: "The café opens." }]],
  ["built 1853 ellen", [{ startMs: 7_000, text: "PORT ELLEN\nBuilt in 1853" }]],
  ["harbour", []],
  ["train", null],
])(
  "a search for %s finds lines that have every word, each once, whatever their capitals and accents",
  (query, found) => {
    expect(matchesIn(SESSION, query)).toEqual(found);
  },
);

test("sessions are below the day on which they began", () => {
  const of = (createdAt: string): LiveSession => ({ createdAt }) as LiveSession;
  const now = new Date(2026, 10, 26, 9);
  const at = (day: number, hour: number): LiveSession => of(new Date(2026, 10, day, hour).toISOString());
  const days = byDay([at(26, 8), at(26, 0), at(25, 23), at(20, 5)], now);
  expect(days.map(({ name, sessions }) => [name.replace(/.*20.*/u, "earlier"), sessions.length])).toEqual([
    ["Today", 2],
    ["Yesterday", 1],
    ["earlier", 1],
  ]);
});

test("the status of a search counts the sessions that it must still read", () => {
  expect([1, 2].map(readingOf)).toEqual(["Reading 1 more session…", "Reading 2 more sessions…"]);
});
