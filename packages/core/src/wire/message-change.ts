/**
 * The rule of who changes a message of a channel, and how. Servers, late readers and clients fold the log with it, so
 * that all of them see the same text.
 */

import { authorOf } from "./channel-address.ts";
import { recordOf, textOfContent, type WireEvent } from "./channel-events.ts";

export type MessageChange =
  | { readonly messageId: string; readonly type: "grown"; readonly delta: string }
  | {
      readonly messageId: string;
      /** `interrupted`: the server ended the message, because its writer is gone. */
      readonly type: "replaced" | "completed" | "interrupted";
      /** The whole text; `undefined` if it stays as it is. */
      readonly content: string | undefined;
    };

/** The handle that began a message, `null` if no handle did; `undefined` for a message that is not known. */
export type WriterOf = (messageId: string) => string | null | undefined;

const WHOLE = {
  message_updated: "replaced",
  message_completed: "completed",
  message_interrupted: "interrupted",
} as const;

/**
 * Returns `null` for an event that changes no known message. Only its writer changes a message, and only the server
 * interrupts one.
 */
export function messageChangeOf(
  event: Pick<WireEvent, "type" | "actor" | "data">,
  writerOf: WriterOf,
): MessageChange | null {
  const { messageId, delta, content } = recordOf(event.data);
  const writer = typeof messageId === "string" ? writerOf(messageId) : undefined;
  if (typeof messageId !== "string" || writer === undefined) return null;
  const isAllowed =
    event.type === "message_interrupted" ? event.actor.kind === "system" : authorOf(event) === writer;
  if (!isAllowed) return null;
  if (event.type === "message_streamed") {
    return { messageId, type: "grown", delta: typeof delta === "string" ? delta : "" };
  }
  if (!Object.hasOwn(WHOLE, event.type)) return null;
  const type = WHOLE[event.type as keyof typeof WHOLE];
  return { messageId, type, content: content === undefined ? undefined : textOfContent(content) };
}

/** The text of a message after a change. */
export function textAfter(text: string, change: MessageChange): string {
  return change.type === "grown" ? text + change.delta : (change.content ?? text);
}
