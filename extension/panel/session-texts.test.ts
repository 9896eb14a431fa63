/** The search through earlier sessions: each session is read only if necessary, and the kept texts are bounded. */

import { expect, test } from "vitest";
import { LIMITS } from "../limits.ts";
import type { SessionText } from "./exports.ts";
import type { Match } from "./session-search.ts";
import { SessionTexts } from "./session-texts.ts";

const CLOSED = "2026-11-26T10:00:00.000Z";

/** Sessions whose words and failures the test sets, and the ids that were read. */
function searched(words: Record<string, string>, closedAt: string | null = CLOSED) {
  const reads: string[] = [];
  const failing = new Set<string>();
  const clock = { nowMs: 0 };
  const texts = new SessionTexts(
    async ({ sessionId }: { sessionId: string; title: string; videoId: string; closedAt: string | null }) => {
      reads.push(sessionId);
      if (failing.has(sessionId)) throw new Error("away");
      const spoken = [{ id: "e", startMs: 0, endMs: 1, text: words[sessionId] ?? "", speaker: "" }];
      return { title: `Title ${sessionId}`, notes: [], spoken, pictured: [] } satisfies SessionText;
    },
    { now: () => clock.nowMs, room: 100 },
  );
  const search = async (query: string) => {
    let last: { found: ReadonlyMap<string, readonly Match[]>; waiting: number } | null = null;
    const waited: number[] = [];
    const sessions = Object.keys(words).map((sessionId) => {
      return { sessionId, title: `Title ${sessionId}`, videoId: "v", closedAt };
    });
    await texts.search(sessions, {
      query,
      signal: new AbortController().signal,
      onProgress: (found, waiting) => {
        last = { found, waiting };
        waited.push(waiting);
      },
    });
    const { found } = last ?? { found: new Map() };
    return { ids: [...found.keys()], waited };
  };
  return { search, reads, failing, clock, words };
}

test("each closed session is read once, and every search counts the sessions that it must still read", async () => {
  const { search, reads } = searched({ a: "ships leave", b: "bees" });
  expect(await search("ships")).toEqual({ ids: ["a"], waited: [2, 1, 0] });
  expect(await search("bees")).toEqual({ ids: ["b"], waited: [0] });
  expect(reads).toEqual(["a", "b"]);
});

test("a later search finds new sentences of a session that is recorded", async () => {
  const { search, words, clock } = searched({ a: "ships leave" }, null);
  expect((await search("gulls")).ids).toEqual([]);
  words.a = "ships leave, gulls stay";
  clock.nowMs += LIMITS.searchedAgainMs + 1;
  expect((await search("gulls")).ids).toEqual(["a"]);
});

test("a session that could not be read is found by its title, and read again by the next search", async () => {
  const { search, failing } = searched({ a: "ships leave" });
  failing.add("a");
  expect((await search("title a")).ids).toEqual(["a"]);
  expect((await search("ships")).ids).toEqual([]);
  failing.clear();
  expect((await search("ships")).ids).toEqual(["a"]);
});

test("long transcripts for which there is no room are searched, but not kept", async () => {
  const long = "ships ".repeat(12);
  const { search, reads } = searched({ a: long, b: "ships and more ships", c: long });
  expect((await search("ships")).ids).toEqual(["a", "b", "c"]);
  expect((await search("ships")).ids.toSorted()).toEqual(["a", "b", "c"]);
  expect(reads.filter((id) => id === "a")).toHaveLength(1);
  expect(reads.filter((id) => id === "c")).toHaveLength(2);
});

test("a cancelled search reports nothing more", async () => {
  const gate = Promise.withResolvers<SessionText>();
  const texts = new SessionTexts(() => gate.promise);
  const given = new AbortController();
  const progress: number[] = [];
  const search = texts.search([{ sessionId: "a", title: "A", videoId: "v", closedAt: CLOSED }], {
    query: "a",
    signal: given.signal,
    onProgress: (_found, waiting) => progress.push(waiting),
  });
  given.abort();
  gate.resolve({ title: "A", notes: [], spoken: [], pictured: [] });
  await search;
  expect(progress).toEqual([1]);
});
