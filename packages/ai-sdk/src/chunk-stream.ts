/**
 * Chunks of answers as one stream, which survives lost connections: a new connection replays the chunks, and known ones
 * are skipped.
 */

import type { UIMessageChunk } from "ai";

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
      for await (const chunk of dataOf(response, signal)) {
        if (chunk === DONE) return;
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

const DONE = "[DONE]";
const DATA = "data: ";

/** Errors: that of a connection that broke; `SyntaxError` for a body that is not such a stream. */
async function* dataOf(
  response: Response,
  signal: AbortSignal,
): AsyncGenerator<UIMessageChunk | typeof DONE, void> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const leave = (): void => void reader.cancel(signal.reason).catch(() => undefined);
  signal.addEventListener("abort", leave, { once: true });
  if (signal.aborted) leave();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const lines = (rest + value).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        if (!line.startsWith(DATA)) continue;
        const text = line.slice(DATA.length);
        yield text === DONE ? DONE : (JSON.parse(text) as UIMessageChunk);
      }
    }
  } finally {
    signal.removeEventListener("abort", leave);
    leave();
  }
}
