/** Server-sent events of the server, by `fetch`: an `EventSource` cannot send what lets the page in. */

import { isSaved } from "./server.ts";

export interface Growth {
  close(): void;
}

/**
 * Handlers by the name of the event. `id` is the position after which the stream can continue; empty if there is none.
 */
export type Handlers = Readonly<Record<string, (data: unknown, id: string) => void>>;

/**
 * Listens to server-sent events. A lost stream is opened again, and continues where it was. A hidden page has no
 * connection, because a browser has few. `path` is called before each connection, and `onOpen` after it.
 */
export function listen(path: () => string, handlers: Handlers, onOpen?: () => void): Growth {
  const stop = new AbortController();
  if (!isSaved()) {
    void import("./feed.ts").then(({ follow }) => follow({ path, handlers, onOpen }, stop.signal));
  }
  return { close: () => stop.abort() };
}
