import fc from "fast-check";
import { expect, test } from "vitest";
import { cosineOf, type Draft, overlapOf } from "../kit/index.ts";
import { contentAfter, type NoteContent, noteEventsOf, noteHash } from "../notes/index.ts";
import { type ComparedDraft, type ComparedNote, decideDrafts } from "./decide.ts";

const THRESHOLD = 0.8;

function ids(): () => string {
  let n = 0;
  return () => `new ${++n}`;
}

function rule(mayAsk = true) {
  return {
    threshold: THRESHOLD,
    overlap: 0.5,
    confidence: 0.6,
    newId: ids(),
    mayAsk: () => mayAsk,
    mayWrite: () => true,
  };
}

function draft(more: Partial<Draft> = {}): Draft {
  return {
    draftId: "d",
    text: "words",
    startMs: 0,
    endMs: 1_000,
    confidence: 0.9,
    evidence: ["e9"],
    ...more,
  };
}

function note(
  noteId: string,
  more: Partial<ComparedNote> & { readonly content?: Partial<NoteContent> } = {},
): ComparedNote {
  const { content, ...compared } = more;
  const span = { startMs: 0, endMs: 1_000 };
  const base = {
    noteId,
    text: noteId,
    ...span,
    confidence: 0.8,
    evidence: [noteId],
    status: "written",
    lineage: [],
  };
  const whole = { ...base, ...content } as NoteContent;
  return { note: whole, hash: noteHash(whole), vector: [1, 0], by: "agent", revisions: 0, ...compared };
}

function decideOne(one: Draft, notes: readonly ComparedNote[], mayAsk = true) {
  const [decided] = decideDrafts([{ draft: one, vector: [1, 0] }], notes, rule(mayAsk));
  if (decided === undefined) throw new Error("no decision");
  return decided;
}

test("a draft is a new note if no note at its place has its words, updates one such note, and merges several", () => {
  const elsewhere = note("a", { content: { startMs: 501, endMs: 2_000 } });
  const otherWords = note("b", { vector: [0.79, Math.sqrt(1 - 0.79 ** 2)] });
  const same = note("c", { vector: [0.8, 0.6], content: { startMs: 500, endMs: 9_000 } });
  const again = note("d");
  expect(decideOne(draft(), []).decision).toEqual({ draftId: "d", action: "write", noteId: "new 1" });
  expect(decideOne(draft(), [elsewhere, otherWords]).decision.action).toBe("write");
  expect(decideOne(draft(), [elsewhere, otherWords, same]).decision).toEqual({
    draftId: "d",
    action: "update",
    noteId: "c",
    hashes: [same.hash],
    overlap: 0.5,
    cosine: 0.8,
  });
  const merged = decideOne(draft(), [same, again]);
  expect(merged.decision).toMatchObject({
    action: "merge",
    noteId: "new 1",
    sources: ["c", "d"],
    hashes: [same.hash, again.hash],
  });
});

test("a draft that has the whole text of a note of the agent continues that note, however much it adds, and never a note of a person", () => {
  const text = "The bridge opened in July 1940.";
  const longer = `${text} It fell in November, in a wind of sixty kilometres. A dog called Tubby died in it.`;
  // Texts with vectors that are not similar.
  const decide = (part: Partial<ComparedNote>): string =>
    decideOne(draft({ text: longer }), [note("n", { content: { text }, vector: [0, 1], ...part })]).decision
      .action;
  expect(decide({})).toBe("update");
  expect(decide({ by: "person" })).toBe("write");
  // A note that was revised too often stays, and what the draft adds is not lost.
  expect(decide({ revisions: 3 })).toBe("write");
});

test("an update has both hashes and both spans, and a merge archives its sources and names them as its lineage", () => {
  const old = note("a", { content: { startMs: 200, endMs: 1_500, lineage: ["z"] } });
  const update = decideOne(draft(), [old]);
  const [updated] = noteEventsOf(update.decision, { ...update, decisionId: "x" });
  expect(updated).toMatchObject({
    type: "note_updated",
    data: {
      noteId: "a",
      content: "words",
      mediaTimeMs: 0,
      endMs: 1_500,
      evidence: ["a", "e9"],
      lineage: ["z"],
      previousHash: old.hash,
      decisionId: "x",
    },
  });
  expect(updated?.data).not.toMatchObject({ hash: old.hash });
  const merge = decideOne(draft(), [old, note("b")]);
  const events = noteEventsOf(merge.decision, { ...merge, decisionId: "x" });
  expect(events.map(({ type }) => type)).toEqual(["note_merged", "note_archived", "note_archived"]);
  expect(events[0]?.data).toMatchObject({
    sources: ["a", "b"],
    lineage: ["a", "b"],
    evidence: ["a", "b", "e9"],
  });
  expect(events[1]?.data).toEqual({ noteId: "a", mergedInto: "new 1", decisionId: "x" });
});

test("a note of a person stays as it is, and so does a note that was revised 3 times in an hour", () => {
  expect(decideOne(draft(), [note("a", { by: "person" })]).decision).toMatchObject({
    action: "keep",
    noteId: "a",
  });
  expect(decideOne(draft(), [note("a", { revisions: 3 })]).decision).toMatchObject({
    action: "keep",
    noteId: "a",
  });
  expect(decideOne(draft(), [note("a", { revisions: 2 })]).decision.action).toBe("update");
  const both = [note("a", { by: "person" }), note("b")];
  expect(decideOne(draft(), both).decision).toMatchObject({ action: "update", noteId: "b" });
});

test("below a confidence of 0.6 a person is asked; if nobody may be asked, the draft becomes an unsure note, which changes no other", () => {
  const unsure = draft({ confidence: 0.59 });
  expect(decideOne(unsure, []).decision).toEqual({ draftId: "d", action: "ask", requestId: "new 1" });
  expect(decideOne(draft({ confidence: 0.6 }), []).decision.action).toBe("write");
  const written = decideOne(unsure, [], false);
  expect(contentAfter(written.decision, unsure, written.bases)?.status).toBe("unsure");
  expect(decideOne(unsure, [note("a")], false).decision).toMatchObject({ action: "keep", noteId: "a" });
});

test("a draft is compared with the results of the drafts before it in the same batch", () => {
  const drafts = ["one", "two"].map(
    (draftId): ComparedDraft => ({ draft: draft({ draftId }), vector: [1, 0] }),
  );
  const decided = decideDrafts(drafts, [], rule());
  expect(decided.map(({ decision }) => decision.action)).toEqual(["write", "update"]);
  expect(decided[1]?.decision.noteId).toBe(decided[0]?.decision.noteId);
});

const span = fc
  .tuple(fc.nat(5_000), fc.nat(5_000))
  .map(([startMs, lengthMs]) => ({ startMs, endMs: startMs + lengthMs }));
const vector = fc.constantFrom([1, 0], [0.9, 0.44], [0.6, 0.8], [0, 1]);
const anyDraft = fc
  .tuple(span, vector, fc.constantFrom(0.2, 0.59, 0.6, 0.95))
  .map(([at, direction, confidence]) => ({ draft: draft({ ...at, confidence }), vector: direction }));
const anyNote = fc
  .tuple(span, vector, fc.constantFrom("agent" as const, "person" as const), fc.nat(4))
  .map(([at, direction, by, revisions]) => ({ at, vector: direction, by, revisions }));

test("whatever the drafts and notes are, only notes that the agent may change are changed, each with its own hash, and only by the rule", () => {
  fc.assert(
    fc.property(
      fc.array(anyDraft, { maxLength: 6 }),
      fc.array(anyNote, { maxLength: 6 }),
      fc.boolean(),
      (some, given, mayAsk) => {
        const notes = given.map(({ at, ...more }, n) => note(`n${n}`, { ...more, content: at }));
        const drafts = some.map((one, n) => ({ ...one, draft: { ...one.draft, draftId: `d${n}` } }));
        const decided = decideDrafts(drafts, notes, rule(mayAsk));
        const live = new Map(notes.map((one) => [one.note.noteId, one]));
        expect(decided.map(({ decision }) => decision.draftId)).toEqual(
          drafts.map((one) => one.draft.draftId),
        );
        for (const [n, { decision, draft: one, bases }] of decided.entries()) {
          const direction = drafts[n]?.vector ?? [];
          const same = [...live.values()].filter(
            (known) => overlapOf(one, known.note) >= 0.5 && cosineOf(direction, known.vector) >= THRESHOLD,
          );
          const free = same.filter(({ by, revisions }) => by === "agent" && revisions < 3);
          expect(bases.every(({ noteId }) => free.some((known) => known.note.noteId === noteId))).toBe(true);
          if (decision.action === "write") expect(same).toEqual([]);
          if (decision.action === "update") expect(free).toHaveLength(1);
          if (decision.action === "merge") expect(free.length).toBeGreaterThan(1);
          if (decision.action === "update" || decision.action === "merge") {
            expect(one.confidence).toBeGreaterThanOrEqual(0.6);
            expect(decision.hashes).toEqual(free.map(({ hash }) => hash));
          }
          if (decision.action === "ask") expect(mayAsk && one.confidence < 0.6).toBe(true);
          const content = contentAfter(decision, one, bases);
          if (content === null) continue;
          const revisions = Math.max(0, ...bases.map(({ noteId }) => (live.get(noteId)?.revisions ?? 0) + 1));
          for (const { noteId } of bases) live.delete(noteId);
          live.set(content.noteId, {
            note: content,
            hash: noteHash(content),
            vector: direction,
            by: "agent",
            revisions,
          });
        }
        for (const one of notes.filter(({ by }) => by === "person"))
          expect(live.get(one.note.noteId)).toBe(one);
      },
    ),
  );
});

test("a note at the same time of another video counts as a note at another place, whatever it says", () => {
  const other = note("a", { content: { videoId: "other" } });
  expect(decideOne(draft({ videoId: "own" }), [other]).decision.action).toBe("write");
  expect(decideOne(draft(), [other]).decision.action).toBe("write");
  expect(decideOne(draft({ videoId: "other" }), [other]).decision.action).toBe("update");
});
