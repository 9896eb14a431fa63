/** The iteration of `events()`: what is handed over, and what a reader of its own affairs is spared. */

import type { ContinuoError } from "../model/index.ts";
import { type ClientEvent, toWholeMessage } from "./events.ts";
import type { Inbox } from "./inbox.ts";
import type { WholeMessages } from "./whole-messages.ts";

export interface HandOverOptions {
  readonly inbox: Inbox;
  readonly whole: WholeMessages;
  readonly parts: boolean;
  readonly targetedOnly: boolean;
  readonly signal?: AbortSignal;
  /** Errors: `conflict` when somebody iterates already. */
  readonly begin: () => void;
  readonly end: () => void;
  readonly onHandOver: (event: ClientEvent) => void;
  /** Why the inbox ended; `null` for `close()`. */
  readonly failure: () => ContinuoError | null;
}

export async function* iterateEvents(options: HandOverOptions): AsyncGenerator<ClientEvent, void, void> {
  const { inbox, whole, parts, targetedOnly, signal, onHandOver, failure } = options;
  options.begin();
  const wake = (): void => inbox.wake();
  signal?.addEventListener("abort", wake, { once: true });
  const followed = new Set<string>();
  try {
    while (!isAborted(signal)) {
      const event = await inbox.next(signal);
      if (event === undefined) {
        const error = failure();
        if (isAborted(signal) || error === null) return;
        throw error;
      }
      const given = whole.take(event, { parts });
      const wanted = given !== null && targetedOnly ? targeted(given, followed) : given;
      if (wanted === null) continue;
      onHandOver(wanted);
      yield wanted;
    }
  } finally {
    signal?.removeEventListener("abort", wake);
    options.end();
  }
}

function isAborted(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/**
 * Returns the event if it addresses the reader, or belongs to a message or a call that did. `followed` holds
 * those in progress.
 */
function targeted(event: ClientEvent, followed: Set<string>): ClientEvent | null {
  switch (event.type) {
    case "message":
      if (event.addressed && event.state === "open") followed.add(event.messageId);
      return event.addressed ? event : null;
    case "method_call":
      if (event.addressed) followed.add(event.callId);
      return event.addressed ? event : null;
    case "update":
      return followed.has(event.messageId) ? event : null;
    case "complete":
      if (followed.delete(event.messageId)) return event;
      // It names the reader at its end only.
      return event.addressed ? toWholeMessage(event) : null;
    case "error":
      return event.messageId !== undefined && followed.delete(event.messageId) ? event : null;
    case "method_cancel":
      return followed.delete(event.callId) ? event : null;
    case "method_result":
    case "presence":
      return null;
  }
}
