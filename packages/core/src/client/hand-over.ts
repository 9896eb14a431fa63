/**
 * The iteration of `events()`: the events that it returns, without those that a reader with `targetedOnly` does not
 * get.
 */

import type { ContinuoError } from "../model/index.ts";
import { type ClientEvent, toWholeMessage } from "./events.ts";
import type { Inbox } from "./inbox.ts";
import { LIMITS } from "./limits.ts";
import type { WholeMessages } from "./whole-messages.ts";

export interface HandOverOptions {
  readonly inbox: Inbox;
  readonly whole: WholeMessages;
  readonly parts: boolean;
  readonly targetedOnly: boolean;
  /** Ends a talk of agents, for an agent with `targetedOnly`: `true` for a message that it is not given. */
  readonly isUnanswered?: (event: ClientEvent) => boolean;
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
  const { isUnanswered = () => false } = options;
  options.begin();
  const wake = (): void => inbox.wake();
  signal?.addEventListener("abort", wake, { once: true });
  const followed: AddressedItems = { open: new Set(), whole: new Set() };
  try {
    while (!isAborted(signal)) {
      const event = await inbox.next(signal);
      if (event === undefined) {
        const error = failure();
        if (isAborted(signal) || error === null) return;
        throw error;
      }
      const given = whole.take(event, { parts });
      if (given === null) continue;
      const wanted = targetedOnly ? targeted(given, followed) : given;
      if (isUnanswered(given) || wanted === null) continue;
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

/** Messages and calls that addressed the reader. */
interface AddressedItems {
  /** In progress. */
  readonly open: Set<string>;
  /** Messages that have ended, the newest of them: their author may change them. */
  readonly whole: Set<string>;
}

/** Returns the event if it addresses the reader, or belongs to a message or a call that did. */
function targeted(event: ClientEvent, followed: AddressedItems): ClientEvent | null {
  const { open } = followed;
  switch (event.type) {
    case "message":
      if (!event.addressed) return null;
      if (event.state === "open") open.add(event.messageId);
      else keepWhole(followed, event.messageId);
      return event;
    case "method_call":
      if (event.addressed) open.add(event.callId);
      return event.addressed ? event : null;
    case "update":
      return open.has(event.messageId) ? event : null;
    case "complete": {
      const isFollowed = open.delete(event.messageId);
      if (isFollowed || event.addressed) keepWhole(followed, event.messageId);
      if (isFollowed) return event;
      // Only the end of the message names the reader.
      return event.addressed ? toWholeMessage(event) : null;
    }
    case "error":
      return event.messageId !== undefined && open.delete(event.messageId) ? event : null;
    case "edited":
    case "deleted":
      return event.addressed || followed.whole.has(event.messageId) ? event : null;
    case "reaction":
      return event.addressed ? event : null;
    case "method_cancel":
      return open.delete(event.callId) ? event : null;
    case "method_result":
    case "presence":
      return null;
  }
}

function keepWhole({ whole }: AddressedItems, messageId: string): void {
  whole.add(messageId);
  const [oldest] = whole;
  if (whole.size > LIMITS.followedMessages && oldest !== undefined) whole.delete(oldest);
}
