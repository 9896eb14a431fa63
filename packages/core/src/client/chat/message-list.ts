/** The fold of a chat: frames of its stream become the list of messages that a page shows. Pure. */

import { CHAT_LIST_LIMITS, type ChatFrame, type ChatMessage, type UIPart } from "../../wire/index.ts";

/** A question of an agent that waits for a person. */
export interface ChatQuestion {
  readonly id: string;
  readonly toolName: string;
  readonly toolInput: unknown;
}

/** A message of the list. It is the same object until it changes. */
export interface ChatListMessage extends ChatMessage {
  /** Its text without tools and thoughts: show it with `textContent`, because it can contain anything. */
  readonly text: string;
  /**
   * `sending`: not stored yet. `waiting`: the run of the answer has not begun, because an earlier answer is not complete
   * or no worker is free. `open`: more of the answer comes. Each other value says how the message ended.
   */
  readonly status:
    | "sending"
    | "waiting"
    | "open"
    | "complete"
    | "failed"
    | "cancelled"
    | "interrupted"
    | "timed_out";
  readonly questions: readonly ChatQuestion[];
}

export interface MessageList {
  readonly messages: readonly ChatListMessage[];
}

export const EMPTY_LIST: MessageList = { messages: [] };

/** A frame of an unknown type, or about a message that is not in the list, changes nothing. */
export function foldFrame(list: MessageList, frame: ChatFrame): MessageList {
  switch (frame.type) {
    case "chat": {
      const [open, waiting] = [new Set(frame.open), new Set(frame.waiting)];
      return newest(
        frame.messages.map((message) => toListed(message, open.has(message.id), waiting.has(message.id))),
      );
    }
    case "message": {
      const { message, isOpen, isWaiting } = frame;
      const others = list.messages.filter(({ id }) => id !== message.id);
      return newest([...others, toListed(message, isOpen, isWaiting)]);
    }
    case "begin":
      return changed(list, frame.id, (message) => ({ ...message, status: "open" }));
    case "change":
      return changed(list, frame.id, (message) => ({ ...message, parts: partsAfter(message.parts, frame) }));
    case "end": {
      const { metadata } = frame;
      return changed(list, frame.id, ({ id, role, parts }) =>
        toListed({ id, role, parts, ...(metadata === undefined ? {} : { metadata }) }, false),
      );
    }
    default:
      return list;
  }
}

/** The message of this page before the server has stored it. */
export function unsent(id: string, text: string): ChatListMessage {
  const message = toListed({ id, role: "user", parts: [{ type: "text", text }] }, false);
  return { ...message, status: "sending" };
}

function newest(messages: readonly ChatListMessage[]): MessageList {
  return { messages: messages.slice(-CHAT_LIST_LIMITS.mostMessages) };
}

function changed(
  list: MessageList,
  id: string,
  to: (message: ChatListMessage) => ChatListMessage,
): MessageList {
  const place = list.messages.findLastIndex((message) => message.id === id);
  const before = list.messages[place];
  if (before === undefined) return list;
  const message = to(before);
  return { messages: list.messages.with(place, { ...message, ...shownOf(message.parts) }) };
}

function partsAfter(
  before: readonly UIPart[],
  { length, parts = [], delta = "" }: Extract<ChatFrame, { type: "change" }>,
): readonly UIPart[] {
  const after = before.slice(0, length);
  for (const [place, part] of parts) after[Math.min(place, after.length)] = part;
  const last = after.at(-1);
  if (last !== undefined && delta !== "") after[after.length - 1] = { ...last, text: `${last.text}${delta}` };
  return after;
}

function toListed(message: ChatMessage, isOpen: boolean, isWaiting = false): ChatListMessage {
  const status = isWaiting ? "waiting" : isOpen ? "open" : (message.metadata?.status ?? "complete");
  return { ...message, status, ...shownOf(message.parts) };
}

function shownOf(parts: readonly UIPart[]): Pick<ChatListMessage, "text" | "questions"> {
  const texts = parts.flatMap(({ type, text }) => (type === "text" && text !== "" ? [String(text)] : []));
  return { text: texts.join("\n\n"), questions: parts.flatMap(questionOf) };
}

const TOOL = "tool-";

function questionOf({ type, state, approval, input }: UIPart): readonly ChatQuestion[] {
  const id = (approval as { readonly id?: unknown } | undefined)?.id;
  if (state !== "approval-requested" || typeof id !== "string") return [];
  return [{ id, toolName: type.startsWith(TOOL) ? type.slice(TOOL.length) : type, toolInput: input }];
}
