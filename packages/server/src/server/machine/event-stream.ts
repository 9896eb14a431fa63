/** A stream of server-sent events at the client's pace, with heartbeats. */

import { LIMITS, type ServerContext } from "../context/index.ts";
import { failure, keepRequests } from "../http/index.ts";
import type { Call } from "./request-input.ts";

export interface PushedEvent {
  readonly event: string;
  readonly data: unknown;
  /** The id that a browser sends when it reconnects. */
  readonly id?: string;
}

/**
 * The stream ends when the client disconnects, its token is revoked or the server drains; `events` must end when their
 * signal aborts. If `events` throws, the stream ends with an event `error`.
 */
export function eventStream(
  c: Call,
  context: ServerContext,
  events: (signal: AbortSignal) => AsyncIterable<PushedEvent>,
): Response {
  const gone = new AbortController();
  const connection = context.quotas.connect(c.var.grant, () => gone.abort());
  const signal = AbortSignal.any([gone.signal, c.req.raw.signal, context.draining]);
  const frames = framesOf(events(signal), signal, connection);
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { value, done } = await frames.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      cancel: () => {
        gone.abort();
        // A stream that was never read does not end by itself.
        connection[Symbol.dispose]();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(keepRequests(body, c.req.raw), {
    headers: { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" },
  });
}

/**
 * Yields the events of several sources as they arrive, each at the client's pace. It fails when the first source fails,
 * and ends when all sources have ended.
 */
export async function* merged<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T, void, void> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const ready: { readonly iterator: AsyncIterator<T>; readonly result: Promise<IteratorResult<T>> }[] = [];
  let wake: () => void = () => undefined;
  const take = (iterator: AsyncIterator<T>): void => {
    const result = iterator.next();
    const tell = (): void => {
      ready.push({ iterator, result });
      wake();
    };
    result.then(tell, tell);
  };
  iterators.forEach(take);
  try {
    for (let open = iterators.length; open > 0; ) {
      const first = ready.shift();
      if (first === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const { done, value } = await first.result;
      if (done === true) open -= 1;
      else {
        yield value;
        take(first.iterator);
      }
    }
  } finally {
    for (const iterator of iterators) void iterator.return?.().catch(() => undefined);
  }
}

async function* framesOf(
  events: AsyncIterable<PushedEvent>,
  signal: AbortSignal,
  connection: Disposable,
): AsyncGenerator<string, void, void> {
  using _connection = connection;
  // The first bytes are sent at once, so that the browser knows that the stream is open.
  yield `retry: ${LIMITS.retryMs}\n\n`;
  const iterator = events[Symbol.asyncIterator]();
  try {
    let next = iterator.next();
    while (!signal.aborted) {
      const item = await soon(next);
      if (item === "nothing") yield ": \n\n";
      else if (item.done === true) return;
      else {
        yield frameOf(item.value);
        next = iterator.next();
      }
    }
  } catch (error) {
    if (!signal.aborted) yield frameOf({ event: "error", data: await failure(error).json() });
  } finally {
    void iterator.return?.().catch(() => undefined);
  }
}

/** JSON has no line breaks, so no value in it can end the event. */
function frameOf({ event, data, id }: PushedEvent): string {
  return `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`;
}

async function soon<T>(next: Promise<T>): Promise<T | "nothing"> {
  let timer: NodeJS.Timeout | undefined;
  const idle = new Promise<"nothing">((resolve) => {
    timer = setTimeout(resolve, LIMITS.sseIdleMs, "nothing");
  });
  try {
    return await Promise.race([next, idle]);
  } finally {
    clearTimeout(timer);
  }
}
