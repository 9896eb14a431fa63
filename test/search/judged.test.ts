/**
 * Questions to the example sessions, as people type them, each with the sessions that a person would call right. Some
 * questions use a word that occurs only in another form: the search knows no grammar, so these are misses.
 */

import { examplePlaces, updateTexts } from "@continuo/agents/catalog";
import { parseQuery, search } from "@continuo/agents/search";
import { indexPathOf, useIndex } from "@continuo/native/index-file";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";

const LEAP = ["3a1f0c52"];
const MONTHS = ["b7d2e4f6"];
const LONG_TABLE = ["01a20058-117"];
const GUESTS = ["01a20058-0d2", "01a20058-117"];
const INVITATION = ["01a20058-136"];
const SOUP = ["0d5c1b7e"];
const GARDEN = ["01997c20"];
const HIKE = ["ses_dff7211f"];
const POSTCARD = ["ses_dff71d2f"];

const QUESTIONS: readonly (readonly [query: string, right: readonly string[]])[] = [
  ["leap year", LEAP],
  ["2100", LEAP],
  ["29 February", LEAP],
  ["isLeapYear", LEAP],
  ["leap", LEAP],
  ["century 400", LEAP],
  ["leap.test.js", LEAP],
  ["tool:Edit leap", LEAP],
  ["file:leap.js", LEAP],
  ["count assertions", LEAP],
  ["assert.equal", LEAP],
  ["project:calendar mend", LEAP],
  ["rule knows centuries", LEAP],
  ["calendar bug", LEAP],
  ["month names", MONTHS],
  ["Intl.DateTimeFormat", MONTHS],
  ['"first day of the week"', MONTHS],
  ["getWeekInfo", MONTHS],
  ["week info", MONTHS],
  ["reader language", MONTHS],
  ["translate months", MONTHS],
  ["locale", MONTHS],
  ["date format language", MONTHS],
  ["guest without a table", GUESTS],
  ["alphabetical guests", GUESTS],
  ["seats.py", GUESTS],
  ["tool:apply_patch", GUESTS],
  ["Anders Noor Theo", GUESTS],
  ["csv DictReader", GUESTS],
  ['"every guest has a table"', GUESTS],
  ['"one long table"', LONG_TABLE],
  ["sort by name lambda", LONG_TABLE],
  ["friendly invitation", INVITATION],
  ["dancing shoes", INVITATION],
  ["agent:codex sentence", INVITATION],
  ["soup bread", SOUP],
  ["onions stock", SOUP],
  ["shopping list", SOUP],
  ["flour", SOUP],
  ["nine tonight buy", SOUP],
  ["recipes", SOUP],
  ["file:shopping.md", SOUP],
  ["loaves", SOUP],
  ["tool:write_file", SOUP],
  ["salt pinch", SOUP],
  ["agent:gemini water", SOUP],
  ["dinner ingredients", SOUP],
  ["water tomatoes", GARDEN],
  ["beds.json", GARDEN],
  ["lettuce every day", GARDEN],
  ["plan week bed", GARDEN],
  ["beans", GARDEN],
  ["file:plan.md", GARDEN],
  ["one can a bed", GARDEN],
  ["96 litres", GARDEN],
  ["project:garden monday", GARDEN],
  ["watering", GARDEN],
  ["trail children", HIKE],
  ["lake loop", HIKE],
  ["rains", HIKE],
  ["mill path woods", HIKE],
  ["trails.csv", HIKE],
  ["tool:task", HIKE],
  ["project:hike rain", HIKE],
  ["postcard", POSTCARD],
  ["cake rowing", POSTCARD],
  ["cold water lake", POSTCARD],
  ["lake", POSTCARD],
];

test("of at least 60 judged questions, the first result is right for 85 % and one of the first five for 90 %", async () => {
  const home = scratchFolder("judged");
  const examples = examplePlaces();
  if (examples === null) throw new Error("the examples are missing");
  const places = { ...examples, env: { ...examples.env, CONTINUO_HOME: home } };
  const { ready } = await updateTexts({ places });
  const ranks: number[] = [];
  for (const [text, right] of QUESTIONS) {
    const query = parseQuery(text, { toTime: (time) => time });
    const used = await useIndex(indexPathOf(places), "read", (database) =>
      search(database, query, { sessions: ready, nowMs: Date.parse("2026-12-01T00:00:00.000Z") }),
    );
    if (used.state !== "ready") throw new Error(`the index is ${used.state}`);
    const ids = used.value.results.map(({ session }) => session.sessionId);
    ranks.push(ids.findIndex((id) => right.some((start) => id.startsWith(start))));
  }
  const share = (limit: number): number => ranks.filter((at) => at >= 0 && at < limit).length / ranks.length;
  expect(QUESTIONS.length).toBeGreaterThanOrEqual(60);
  expect(share(1), `hit@1 of ${QUESTIONS.length}`).toBeGreaterThanOrEqual(0.85);
  expect(share(5), `hit@5 of ${QUESTIONS.length}`).toBeGreaterThanOrEqual(0.9);
});
