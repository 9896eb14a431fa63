import { Worker } from "node:worker_threads";
import { ContinuoError } from "@continuo/core/model";
import { afterEach, expect, test, vi } from "vitest";
import type { QuestionCall } from "./reader-thread.ts";
import { startReaderThread, toPlain } from "./reader-thread.ts";

afterEach(() => void vi.restoreAllMocks());

const ASKED = {
  question: "facts",
  args: null,
  session: { key: "x", row: {}, view: "history", places: { home: "/", cwd: "/", env: {} }, prices: {} },
} as unknown as QuestionCall<"facts">;

test("when the thread ends, waiting callers receive an error, and its owner is notified so that it can start another one", async () => {
  const unref = vi.spyOn(Worker.prototype, "unref");
  vi.spyOn(Worker.prototype, "postMessage").mockReturnValue(undefined);
  const ended = vi.fn();
  const thread = startReaderThread(ended);
  const answer = thread.ask(ASKED, new AbortController().signal);
  const [worker] = unref.mock.contexts as Worker[];
  const refused = expect(answer).rejects.toMatchObject({ code: "unavailable" });
  await worker?.terminate();
  await refused;
  expect(ended).toHaveBeenCalledTimes(1);
});

test("an error that crosses threads keeps its code, its hint and its details", () => {
  const error = new ContinuoError("not_found", "gone", { hint: "List them.", details: { key: "k" } });
  expect(toPlain(error)).toEqual({
    code: "not_found",
    message: "gone",
    hint: "List them.",
    details: { key: "k" },
  });
  expect(toPlain(new Error("a mistake"))).toEqual({ message: "a mistake" });
});

test("the owner of a thread is also notified once when it closes the thread, even if it closes it twice", async () => {
  const ended = vi.fn();
  const thread = startReaderThread(ended);
  await Promise.all([thread.close(), thread.close()]);
  await vi.waitFor(() => expect(ended).toHaveBeenCalled());
  await thread.close();
  expect(ended).toHaveBeenCalledTimes(1);
});
