/** Drafts in the replies of an agent: their ids, their places, and what is left out. */

import type { StoredEvent } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { Draft, EvidenceItem, NoteRequest } from "../kit/index.ts";
import { notesPrompt, parseDrafts } from "./writer-prompt.ts";

function item(sequence: number, text: string, startMs: number): EvidenceItem {
  return {
    id: `event ${sequence}`,
    sequence,
    type: "transcript_added",
    text,
    startMs,
    endMs: startMs + 1_000,
    event: { data: {} } as StoredEvent,
  } as EvidenceItem;
}

function requestOf(given: Partial<NoteRequest>): NoteRequest {
  return {
    sessionId: "s",
    batchId: "b",
    videoId: "v",
    title: null,
    evidence: [item(1, "The lamp is lit.", 5_000)],
    notes: [],
    inherited: [],
    memory: null,
    unsure: [],
    answered: [],
    isEnd: false,
    idsOf: async () => [],
    context: async function* () {
      // No other evidence.
    },
    ...given,
  };
}

const UNSURE: Draft = {
  draftId: "b/2",
  text: "He did it",
  startMs: 40_000,
  endMs: 41_000,
  confidence: 0.4,
  evidence: ["event 9"],
};

function parse(drafts: readonly unknown[], given: Partial<NoteRequest> = {}): readonly Draft[] {
  const request = requestOf(given);
  return parseDrafts(JSON.stringify({ drafts }), request, notesPrompt(request, []).named).drafts;
}

test("a second answer replaces only the unsure drafts that it names, each once, and its other drafts have new ids", () => {
  const unsure = [{ draft: UNSURE, evidence: [item(7, "Ada did it.", 38_000)] }];
  const again = ["b/2", "b/2", "", "b/1", "invented", undefined].map((replaces) => ({ text: "x", replaces }));
  expect(parse(again, { unsure }).map(({ draftId }) => draftId)).toEqual([
    "b/2",
    ...["b/again/2", "b/again/3", "b/again/4", "b/again/5", "b/again/6"],
  ]);
  expect(parse([{ text: "x", replaces: "b/2" }])[0]?.draftId).toBe("b/1");
});

test("a draft that is written again without evidence keeps its earlier place and evidence", () => {
  const unsure = [{ draft: UNSURE, evidence: [item(7, "Ada did it.", 38_000)] }];
  expect(parse([{ text: "Ada did it", replaces: "b/2", confidence: 0.9 }], { unsure })).toEqual([
    { ...UNSURE, text: "Ada did it", confidence: 0.9 },
  ]);
});

test("a draft on a batch of sounds has the place and the ids of the sounds", () => {
  const evidence = [item(1, "[applause]", 5_000), item(2, "[music]", 8_000)];
  expect(parse([{ text: "The room applauds" }], { evidence })).toMatchObject([
    { startMs: 5_000, endMs: 9_000, evidence: ["event 1", "event 2"] },
  ]);
});

test("without evidence, a draft has its own times, and is left out if it has none", () => {
  expect(parse([{ text: "Ada left", startMs: 3_000 }, { text: "Nowhere" }], { evidence: [] })).toMatchObject([
    { text: "Ada left", startMs: 3_000, endMs: 3_000, evidence: [] },
  ]);
});

test("a draft without a text is left out, and the others are kept", () => {
  const drafts = [{ text: " " }, null, { text: "The lamp is lit" }];
  expect(parse(drafts).map(({ text }) => text)).toEqual(["The lamp is lit"]);
  expect(() => parse([{ text: "" }])).toThrow("no draft has a text");
});

test("the prompt names the confidence below which the person is asked", () => {
  expect(notesPrompt(requestOf({}), []).text).toContain("Below 0.6 the person is asked");
  expect(notesPrompt(requestOf({ unsureBelow: 0.85 }), []).text).toContain("Below 0.85 the person is asked");
});
