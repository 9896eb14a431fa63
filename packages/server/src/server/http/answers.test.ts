import { PassThrough } from "node:stream";
import { ContinuoError } from "@continuo/core/model";
import { afterEach, expect, test, vi } from "vitest";
import { type Grant, LIMITS, type Reception, type ServerContext } from "../context/index.ts";
import { countedAnswer, jsonAnswer } from "./answers.ts";
import { received } from "./reception.ts";
import { createHintReport, failure, refuseSocket } from "./responses.ts";

afterEach(() => void vi.useRealTimers());

/** A token whose answers are counted, and a client that has read its answer when `read` is called. */
function counting() {
  let open = 0;
  let read = (): void => undefined;
  const answer = {
    resize: async () => undefined,
    [Symbol.dispose]: () => {
      open -= 1;
    },
  };
  const context = {
    quotas: {
      answer: async () => {
        open += 1;
        return answer;
      },
    },
  } as unknown as ServerContext;
  const peer = {
    whenAnswered: (then: () => void) => {
      read = then;
    },
  };
  return { context, grant: { peer } as unknown as Grant, open: () => open, read: () => read() };
}

test("an answer counts for its token until its client has read it, and one that could not be made does not count", async () => {
  const { context, grant, open, read } = counting();
  await countedAnswer({ context, grant }, 1_000, async () => jsonAnswer({ text: "words" }));
  expect(open()).toBe(1);
  read();
  expect(open()).toBe(0);
  const failing = countedAnswer({ context, grant }, 1_000, () => Promise.reject(new Error("it failed")));
  await expect(failing).rejects.toThrow("it failed");
  expect(open()).toBe(0);
});

test("the size of an answer is that of its bytes, in every language", async () => {
  const { response, sizeBytes } = jsonAnswer({ text: "日本語" });
  expect(sizeBytes).toBe((await response.arrayBuffer()).byteLength);
});

test("the next part of a body of unknown length is read only after the time that its token must wait", async () => {
  const taken = Promise.withResolvers<number>();
  const reception = {
    begin: () => undefined,
    takeChunk: (bytes: number) => {
      taken.resolve(bytes);
      return 60_000;
    },
  } as unknown as Reception;
  const left = new AbortController();
  const request = new Request("http://server/v1/blobs", {
    method: "POST",
    headers: { "transfer-encoding": "chunked" },
    body: new Blob(["first"]).stream(),
    duplex: "half",
    signal: left.signal,
  });
  const read = received(request, reception).text();
  expect(await taken.promise).toBe(5);
  await new Promise((resolve) => setTimeout(resolve, 50));
  // A client that leaves ends the wait.
  left.abort();
  await expect(read).rejects.toThrow("aborted");
});

test("a connection that was refused is closed after a moment, although its other side keeps it open", () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const socket = new PassThrough();
  refuseSocket(socket, new ContinuoError("forbidden", "no"), { headers: {} });
  vi.advanceTimersByTime(LIMITS.goodbyeMs - 1);
  expect(socket.destroyed).toBe(false);
  vi.advanceTimersByTime(1);
  expect(socket.destroyed).toBe(true);
});

test.each([
  [1_500, "2"],
  [10, "1"],
  [undefined, null],
])("the answer to a client that must wait for %s ms names %s seconds", (retryAfterMs, seconds) => {
  const details = retryAfterMs === undefined ? {} : { retryAfterMs };
  const { headers } = failure(new ContinuoError("rate_limited", "too fast", { details }));
  expect(headers.get("retry-after")).toBe(seconds);
});

test("hints for the program that differ only in the words of a stranger are reported once", () => {
  const reported: (string | undefined)[] = [];
  const report = createHintReport(({ hint }) => void reported.push(hint));
  const about = (name: string): ContinuoError =>
    new ContinuoError("forbidden", "no", { hint: `Let "${name}" write.`, hintFor: "program" });
  for (const name of ["ann", "ben", "ann"]) report(about(name));
  report(new ContinuoError("forbidden", "no", { hint: "Wait a moment." }));
  report(new ContinuoError("not_found", "no", { hint: "Add the agent.", hintFor: "program" }));
  report(new ContinuoError("unavailable", "no", { hint: "Start the database." }));
  expect(reported).toEqual(['Let "ann" write.', "Start the database."]);
});
