/** Times and sentences of the side panel. */

import type { LiveSession } from "@continuo/core/wire";
import { expect, test } from "vitest";
import { changesNotes, foldFrame, newView } from "../sending/view.ts";
import { clock, costOf, leftOutOf, splitNote, statusOf, writerOf } from "./format.ts";

const VIEW = newView({ key: "k", title: "T", videoId: "v" });

test.each([
  [0, "0:00"],
  [61_999, "1:01"],
  [3_723_000, "1:02:03"],
  [-5, "0:00"],
])("%d ms is %s", (ms, text) => {
  expect(clock(ms)).toBe(text);
});

test("the line about dropped frames counts one and several", () => {
  expect([1, 2].map(leftOutOf)).toEqual([
    "1 frame was left out to make room",
    "2 frames were left out to make room",
  ]);
});

test("a note is split at a place of its text, and its time with it", () => {
  const note = { text: "The ship leaves. The hill is green.", startMs: 0, endMs: 3_500 };
  expect(splitNote(note, 16)).toEqual([
    { text: "The ship leaves.", startMs: 0, endMs: 1_600 },
    { text: "The hill is green.", startMs: 1_600, endMs: 3_500 },
  ]);
  expect([splitNote(note, 0), splitNote(note, 99)]).toEqual([null, null]);
});

test("the panel says why evidence waits", () => {
  const open = { connection: "open", level: "normal", isDegraded: false } as const;
  const said = (part: object): string =>
    statusOf({ ...VIEW, standing: open, isPlaying: true, nowMs: 100_000, ...part }).text;
  expect(said({ storedAtMs: 71_000 })).toBe("Recording");
  expect(said({ storedAtMs: 69_000 })).toBe("The video plays, but nothing was recorded for a while");
  expect(said({})).toBe("The video plays, but nothing is recorded yet");
  expect(said({ isPlaying: false })).toBe("Connected, the video is paused");
  expect(said({ standing: { ...open, connection: "offline" }, waiting: 1 })).toBe(
    "Offline; 1 item waits here",
  );
  expect(said({ standing: { ...open, level: "critical" }, waiting: 3 })).toContain("3 items wait here");
  expect(said({ standing: { ...open, isDegraded: true } })).toContain("Read-only");
});

const TIMES = { createdAt: "2026-11-27T10:00:00.000Z", lastActivityAt: "2026-11-27T10:04:00.000Z" };

test("the price of an hour is computed from the session so far, after five minutes", () => {
  const cost = { modelCalls: 9, costUsd: 0.42, inputTokens: 1_000, outputTokens: 200 };
  const session = {
    ...TIMES,
    cost,
    budget: "normal",
    lastActivityAt: "2026-11-27T10:30:00.000Z",
  } as LiveSession;
  expect(costOf({ session })).toBe("$0.42, 1,200 tokens, $0.84 an hour");
});

test("the panel names the note writer, or says that there is none, and waits until the server has named it", () => {
  const named = (noteWriter?: string): string | null | undefined =>
    writerOf({ session: { noteWriter } as LiveSession });
  expect([named("qwen3:8b"), named("extractive"), named()]).toEqual(["qwen3:8b", null, undefined]);
});

test.each([
  ["normal", "$0.42, 1,200 tokens"],
  ["warning", "$0.42, 1,200 tokens, 80 % of the budget"],
  ["spent", "$0.42, 1,200 tokens, budget spent"],
] as const)("a budget that is %s is shown after the cost", (budget, text) => {
  const cost = { modelCalls: 3, costUsd: 0.42, inputTokens: 1_000, outputTokens: 200 };
  expect(costOf({ session: { ...TIMES, cost, budget } as LiveSession })).toBe(text);
  expect(costOf({ session: { ...TIMES, cost: { ...cost, modelCalls: 0 }, budget } as LiveSession })).toBe("");
});

test("a writer that was not used yet has no known price", () => {
  const cost = { modelCalls: 0, costUsd: 0, inputTokens: 0, outputTokens: 0 };
  const of = (noteWriter: string): string =>
    costOf({ session: { ...TIMES, cost, budget: "normal", noteWriter } as LiveSession });
  expect(of("claude")).toBe("the price is not known before the first note");
  expect(of("extractive")).toBe("");
});

test("a model of this machine is free, before its first note and after it", () => {
  const of = (more: Partial<LiveSession["cost"]>): string => {
    const cost = { modelCalls: 0, costUsd: 0, inputTokens: 0, outputTokens: 0, ...more };
    const written = { cost, noteWriter: "Ollama: qwen3:8b", isWriterFree: true };
    return costOf({ session: { ...TIMES, budget: "normal", ...written } as LiveSession });
  };
  expect(of({})).toBe("free, on this machine");
  expect(of({ modelCalls: 3, inputTokens: 1_000 })).toBe("free, on this machine");
  // An agent wrote the notes before this model did.
  expect(of({ modelCalls: 3, costUsd: 0.42, inputTokens: 1_200 })).toBe("$0.42, 1,200 tokens");
});

test("a degraded session is read-only until the server reports another state", () => {
  const degraded = foldFrame(VIEW, { type: "degraded", reason: "a hash differs" });
  expect(degraded).toMatchObject({ degraded: "a hash differs", standing: { isDegraded: true } });
  const level = { type: "backpressure", level: "normal", depth: 0, restarts: 0 } as const;
  expect(foldFrame(degraded, { ...level, state: "degraded" })).toMatchObject({ degraded: "a hash differs" });
  expect(foldFrame(degraded, { ...level, state: "active" })).toMatchObject({
    degraded: null,
    standing: { isDegraded: false },
  });
});

test("speech of the film and of the person is counted separately, and a remark does not count as speech", () => {
  const heard = (type: string, data: object, sequence: number): Parameters<typeof foldFrame>[1] => {
    const event = { id: `e${sequence}`, type, sequence, recordedAt: "2026-11-27T10:00:00.000Z", data };
    return { type: "event", event } as Parameters<typeof foldFrame>[1];
  };
  const spoken = (speaker?: string): object => ({
    text: "words",
    mediaTimeMs: 0,
    ...(speaker && { speaker }),
  });
  const view = [
    heard("transcript_added", spoken(), 1),
    heard("transcript_added", spoken("film"), 2),
    heard("transcript_added", spoken("viewer"), 3),
    heard("remark_added", spoken("viewer"), 4),
  ].reduce(foldFrame, VIEW);
  expect(view.evidence).toHaveLength(4);
  const at = [Date.parse("2026-11-27T10:00:00.000Z")];
  expect([view.filmTimes, view.viewerTimes]).toEqual([at, at]);
});

test("a question is shown only once, and a new session begins without the evidence of the old one", () => {
  const request = { type: "context_request", requestId: "r", draftId: "d", question: "Which ship?" } as const;
  const asked = foldFrame(foldFrame(VIEW, request), request);
  expect(asked.requests).toEqual([{ requestId: "r", question: "Which ship?" }]);
  const hello = { type: "hello", sessionId: "s2", state: "active", latestSequence: 0 } as const;
  expect(foldFrame(asked, hello)).toMatchObject({ sessionId: "s2", requests: [], evidence: [] });
  expect([changesNotes(request), changesNotes({ type: "ready", sequence: 1 })]).toEqual([false, true]);
});
