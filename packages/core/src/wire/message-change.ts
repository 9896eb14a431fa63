/**
 * The rule of who changes a message of a channel, and how. Servers, late readers and clients fold the log with it, so
 * that all of them see the same text.
 */

import { authorOf } from "./channel-address.ts";
import { recordOf, textOfContent, type WireEvent } from "./channel-events.ts";

/** Only the server interrupts a message. */
export function isByServer({ actor }: Pick<WireEvent, "actor">): boolean {
  return actor.kind === "system";
}

/** Only its writer changes a message, and only the server interrupts one. A writer of `null` is no handle. */
export function isByWriter(event: Pick<WireEvent, "type" | "actor">, writer: string | null): boolean {
  return event.type === "message_interrupted" ? isByServer(event) : authorOf(event) === writer;
}

export interface MessageText {
  readonly text: string;
  readonly state: "open" | "complete" | "interrupted";
}

/** A message in progress after an event of its writer. */
export function messageAfter(text: string, { type, data }: Pick<WireEvent, "type" | "data">): MessageText {
  const { delta, content } = recordOf(data);
  const whole = content === undefined ? text : textOfContent(content);
  switch (type) {
    case "message_streamed":
      return { text: typeof delta === "string" ? text + delta : text, state: "open" };
    case "message_updated":
      return { text: whole, state: "open" };
    case "message_completed":
      return { text: whole, state: "complete" };
    case "message_interrupted":
      return { text: whole, state: "interrupted" };
    default:
      return { text, state: "open" };
  }
}
