import type { Turn } from "@continuo/native/index-file";
import { expect, test } from "vitest";
import type { IndexedSession } from "../../catalog/index.ts";
import { createByteFilter } from "../bytes/index.ts";
import { parseQuery, toBestMatch } from "../query/index.ts";
import { createBestMatcher } from "./best-matcher.ts";
import type { SessionMatcher } from "./session-matcher.ts";

const NOW = Date.parse("2026-05-15T12:00:00Z");
const SESSION: IndexedSession = {
  agent: "claude",
  sessionId: "4bf3",
  title: null,
  cwd: null,
  createdAt: null,
  updatedAt: null,
  gitBranch: null,
  sizeBytes: null,
  archived: false,
  live: null,
  location: "/sessions/4bf3.jsonl",
  parentId: null,
  trashId: null,
  nativeRefs: [],
};

function matcherOf(text: string, mask?: (text: string) => string): SessionMatcher {
  const query = parseQuery(text, { toTime: (time) => time });
  const best = toBestMatch(query, NOW);
  if (best === null) throw new Error("these are several words");
  const forms = best.terms.flatMap((term) => term.forms);
  const statistics = { turns: 1_000, withPhrase: forms.map(() => 10), meanWords: 20 };
  const filter = createByteFilter(query, best);
  const options = { query, best, filter, nowMs: NOW, statistics };
  return createBestMatcher(SESSION, mask === undefined ? options : { ...options, mask });
}

function turnOf(at: string, text: string): Turn {
  const passages = [{ voice: "person" as const, messageId: text, text }];
  return { messageId: text, at, passages, tools: [], files: [], errors: 0, cutChars: 0, messages: 1 };
}

/** Turns that repeat a word have greater sums, but do not answer the query. */
const OFTEN = [1, 2, 3].map((count) => turnOf("2026-03-01T12:00:00Z", "cache ".repeat(6 + count)));

test.each([
  ["cache keys", turnOf("2026-03-01T12:00:00Z", `the keys of a cache${" and more".repeat(100)}`)],
  ["what about the cache yesterday?", turnOf("2026-05-14T12:00:00Z", "the text of yesterday on a cache")],
])("the best turn for %j is shown with its text, also after turns that repeat one word", (text, wanted) => {
  const matcher = matcherOf(text);
  for (const turn of [...OFTEN, wanted]) matcher.add(turn);
  const result = matcher.result();
  expect(result?.turn.number).toBe(OFTEN.length + 1);
  const shown = result?.excerpt?.pieces.map((piece) => piece.text).join("") ?? "";
  expect(shown.slice(0, 15)).toBe(wanted.messageId.slice(0, 15));
});

test("quoted words are required, excluded words exclude a turn, and what may not be shown is masked", () => {
  const turnsFor = (query: string): readonly number[] => {
    const matcher = matcherOf(query);
    for (const text of ["cache keys of builds", "cache keys of tests"]) {
      matcher.add(turnOf("2026-03-01T12:00:00Z", text));
    }
    return (matcher.result()?.turns ?? []).map(({ number }) => number);
  };
  expect(turnsFor("cache keys")).toEqual([1, 2]);
  expect(turnsFor('cache keys "of tests"')).toEqual([2]);
  expect(turnsFor("cache keys -tests")).toEqual([1]);
  // The text has the quoted words, but a role that is not searched says them.
  const turn = turnOf("2026-03-01T12:00:00Z", "cache keys");
  const result = { voice: "result" as const, messageId: "r1", text: "of tests" };
  const ofPeople = matcherOf('cache keys "of tests" -role:tool');
  ofPeople.add({ ...turn, passages: [...turn.passages, result] });
  expect(ofPeople.result()).toBeNull();
  const matcher = matcherOf("cache keys", (text) => text.replace("s3cret", "***"));
  matcher.add(turnOf("2026-03-01T12:00:00Z", "cache keys s3cret"));
  expect(
    matcher
      .result()
      ?.excerpt?.pieces.map(({ text }) => text)
      .join(""),
  ).toBe("cache keys ***");
});
