/**
 * Chunks of answers as one stream, which survives lost connections: a new connection replays the chunks, and known ones
 * are skipped.
 */

import { eventData } from "@continuo/core/client/requests";
import type { UIMessageChunk } from "ai";

/** The data of the last event of an answer. */
const DONE = "[DONE]";

export interface ChunkStreamOptions {
  /** Opens the stream from its beginning. */
  readonly open: (signal: AbortSignal) => Promise<Response>;
  /** Ends only the reading. */
  readonly signal: AbortSignal | undefined;
  readonly onChunk: (chunk: UIMessageChunk) => void;
}

/** @param first the stream, opened for the first time */
export function chunkStream(first: Response, options: ChunkStreamOptions): ReadableStream<UIMessageChunk> {
  const gone = new AbortController();
  const { signal: left } = options;
  const signal = left === undefined ? gone.signal : AbortSignal.any([left, gone.signal]);
  const chunks = chunksOf(first, { ...options, signal });
  return new ReadableStream({
    async pull(controller) {
      try {
        const { value, done } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        controller.error(error);
      }
    },
    cancel: () => gone.abort(),
  });
}

async function* chunksOf(
  first: Response,
  { open, signal, onChunk }: ChunkStreamOptions & { readonly signal: AbortSignal },
): AsyncGenerator<UIMessageChunk, void> {
  let known = 0;
  for (let response = first; ; response = await open(signal)) {
    let place = 0;
    try {
      for await (const data of eventData(response, signal)) {
        if (data === DONE) return;
        const chunk = JSON.parse(data) as UIMessageChunk;
        place++;
        if (place <= known) continue;
        known = place;
        onChunk(chunk);
        yield chunk;
      }
    } catch (error) {
      if (signal.aborted || error instanceof SyntaxError) throw error;
    }
    signal.throwIfAborted();
  }
}
