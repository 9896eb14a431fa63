/** GET with `live=sse`: the backlog, then new records, at the client's pace; at most one page is held in memory. */

import type { Log, StoredEvent } from "@continuo/core/model";
import { formatOffset, STREAM_HEADERS, type StreamControl } from "@continuo/core/wire";
import { LIMITS } from "../context/index.ts";
import { type Batch, liveBatches } from "./batches.ts";
import type { Call } from "./call.ts";
import { cursorAfter } from "./cursor.ts";
import { bodyOf, type Records, recordsOf, sizeOf } from "./records.ts";

export function streamEvents(call: Call, log: Log, after: number): Response {
  const records = recordsOf(log.mediaType);
  const gone = new AbortController();
  const connection = call.context.quotas.connect(call.grant, () => gone.abort());
  const frames = framesOf(call, { records, after, gone: gone.signal, connection });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { value, done } = await frames.next();
          if (done === true) controller.close();
          else controller.enqueue(encoder.encode(value));
        } catch (error) {
          controller.error(error);
        }
      },
      cancel: () => {
        gone.abort();
        // A stream that was never read does not end by itself.
        connection[Symbol.dispose]();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: {
      "content-type": "text/event-stream",
      "cache-control": "no-cache",
      ...(records.sse === "base64" ? { [STREAM_HEADERS.dataEncoding]: "base64" } : {}),
    },
  });
}

interface Framing {
  readonly records: Records;
  readonly after: number;
  /** Aborts when the client no longer reads, or its token no longer counts. */
  readonly gone: AbortSignal;
  readonly connection: Disposable;
}

async function* framesOf(
  call: Call,
  { records, gone, connection, ...from }: Framing,
): AsyncGenerator<string, void, void> {
  const { store, address, request, context, url } = call;
  using _connection = connection;
  let cursor = url.searchParams.get("cursor");
  let { after } = from;
  const control = (batch: Pick<Batch, "state">): string => {
    cursor = cursorAfter(cursor, { now: Date.now(), random: Math.random });
    return frame("control", JSON.stringify(controlOf(after, cursor, batch.state)));
  };
  const text = textOf(records);
  const batches = liveBatches(store, address.logId, {
    after,
    signal: AbortSignal.any([gone, request.signal, context.draining, AbortSignal.timeout(LIMITS.sseMs)]),
  });
  // For a page of the backlog before it is read: one record can be as long as a page.
  using answer = await context.quotas.answer(call.grant, LIMITS.pageBytes);
  for await (const batch of batches) {
    const last = batch.events.at(-1);
    after = last?.sequence ?? after;
    await answer.resize(sizeOf(records, batch.events));
    const data = last === undefined ? "" : frame("data", text(batch.events));
    // It goes on when the client has read this.
    yield data + control(batch);
    await answer.resize(batch.state === "more" ? LIMITS.pageBytes : 0);
  }
  if (context.draining.aborted) yield `retry: ${LIMITS.retryMs}\n\n`;
}

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
