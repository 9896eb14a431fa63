/** The messages in progress of a channel: a pure fold of its log. */

import type { StoredEvent } from "@continuo/core/model";
import {
  authorOf,
  headOf,
  isByWriter,
  type MessageHead,
  messageAfter,
  recordOf,
  textOfContent,
} from "@continuo/core/wire";

export interface OpenMessage {
  readonly messageId: string;
  readonly handle: string;
  /** The `connect()` that writes the message; `null` when no connection wrote it. */
  readonly writer: string | null;
  /** The sequence of its `message_sent`. */
  readonly sequence: number;
  readonly head: MessageHead;
  /** The text with all deltas so far. */
  readonly text: string;
}

export interface ChannelState {
  /** The sequence of the last event that was folded. */
  readonly sequence: number;
  /** The key is the id of the message. */
  readonly open: Readonly<Record<string, OpenMessage>>;
}

export const EMPTY_STATE: ChannelState = { sequence: 0, open: {} };

export function foldChannel(state: ChannelState, event: StoredEvent): ChannelState {
  const { sequence } = event;
  if (event.type === "message_sent") {
    const data = recordOf(event.data);
    const handle = authorOf(event);
    if (data.state !== "open" || handle === null) return { ...state, sequence };
    const text = textOfContent(data.content);
    const writer = typeof data.writer === "string" ? data.writer : null;
    const message: OpenMessage = { messageId: event.id, handle, writer, sequence, head: headOf(data), text };
    return { sequence, open: { ...state.open, [event.id]: message } };
  }
  const { messageId } = recordOf(event.data);
  const message = typeof messageId === "string" ? openMessage(state, messageId) : undefined;
  if (message === undefined || event.type === "message_deleted" || !isByWriter(event, message.handle))
    return { ...state, sequence };
  const { [message.messageId]: _, ...others } = state.open;
  const after = messageAfter(message.text, event);
  if (after.state !== "open") return { sequence, open: others };
  return { sequence, open: { ...state.open, [message.messageId]: { ...message, text: after.text } } };
}

function openMessage({ open }: ChannelState, messageId: string): OpenMessage | undefined {
  return Object.hasOwn(open, messageId) ? open[messageId] : undefined;
}

export function openMessagesOf(state: ChannelState, handle: string): readonly OpenMessage[] {
  return Object.values(state.open).filter((message) => message.handle === handle);
}

/** Returns the state in a stored snapshot; `null` for other data: then the fold starts at the beginning of the log. */
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
