/**
 * Events as server-sent events, which a browser resumes by the id of the last one. They name no folder of the server,
 * and have no words of a provider.
 */

import { assertKnownOptions, present } from "@continuo/core/model";
import { eventPlaceOf } from "@continuo/core/wire";
import type { EventOf, IncludedTypes } from "./define-event.ts";
import type { FailureText } from "./failure-text.ts";
import { assertEventsOptions, INCLUDE_OPTIONS } from "./options.ts";
import { createReaderView } from "./readers.ts";
import type { FollowOptions } from "./run-events.ts";
import type { IncludeOptions, SseOptions } from "./types.ts";

/** A proxy closes a connection that stays silent, so it gets a comment. */
const KEEP_ALIVE = ":\n\n";
const KEEP_ALIVE_MS = 15_000;

export const SSE_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** Errors: `invalid` for a place that is not a number, `usage`. */
function placeOf(from: Request | SseOptions | undefined): FollowOptions {
  if (from === undefined) return {};
  if (!("headers" in from)) {
    assertEventsOptions("toSSE", from);
    return from;
  }
  return { after: eventPlaceOf(from) };
}

export interface SseSource {
  /** Called with a signal that aborts when the reader has gone. */
  readonly open: (
    place: FollowOptions & { readonly signal: AbortSignal },
  ) => AsyncIterable<EventOf<IncludedTypes>>;
  readonly failureText: FailureText;
  /** The newest sequence of the log. */
  readonly newest: () => Promise<number>;
  /** The payload of the event `end`. */
  readonly end?: () => Promise<StreamEnd>;
}

/** The status of a run that ended, the code of its error, and words for people. */
export interface StreamEnd {
  readonly status?: string;
  readonly code?: string;
  readonly message?: string;
}

export function toSseResponse(
  { open, failureText, newest, end }: SseSource,
  from: Request | SseOptions | undefined,
  included: IncludeOptions = {},
): Response {
  assertKnownOptions("toSSE", included, INCLUDE_OPTIONS);
  const { after, include = included.include } = placeOf(from);
  assertEventsOptions("toSSE", present({ include }));
  return streamResponse({ from, headers: SSE_HEADERS }, async function* (over) {
    yield KEEP_ALIVE;
    if (after !== undefined && after > (await newest())) {
      yield endFrame({
        code: "out_of_range",
        message: `There is no event ${after}. Read from the beginning.`,
      });
      return;
    }
    const seen = createReaderView(failureText);
    for await (const event of open({ after, signal: over, include })) {
      yield `id: ${event.sequence}\ndata: ${JSON.stringify(seen(event))}\n\n`;
    }
    if (!over.aborted) yield endFrame((await end?.()) ?? {});
  });
}

function endFrame(end: StreamEnd): string {
  return `event: end\ndata: ${JSON.stringify(end)}\n\n`;
}

export interface StreamOptions {
  /**
   * The request of the reader, or its signal. The stream keeps a reference to it, because Node drops the abort of a
   * request that was collected as garbage.
   */
  readonly from: { readonly signal?: AbortSignal | undefined } | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends text as it arrives. It waits for a slow reader; an error closes the connection, and the reader resumes. */
export function streamResponse(
  { from, headers }: StreamOptions,
  read: (signal: AbortSignal) => AsyncGenerator<string, void>,
): Response {
  const gone = new AbortController();
  const over = from?.signal === undefined ? gone.signal : AbortSignal.any([from.signal, gone.signal]);
  const encoder = new TextEncoder();
  const texts = read(over);
  let timer: NodeJS.Timeout | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      timer = setInterval(() => {
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(KEEP_ALIVE));
      }, KEEP_ALIVE_MS);
      timer.unref();
    },
    async pull(controller) {
      try {
        const { value, done } = await texts.next();
        if (done !== true) controller.enqueue(encoder.encode(value));
        else {
          clearInterval(timer);
          controller.close();
        }
      } catch (error) {
        clearInterval(timer);
        if (over.aborted) controller.close();
        else controller.error(error);
      }
    },
    async cancel() {
      clearInterval(timer);
      gone.abort();
      await texts.return();
    },
  });
  READERS.set(body, from);
  return new Response(body, { headers });
}

const READERS = new WeakMap<ReadableStream, StreamOptions["from"]>();
