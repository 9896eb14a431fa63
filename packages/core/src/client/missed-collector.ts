/** Messages that others completed while the participant was away. The newest are kept. */

import type { ClientEvent, MessageEvent } from "./events.ts";
import { LIMITS } from "./limits.ts";

export interface MissedMessage {
  readonly messageId: string;
  readonly sequence: number;
  readonly from: string | null;
  readonly content: string;
  readonly timestamp: string | undefined;
  readonly state: MessageEvent["state"];
}

export interface MissedPage {
  /** Oldest first. */
  readonly messages: readonly MissedMessage[];
  /** Messages before them, for which there is no room. */
  readonly omitted: number;
  readonly lastSequence: number;
}

/** Collects while the replay comes in, which may be long: newest kept. */
export class MissedCollector {
  readonly #messages: MissedMessage[] = [];
  #omitted = 0;
  #length = 0;
  #lastSequence = 0;
  #unsentUpTo = 0;

  /** The server sends only those messages up to a sequence that are addressed to the reader; they are counted too. */
  leaveOut({ messages, upTo }: { readonly messages: number; readonly upTo: number }): void {
    this.#omitted = messages;
    this.#unsentUpTo = upTo;
  }

  /** Own messages are not missed, nor is what `events()` yields because it is addressed to the reader. */
  add(event: ClientEvent): void {
    if (event.type !== "message" || event.sequence === undefined || event.state === "open") return;
    if (event.sequence <= this.#unsentUpTo) this.#omitted = Math.max(0, this.#omitted - 1);
    if (event.own || event.addressed) return;
    const { messageId, sequence, from, content, timestamp, state } = event;
    this.#messages.push({ messageId, sequence, from, content, timestamp, state });
    this.#length += content.length;
    this.#lastSequence = sequence;
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
