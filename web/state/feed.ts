/** A stream of server-sent events, opened again when it is lost, while the page is visible or stays connected. */

import { EventParser } from "./event-stream.ts";
import type { Handlers, ListenOptions } from "./listen.ts";
import { countConnection } from "./lost-server.ts";
import { access, request } from "./server.ts";

export interface EventSourceOptions extends ListenOptions {
  readonly path: () => string;
  readonly handlers: Handlers;
}

/** Runs until the signal aborts. */
export function follow(followed: EventSourceOptions, signal: AbortSignal): void {
  let stop: AbortController | null = null;
  const look = (): void => {
    const isFollowed = document.visibilityState === "visible" || followed.whenHidden?.() === true;
    if (signal.aborted || !isFollowed) {
      stop?.abort();
      stop = null;
    } else if (stop === null) {
      stop = new AbortController();
      void followOn(followed, stop.signal);
    }
  };
  document.addEventListener("visibilitychange", look, { signal });
  signal.addEventListener("abort", look);
  look();
}

/** Runs until the signal aborts, or the server refuses the stream. */
async function followOn(followed: EventSourceOptions, signal: AbortSignal): Promise<void> {
  const parser = new EventParser();
  while (!signal.aborted && access.value === "in") {
    try {
      if ((await followOnce(followed, parser, signal)) === "refused") return;
    } catch {
      // A lost stream is opened again.
    }
    await new Promise((resolve) => setTimeout(resolve, parser.retryMs));
  }
}

async function followOnce(
  { path, handlers, onOpen }: EventSourceOptions,
  parser: EventParser,
  signal: AbortSignal,
): Promise<"ended" | "refused"> {
  const { lastId } = parser;
  const headers = { accept: "text/event-stream", ...(lastId === "" ? {} : { "last-event-id": lastId }) };
  const response = await request(path(), { headers, signal, cache: "no-store" });
  const { status, ok, body } = response;
  if (!ok || body === null) {
    void body?.cancel();
    return status === 429 || status >= 500 ? "ended" : "refused";
  }
  onOpen?.();
  parser.restart();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const end = countConnection();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return "ended";
      for (const { name, data, id } of parser.push(value)) deliver(handlers[name], data, id);
    }
  } finally {
    end();
  }
}

/** An error that a handler throws is reported and does not end the stream. */
function deliver(handle: Handlers[string] | undefined, data: string, id: string): void {
  try {
    handle?.(JSON.parse(data), id);
  } catch (error) {
    reportError(error);
  }
}
