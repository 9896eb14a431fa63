/** Requests to the server of the page. */

import { signal } from "@preact/signals";

/** An error from the server, with its code, message and hint. */
export class ServerError extends Error {
  readonly code: string;
  readonly hint: string | null;

  constructor(code: string, message: string, hint: string | null) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** Whether the server does not accept this page any more, so that it needs a new address. */
export const signedOut = signal(false);

/** Answers the requests of a page with a session inside; `null` in a page of a server. */
let answer: ((path: string) => unknown) | null = null;

export function answerFrom(inside: (path: string) => unknown): void {
  answer = inside;
}

/** Whether the page has its session inside: it cannot search, change or follow anything. */
export function isSaved(): boolean {
  return answer !== null;
}

export interface Ask {
  readonly signal?: AbortSignal;
  readonly body?: unknown;
}

export async function ask<T>(path: string, { signal: stop, body }: Ask = {}): Promise<T> {
  if (answer !== null) return answer(path) as T;
  const response = await fetch(path, {
    method: body === undefined ? "GET" : "POST",
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
    ...(stop === undefined ? {} : { signal: stop }),
  }).catch((cause: unknown) => {
    if (stop?.aborted === true) throw cause;
    throw new ServerError("unavailable", "the server does not answer", "Start `continuo view` again.");
  });
  if (response.ok) return (await response.json()) as T;
  if (response.status === 401) signedOut.value = true;
  throw await toError(response);
}

async function toError(response: Response): Promise<ServerError> {
  const answer: unknown = await response.json().catch(() => null);
  const { error } = (answer ?? {}) as { error?: { code?: string; message?: string; hint?: string } };
  return new ServerError(
    error?.code ?? "internal",
    error?.message ?? `the server answered ${response.status}`,
    error?.hint ?? null,
  );
}

/**
 * Exchanges the code in the address, once, for a cookie that no script can read. The code leaves the address; the route
 * stays.
 */
export async function enter(): Promise<void> {
  const [, code, place = "/"] = /^#code=([^/]+)(\/.*)?$/u.exec(location.hash) ?? [];
  if (code === undefined) return;
  history.replaceState(null, "", `${location.pathname}#${place}`);
  await ask("/v1/pages/cookie", { body: { code: decodeURIComponent(code) } });
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/** An error as one line. */
export function sayError(error: unknown): string {
  if (error instanceof ServerError)
    return error.hint === null ? error.message : `${error.message}. ${error.hint}`;
  return error instanceof Error ? error.message : String(error);
}

export interface Growth {
  close(): void;
}

/**
 * Handlers by the name of the event. `id` is the position after which the stream can continue; empty if there is none.
 */
export type Handlers = Readonly<Record<string, (data: unknown, id: string) => void>>;

/**
 * Listens to server-sent events. The browser reconnects by itself, and continues where it was. A hidden page has no
 * connection, because a browser has few. `path` is called before each connection, and `onOpen` after it.
 */
export function listen(path: () => string, handlers: Handlers, onOpen: () => void = () => undefined): Growth {
  if (answer !== null) return { close: () => undefined };
  let source: EventSource | null = null;
  const connect = (): EventSource => {
    const opened = new EventSource(path());
    opened.addEventListener("open", onOpen);
    for (const [name, handle] of Object.entries(handlers)) {
      opened.addEventListener(name, (event) => {
        const { data, lastEventId } = event as MessageEvent<string>;
        handle(JSON.parse(data), lastEventId);
      });
    }
    return opened;
  };
  const look = (): void => {
    if (document.visibilityState === "visible") source ??= connect();
    else {
      source?.close();
      source = null;
    }
  };
  document.addEventListener("visibilitychange", look);
  look();
  return {
    close: () => {
      document.removeEventListener("visibilitychange", look);
      source?.close();
    },
  };
}
