/** The reader of text in pictures, with a stand-in for its worker: it is bounded, and a failure delays nothing. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LIMITS } from "../limits.ts";
import type { TextQuestion } from "./tesseract.ts";
import { type TextAnswer, type TextWorker, WorkerReader } from "./worker-reader.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A reader whose workers answer with the result of `answer` for the first byte; `null` for no answer. */
function readerOf(answer: (byte: number) => TextAnswer | null) {
  const workers: { readonly questions: number[]; isEnded: boolean }[] = [];
  const start = (): TextWorker<TextQuestion> => {
    const state = { questions: [] as number[], isEnded: false };
    workers.push(state);
    return {
      ask: ({ bytes }, answered) => {
        const byte = bytes[0] ?? 0;
        state.questions.push(byte);
        const data = answer(byte);
        if (data !== null) queueMicrotask(() => answered(data));
      },
      terminate: () => {
        state.isEnded = true;
      },
    };
  };
  const limits = { timeMs: LIMITS.readTextMs, idleMs: LIMITS.readTextIdleMs };
  const read = new WorkerReader({ start, failure: "the text in pictures cannot be read", ...limits });
  const reader = {
    read: (bytes: Uint8Array<ArrayBuffer>) => read.read({ bytes }),
    get failure() {
      return read.failure;
    },
  };
  return { reader, workers };
}

const picture = (byte: number): Uint8Array<ArrayBuffer> => Uint8Array.of(byte);

test("pictures are read one after another by one worker, which ends when no picture comes", async () => {
  const { reader, workers } = readerOf((byte) => ({ text: `text ${byte}` }));
  expect(await Promise.all([reader.read(picture(1)), reader.read(picture(2))])).toEqual(["text 1", "text 2"]);
  expect(workers).toEqual([{ questions: [1, 2], isEnded: false }]);
  await vi.advanceTimersByTimeAsync(LIMITS.readTextIdleMs);
  expect(workers[0]?.isEnded).toBe(true);
  expect(await reader.read(picture(3))).toBe("text 3");
  expect(workers).toHaveLength(2);
});

test("a picture that takes too long has no text, and the failure stays until another picture is read", async () => {
  const { reader, workers } = readerOf((byte) => (byte === 1 ? null : { text: "harbour" }));
  const slow = reader.read(picture(1));
  await vi.advanceTimersByTimeAsync(LIMITS.readTextMs);
  expect(await slow).toBe("");
  expect(workers[0]?.isEnded).toBe(true);
  expect(reader.failure?.hint).toContain("it took too long");
  // The next pictures do not wait for it.
  expect(await reader.read(picture(2))).toBe("");
  expect(workers).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(LIMITS.readTextPauseMs);
  expect(await reader.read(picture(2))).toBe("harbour");
  expect(reader.failure).toBeNull();
});

test("an error of the worker is a picture without text", async () => {
  const { reader } = readerOf(() => ({ error: "the data of the language is missing" }));
  expect(await reader.read(picture(1))).toBe("");
  expect(reader.failure).toEqual({
    message: "the text in pictures cannot be read",
    hint: expect.stringContaining("the data of the language is missing"),
  });
});
