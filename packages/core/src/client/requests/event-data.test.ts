import { expect, test } from "vitest";
import { eventData } from "./event-data.ts";

/** A response whose body arrives in these pieces, and whether its reader left it. */
function streamed(pieces: readonly string[], isEnding = true) {
  const seen = { isLeft: false };
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
      if (isEnding) controller.close();
    },
    cancel() {
      seen.isLeft = true;
    },
  });
  return { response: new Response(body), seen };
}

const never = new AbortController().signal;

test("data that arrives in pieces is one event, and a comment counts as a sign of life", async () => {
  const pieces = [":\n\n", "data: o", "n", "e\n\nda", "ta: two\n\ndata: thr", "ee\n\ndata: cut"];
  let signs = 0;
  const { response } = streamed(pieces);
  const all = await Array.fromAsync(eventData(response, never, () => void signs++));
  expect([all, signs]).toEqual([["one", "two", "three"], pieces.length]);
});

test("a reader that leaves closes the connection", async () => {
  const { response, seen } = streamed(["data: one\n\n"], false);
  for await (const _ of eventData(response, never)) break;
  await expect.poll(() => seen.isLeft).toBe(true);
});

test("a stream whose signal aborted before it began has no data", async () => {
  const { response, seen } = streamed([], false);
  expect(await Array.fromAsync(eventData(response, AbortSignal.abort()))).toEqual([]);
  await expect.poll(() => seen.isLeft).toBe(true);
});
