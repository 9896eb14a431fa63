import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LIMITS } from "../kit/index.ts";
import {
  afterBatch,
  afterMessage,
  type BatchWindow,
  EMPTY_WINDOW,
  isDue,
  type WindowInput,
} from "./batch-window.ts";

function transcript(atMs: number, text = "", lang = "en"): WindowInput {
  return { atMs, kind: "transcript", text, lang };
}

function windowAfter(messages: readonly WindowInput[]): BatchWindow {
  return messages.reduce((window, message) => afterMessage(window, message), EMPTY_WINDOW);
}

/** Returns the time from the newest message to the end of the window. */
function lengthAfter(...messages: readonly WindowInput[]): number {
  const { closesAtMs, lastAtMs } = windowAfter(messages);
  return (closesAtMs ?? 0) - (lastAtMs ?? 0);
}

describe("the length of the window", () => {
  test("is 4 s for the first message ever", () => {
    expect(lengthAfter(transcript(100_000))).toBe(4_000);
  });

  test("is 2 s when more than 10 s passed since the last message, and not at 10 s", () => {
    const first = windowAfter([transcript(0)]);
    const rest = afterBatch(first, []);
    expect(afterMessage(rest, transcript(10_001)).closesAtMs).toBe(12_001);
    expect(afterMessage(rest, transcript(10_000)).closesAtMs).toBe(14_000);
  });

  test("is 6 s from the fourth message within 5 s on, frames included", () => {
    const frames: WindowInput[] = [0, 100, 200].map((atMs) => ({ atMs, kind: "frame" }));
    expect(lengthAfter(...frames)).toBe(4_000);
    expect(lengthAfter(...frames, transcript(300))).toBe(6_000);
    expect(lengthAfter(...frames, transcript(5_100))).toBe(4_000);
  });

  test("is 6 s on one topic: a content word three times in the newest four pending transcripts", () => {
    const said = ["the harbour is old", "a harbour of stone", "look", "the harbour again"];
    const messages = said.map((text, n) => transcript(n * 3_000, text));
    expect(afterMessage(windowAfter(messages.slice(0, 3)), messages[3] as WindowInput).closesAtMs).toBe(
      12_000,
    );
    const { topics } = windowAfter(messages);
    expect(afterMessage({ ...EMPTY_WINDOW, lastAtMs: 0, topics }, transcript(3_000)).closesAtMs).toBe(7_000);
    expect(
      afterMessage({ ...EMPTY_WINDOW, lastAtMs: 0, topics }, transcript(3_000, "harbour")).closesAtMs,
    ).toBe(9_000);
  });

  test("takes function words for content where no language is given", () => {
    const said = ["the sun", "the moon", "the sea"];
    const inEnglish = said.map((text, n) => transcript(n * 2_600, text));
    const unknown = inEnglish.map((message): WindowInput => ({ ...message, lang: "und" }));
    expect(lengthAfter(...inEnglish)).toBe(4_000);
    expect(lengthAfter(...unknown)).toBe(6_000);
  });

  test("never exceeds 12 s from the oldest pending transcript, remark or note event", () => {
    const messages = [0, 3, 6, 9, 11].map((second) => transcript(second * 1_000));
    expect(windowAfter(messages).closesAtMs).toBe(12_000);
  });
});

test("a window that has only frames begins no batch, and a transcript after it waits for its own window", () => {
  const frames = windowAfter([{ atMs: 0, kind: "frame" }]);
  expect(isDue(frames, 60_000)).toBe(false);
  const both = afterMessage(frames, transcript(60_000));
  expect(isDue(both, 60_000)).toBe(false);
  expect(isDue(both, 62_000)).toBe(true);
});

test("messages that a batch leaves wait for a window that is stretched like every other window", () => {
  const messages = [transcript(0), transcript(1_000)];
  const window = windowAfter(messages);
  const closing = (left: readonly WindowInput[], stretch?: number): number | null =>
    afterBatch(window, left, stretch === undefined ? {} : { stretch }).closesAtMs;
  expect([closing(messages), closing(messages, 2), closing([], 2)]).toEqual([5_000, 9_000, null]);
  // The oldest message never waits longer than the longest wait, which is stretched too.
  const late = afterBatch({ ...window, lastAtMs: 30_000 }, messages, { stretch: 2 });
  expect(late.closesAtMs).toBe(24_000);
});

test("words after a pause of the speaker close the window within 2 s, however many words follow", () => {
  const said = (atMs: number, startMs: number, text = "harbour"): WindowInput => ({
    ...transcript(atMs, text),
    startMs,
    endMs: startMs,
  });
  const speech = [0, 500, 1_000].map((atMs) => said(atMs, atMs));
  expect(windowAfter([...speech, said(2_600, 2_600)]).closesAtMs).toBe(8_600);
  const paused = [...speech, said(2_700, 2_700), said(3_200, 3_200), said(3_700, 3_700)];
  expect(windowAfter(paused).closesAtMs).toBe(4_700);
  // The next window is as long as usual, and the page's clock does not count: captions can come late.
  expect(afterMessage(afterBatch(windowAfter(paused), []), said(4_800, 4_200)).closesAtMs).toBe(10_800);
  expect(windowAfter([...speech, said(9_000, 1_500)]).closesAtMs).toBe(12_000);
});

test("where a model writes notes, a pause soon after a batch closes no window, because a few words are not worth a call", () => {
  const said = (atMs: number): WindowInput => ({ ...transcript(atMs), startMs: atMs, endMs: atMs + 500 });
  const closesAt = (writer: "model" | "free", ...times: readonly number[]): number | null =>
    times.reduce(
      (window, atMs) => afterMessage(window, said(atMs), { mode: "adaptive", writer }),
      EMPTY_WINDOW,
    ).closesAtMs;
  expect(closesAt("free", 0, 3_000)).toBe(5_000);
  expect(closesAt("model", 0, 3_000)).toBe(7_000);
  expect(closesAt("model", 0, 3_000, LIMITS.pauseEndsAfterMs)).toBe(LIMITS.pauseEndsAfterMs + 2_000);
});

test("with adaptive batching off, every window is 4 s", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20_000), { minLength: 1, maxLength: 20 }), (pauses) => {
      let window = EMPTY_WINDOW;
      let atMs = 0;
      for (const pause of pauses) {
        atMs += pause;
        window = afterMessage(afterBatch(window, []), transcript(atMs), { mode: "fixed" });
        expect(window.closesAtMs).toBe(atMs + 4_000);
      }
    }),
  );
});

test("under a fake clock, no transcript waits over 12 s, and a window in quiet is 2 to 6 s", () => {
  const step = fc.record({
    pauseMs: fc.oneof(fc.nat(800), fc.nat(7_000), fc.nat(40_000)),
    kind: fc.constantFrom<WindowInput["kind"]>("transcript", "remark", "note", "frame"),
    text: fc.constantFrom("a boat", "the boat and a boat", "nothing"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      let window = EMPTY_WINDOW;
      let pending: WindowInput[] = [];
      let nowMs = 0;
      const runUntil = (untilMs: number): void => {
        while (window.closesAtMs !== null && window.oldestAtMs !== null && window.closesAtMs <= untilMs) {
          const atMs = window.closesAtMs;
          expect(isDue(window, atMs)).toBe(true);
          expect(isDue(window, atMs - 1)).toBe(false);
          const waited = pending.filter(({ kind }) => kind !== "frame").map((one) => atMs - one.atMs);
          expect(Math.max(...waited)).toBeLessThanOrEqual(12_000);
          const newest = Math.max(...pending.map((one) => one.atMs));
          if (Math.max(...waited) < 12_000) {
            expect(atMs - newest).toBeGreaterThanOrEqual(2_000);
            expect(atMs - newest).toBeLessThanOrEqual(6_000);
          }
          pending = [];
          window = afterBatch(window, pending);
        }
      };
      for (const { pauseMs, kind, text } of steps) {
        runUntil(nowMs + pauseMs);
        nowMs += pauseMs;
        const message: WindowInput = { atMs: nowMs, kind, text, lang: "en" };
        pending.push(message);
        window = afterMessage(window, message);
      }
      runUntil(nowMs + 12_000);
      expect(pending.filter(({ kind }) => kind !== "frame")).toEqual([]);
    }),
  );
});
