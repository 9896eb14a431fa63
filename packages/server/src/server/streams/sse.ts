/** GET with `live=sse`: the backlog, then new records, at the client's pace; at most one page is held in memory. */

import { isContinuoError, type Log, messageOf, type StoredEvent } from "@continuo/core/model";
import { formatOffset, STREAM_HEADERS, type StreamControl } from "@continuo/core/wire";
import { type Answer, LIMITS } from "../context/index.ts";
import { type Batch, liveBatches } from "./batches.ts";
import type { Call } from "./call.ts";
import { cursorAfter } from "./cursor.ts";
import { bodyOf, type Records, recordsOf } from "./records.ts";

/** Errors: `rate_limited` when the token has too many bytes of answers that it did not read. */
export async function streamEvents(call: Call, log: Log, after: number): Promise<Response> {
  const { quotas, report } = call.context;
  const records = recordsOf(log.mediaType);
  const gone = new AbortController();
  const connection = quotas.connect(call.grant, () => gone.abort());
  // This check comes before a page of the backlog is read, because one record can be as long as a page.
  const answer = await quotas.answer(call.grant, LIMITS.pageBytes).catch((error: unknown) => {
    connection[Symbol.dispose]();
    throw error;
  });
  const frames = framesOf(call, { records, after, gone: gone.signal, connection, answer });
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { value, done } = await frames.next();
          if (done === true) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          const hasLeft = gone.signal.aborted || call.request.signal.aborted;
          // The client has received everything before the error, and returns for the rest.
          if (!hasLeft && !isContinuoError(error)) report(`an event stream ended: ${messageOf(error)}`);
          controller.enqueue(RETRY);
          controller.close();
        }
      },
      cancel: () => {
        gone.abort();
        // A stream that was never read does not end by itself.
        connection[Symbol.dispose]();
        answer[Symbol.dispose]();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      ...(records.sse === "base64" ? { [STREAM_HEADERS.dataEncoding]: "base64" } : {}),
    },
  });
}

const RETRY = new TextEncoder().encode(`retry: ${LIMITS.retryMs}\n\n`);

interface FrameOptions {
  readonly records: Records;
  readonly after: number;
  /** Aborts when the client no longer reads, or its token no longer counts. */
  readonly gone: AbortSignal;
  readonly connection: Disposable;
  readonly answer: Answer;
}

async function* framesOf(
  call: Call,
  { records, gone, connection, answer, after }: FrameOptions,
): AsyncGenerator<Uint8Array, void, void> {
  const { store, address, request, context, url } = call;
  using _connection = connection;
  using _answer = answer;
  const place = { after, cursor: url.searchParams.get("cursor") };
  const text = textOf(records);
  const batches = liveBatches(store, address.logId, {
    after,
    signal: AbortSignal.any([gone, request.signal, context.draining, AbortSignal.timeout(LIMITS.sseMs)]),
  });
  for await (const batch of batches) {
    yield await framed(batch, { records, text, place, answer });
    // The client has read this batch. A reader that kept it while it waits for the next page would block other readers.
    await answer.resize(0);
    if (batch.state === "more") await answer.resize(LIMITS.pageBytes);
  }
  if (context.draining.aborted) yield RETRY;
}

interface EventEncoding {
  readonly records: Records;
  readonly text: (events: readonly StoredEvent[]) => string;
  readonly place: { after: number; cursor: string | null };
  readonly answer: Answer;
}

/** Its local variables end with it, so that only the bytes are kept while the client reads nothing. */
async function framed(batch: Batch, { answer, ...encoding }: EventEncoding): Promise<Uint8Array> {
  const bytes = encode(batch, encoding);
  await answer.resize(bytes.length);
  return bytes;
}

function encode(batch: Batch, { records, text, place }: Omit<EventEncoding, "answer">): Uint8Array {
  const events = batch.take();
  place.after = events.at(-1)?.sequence ?? place.after;
  place.cursor = cursorAfter(place.cursor, { now: Date.now(), random: Math.random });
  const control = frame("control", JSON.stringify(controlOf(place.after, place.cursor, batch.state)));
  if (events.length === 0) return Buffer.from(control);
  const body = records.framing === "array" ? bodyOf(records, events) : null;
  // One line of UTF-8 is copied once, without a conversion to text.
  if (body === null || body.includes(LF) || body.includes(CR)) {
    return Buffer.from(frame("data", text(events)) + control);
  }
  return Buffer.concat([DATA, body, Buffer.from(`\n\n${control}`)]);
}

const LF = 10;
const CR = 13;
const DATA = Buffer.from("event: data\ndata:");

function controlOf(after: number, streamCursor: string, state: Batch["state"]): StreamControl {
  const streamNextOffset = formatOffset(after);
  if (state === "closed") return { streamNextOffset, streamClosed: true };
  return { streamNextOffset, streamCursor, ...(state === "up to date" ? { upToDate: true as const } : {}) };
}

/** A character may be split between two records: the decoder keeps its first part. */
function textOf(records: Records): (events: readonly StoredEvent[]) => string {
  if (records.sse === "base64") return (events) => Buffer.from(bodyOf(records, events)).toString("base64");
  const decoder = new TextDecoder();
  return (events) => decoder.decode(bodyOf(records, events), { stream: true });
}

/** Each line gets its own `data:`, so that no line of a record can end the event or begin another. */
function frame(event: "data" | "control", data: string): string {
  const lines = data.split(/\r\n|\r|\n/).map((line) => `data:${line}\n`);
  return `event: ${event}\n${lines.join("")}\n`;
}
