/**
 * Messages that are written in parts, for a reader who asks for no parts: a message is handed over once, when it is
 * complete or was interrupted. A reader who saw only its beginning would answer half a question.
 */

import { type ClientEvent, type ErrorEvent, type MessageEvent, toWholeMessage } from "./events.ts";

export class WholeMessages {
  /** Messages in progress whose beginning was not handed over. */
  readonly #begun = new Map<string, MessageEvent>();

  /** `null` for a part that waits for the end of its message. Call it with every event of the channel, in order. */
  take(event: ClientEvent, { parts }: { readonly parts: boolean }): ClientEvent | null {
    switch (event.type) {
      case "message":
        if (parts || event.state !== "open") return event;
        this.#begun.set(event.messageId, event);
        return null;
      case "update":
        return this.#begun.has(event.messageId) ? null : event;
      case "complete":
        return this.#begun.delete(event.messageId) ? toWholeMessage(event) : event;
      case "error":
        return this.#interrupted(event);
      default:
        return event;
    }
  }

  /** Returns the interrupted message in place of the error, if the beginning of the message was not handed over. */
  #interrupted(error: ErrorEvent): ClientEvent {
    const first = error.messageId === undefined ? undefined : this.#begun.get(error.messageId);
    if (first === undefined) return error;
    this.#begun.delete(first.messageId);
    const { sequence, pubsubId, timestamp, content = "" } = error;
    const isOver = { addressed: false, redelivered: false, state: "interrupted" } as const;
    return { ...first, sequence, pubsubId, timestamp, content, ...isOver };
  }
}
