/** Gets server-sent events by `fetch`, because an `EventSource` cannot send the credentials of the page. */

import { isSaved } from "./server.ts";

export interface Growth {
  close(): void;
}

/**
 * Handlers by the name of the event. `id` is the position after which the stream can continue; empty if there is none.
 */
export type Handlers = Readonly<Record<string, (data: unknown, id: string) => void>>;

export interface ListenOptions {
  /** Called after each connection. */
  readonly onOpen?: () => void;
  /** True if a hidden page stays connected; false by default, because a browser has few connections. */
  readonly whenHidden?: () => boolean;
}

/**
 * Listens to server-sent events. A lost stream is opened again, and continues at its last position. `path` is called
 * before each connection.
 */
export function listen(path: () => string, handlers: Handlers, options: ListenOptions = {}): Growth {
  const stop = new AbortController();
  if (!isSaved()) {
    void import("./feed.ts").then(({ follow }) => follow({ path, handlers, ...options }, stop.signal));
  }
  return { close: () => stop.abort() };
}
