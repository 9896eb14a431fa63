/** The places that an answer cites in the panel. */

import type { LiveAnswer, LiveSession, Note } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { toShownAnswer } from "./answers.ts";
import { newView, type ShownEvidence } from "./view.ts";

const heard = (id: string, mediaTimeMs: number, videoId: string | null = null): ShownEvidence =>
  ({ id, mediaTimeMs, text: `words of ${id}`, videoId }) as ShownEvidence;
const note = (noteId: string, startMs: number, evidence: readonly string[], videoId?: string): Note =>
  ({ noteId, startMs, text: `note ${noteId}`, evidence, ...(videoId && { videoId }) }) as Note;

const VIEW = {
  ...newView({ key: "k", title: "T", videoId: "v" }),
  notes: [note("n1", 60_000, ["a", "b"]), note("n2", 90_000, [], "other"), note("n3", 30_000, ["gone"])],
  evidence: [
    heard("a", 60_500),
    heard("b", 70_000),
    heard("c", 10_000),
    heard("d", 12_000),
    heard("e", 5_000, "other"),
  ],
  session: { videoId: "v", budget: "normal" } as LiveSession,
};
const answer = (part: Partial<LiveAnswer>): LiveAnswer => {
  return { text: "Yes.", by: "model", evidence: [], noteIds: [], ...part };
};

test("an answer cites its notes instead of their evidence, and other evidence if it is at another place", () => {
  const given = answer({ evidence: ["a", "b", "c", "d", "unknown"], noteIds: ["n1", "n3"] });
  expect(toShownAnswer(given, VIEW)).toEqual({
    text: "Yes.",
    by: "model",
    citations: [
      { id: "c", startMs: 10_000, text: "words of c" },
      { id: "n3", startMs: 30_000, text: "note n3" },
      { id: "n1", startMs: 60_000, text: "note n1" },
    ],
    isSpent: false,
  });
});

test("an answer cites nothing from another video, because the tab cannot seek to it", () => {
  const given = answer({ evidence: ["e", "c"], noteIds: ["n2"] });
  expect(toShownAnswer(given, VIEW).citations.map(({ id }) => id)).toEqual(["c"]);
  // The tab of the other video has joined the session. It gets only the passages of its own video.
  const other = toShownAnswer(given, { ...VIEW, videoId: "other" });
  expect(other.citations.map(({ id }) => id)).toEqual(["e", "n2"]);
});

test("an answer says that the budget is spent", () => {
  const session = { ...VIEW.session, budget: "spent" } as LiveSession;
  expect(toShownAnswer(answer({ by: "quote" }), { ...VIEW, session })).toMatchObject({
    by: "quote",
    isSpent: true,
    citations: [],
  });
});
