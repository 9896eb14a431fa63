/** The messages in progress of a channel: a pure fold of its log. */

import type { StoredEvent } from "@continuo/core/model";
import { authorOf, headOf, type MessageHead, recordOf, textOfContent } from "@continuo/core/wire";

export interface OpenMessage {
  readonly messageId: string;
  readonly handle: string;
  /** The `connect()` that writes the message; `null` when no connection wrote it. */
  readonly writer: string | null;
  /** The sequence of its `message_sent`. */
  readonly sequence: number;
  readonly head: MessageHead;
  /** With all deltas so far. */
  readonly text: string;
}

export interface ChannelState {
  /** The last event that was folded. */
  readonly sequence: number;
  /** The key is the id of the message. */
  readonly open: Readonly<Record<string, OpenMessage>>;
}

export const EMPTY_STATE: ChannelState = { sequence: 0, open: {} };

/**
 * Only the writer of a message changes it: events of others with its id are ignored, except the server's own
 * `message_interrupted`.
 */
export function foldChannel(state: ChannelState, event: StoredEvent): ChannelState {
  const { sequence } = event;
  const data = recordOf(event.data);
  if (event.type === "message_sent") {
    const handle = authorOf(event);
    if (data.state !== "open" || handle === null) return { ...state, sequence };
    const text = textOfContent(data.content);
    const writer = typeof data.writer === "string" ? data.writer : null;
    const message: OpenMessage = { messageId: event.id, handle, writer, sequence, head: headOf(data), text };
    return { sequence, open: { ...state.open, [event.id]: message } };
  }
  const message = ownMessage(state, event, data);
  if (message === undefined) return { ...state, sequence };
  const { messageId } = message;
  switch (event.type) {
    case "message_streamed": {
      const text = message.text + (typeof data.delta === "string" ? data.delta : "");
      return { sequence, open: { ...state.open, [messageId]: { ...message, text } } };
    }
    case "message_updated": {
      const text = textOfContent(data.content);
      return { sequence, open: { ...state.open, [messageId]: { ...message, text } } };
    }
    case "message_completed":
    case "message_interrupted": {
      const { [messageId]: _, ...open } = state.open;
      return { sequence, open };
    }
    default:
      return { ...state, sequence };
  }
}

function ownMessage(
  { open }: ChannelState,
  event: StoredEvent,
  { messageId }: Readonly<Record<string, unknown>>,
): OpenMessage | undefined {
  if (typeof messageId !== "string" || !Object.hasOwn(open, messageId)) return undefined;
  const message = open[messageId];
  const isServer = event.type === "message_interrupted" && event.actor.kind === "system";
  return isServer || authorOf(event) === message?.handle ? message : undefined;
}

export function openMessagesOf(state: ChannelState, handle: string): readonly OpenMessage[] {
  return Object.values(state.open).filter((message) => message.handle === handle);
}

/** The state in a stored snapshot; `null` for anything else, and the fold starts from the beginning of the log. */
export function stateFromSnapshot(data: unknown, sequence: number): ChannelState | null {
  const { open } = recordOf(data);
  if (typeof open !== "object" || open === null) return null;
  const messages = Object.values(open) as readonly OpenMessage[];
  const isWhole = messages.every(
    (one) =>
      typeof one.messageId === "string" && typeof one.handle === "string" && typeof one.text === "string",
  );
  return isWhole ? { sequence, open: open as ChannelState["open"] } : null;
}
