/** Messages that others completed while the participant was away. The newest are kept. */

import { assertKnownOptions } from "../model/index.ts";
import type { ClientEvent, DeletedEvent, EditedEvent, MessageEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";

export interface MissedMessage {
  readonly messageId: string;
  readonly sequence: number;
  readonly from: string | null;
  readonly content: string;
  readonly timestamp: string | undefined;
  /**
   * `edited` and `deleted`: the message was written before, and changed while the participant was away. A message that
   * was written and changed in the meantime is here once, in its present form.
   */
  readonly state: MessageEvent["state"] | "edited" | "deleted";
}

export interface MissedPage {
  /** Oldest first. */
  readonly messages: readonly MissedMessage[];
  /** The number of messages before them, for which there was no room. */
  readonly omitted: number;
  readonly lastSequence: number;
}

/**
 * Returns the missed messages after a message of the channel was edited or deleted. A change of a missed message
 * changes or removes it here; a change of a message that the reader already knows gets its own entry. `after`: the last
 * sequence that the reader knew when it left.
 */
export function missedAfter(
  messages: readonly MissedMessage[],
  event: EditedEvent | DeletedEvent,
  options: { readonly after?: number } = {},
): readonly MissedMessage[] {
  assertKnownOptions("missedAfter", options, { after: true });
  const { after = 0 } = options;
  const { messageId, sequence, from, timestamp, type: state } = event;
  if (sequence === undefined || event.own || event.addressed) return messages;
  const known = messages.find((one) => one.messageId === messageId);
  const others = messages.filter((one) => one !== known);
  const change = { messageId, sequence, from, timestamp, state };
  if (event.type === "deleted") {
    // The reader never saw a message that was written and deleted while it was away.
    const isNew = event.messageSequence !== undefined && event.messageSequence > after;
    return isNew ? others : [...others, { ...change, content: "" }];
  }
  const { content } = event;
  if (known === undefined || known.state === "edited") return [...others, { ...change, content }];
  return messages.map((one) => (one === known ? { ...one, content } : one));
}

/** Collects messages while the replay arrives, which may be long, and keeps the newest ones. */
export class MissedCollector {
  readonly #messages: MissedMessage[] = [];
  #omitted = 0;
  #length = 0;
  #lastSequence = 0;
  #unsentUpTo = 0;
  #begin = 0;

  /** The replay begins after this sequence. */
  begin(after: number): void {
    this.#begin = after;
  }

  /**
   * Up to a certain sequence, the server sends only the messages that are addressed to the reader; they are counted
   * too.
   */
  leaveOut({ messages, upTo }: { readonly messages: number; readonly upTo: number }): void {
    this.#omitted = messages;
    this.#unsentUpTo = upTo;
  }

  /**
   * The reader's own messages are not missed, and neither are messages that `events()` yields because they address the
   * reader.
   */
  add(event: ClientEvent): void {
    if (event.type === "edited" || event.type === "deleted") this.#change(event);
    if (event.type !== "message" || event.sequence === undefined || event.state === "open") return;
    if (event.sequence <= this.#unsentUpTo) this.#omitted = Math.max(0, this.#omitted - 1);
    if (event.own || event.addressed) return;
    const { messageId, sequence, from, content, timestamp, state } = event;
    this.#push({ messageId, sequence, from, content, timestamp, state });
  }

  #change(event: EditedEvent | DeletedEvent): void {
    const changed = missedAfter([...this.#messages], event, { after: this.#begin });
    this.#messages.length = 0;
    this.#length = 0;
    for (const message of changed) this.#push(message);
  }

  #push(message: MissedMessage): void {
    this.#messages.push(message);
    this.#length += message.content.length;
    this.#lastSequence = Math.max(this.#lastSequence, message.sequence);
    while (this.#isTooMuch()) {
      this.#length -= this.#messages.shift()?.content.length ?? 0;
      this.#omitted++;
    }
  }

  get missed(): MissedPage {
    return {
      messages: this.#messages,
      omitted: this.#omitted,
      lastSequence: this.#lastSequence,
    };
  }

  #isTooMuch(): boolean {
    const { length } = this.#messages;
    return length > LIMITS.missedMessages || (this.#length > LIMITS.missedLength && length > 1);
  }
}
