/** The rows of a channel: days, messages, and threads of replies below their first message. Pure. */

import type { ChannelMessage, SystemLine } from "@continuo/core/wire";

export type Row =
  | { readonly type: "day"; readonly key: string; readonly at: string }
  /** The messages below it are new since the reader's last visit. */
  | { readonly type: "mark"; readonly key: string }
  | { readonly type: "message"; readonly key: string; readonly message: ChannelMessage; readonly head: Head }
  | { readonly type: "reply"; readonly key: string; readonly message: ChannelMessage }
  /** Replies that can be folded. */
  | {
      readonly type: "fold";
      readonly key: string;
      readonly root: string;
      readonly hidden: number;
      readonly isOpen: boolean;
    }
  /** A reply whose thread is further up. */
  | {
      readonly type: "pointer";
      readonly key: string;
      readonly message: ChannelMessage;
      readonly root: ChannelMessage;
    }
  | { readonly type: "notice"; readonly key: string; readonly notice: SystemLine };

/** `again`: the same writer, a moment later. `stray`: a reply to a message that is not loaded. */
type Head = "whole" | "again" | "stray";

export interface RowOptions {
  /** Threads that the reader opened or closed, by the id of their first message. */
  readonly folds: ReadonlyMap<string, boolean>;
  /** The reader has seen everything up to this sequence; `null` if it is not known. */
  readonly seen: number | null;
}

/** A thread with at most this many replies is not folded. A longer thread shows its newest reply below its fold. */
const SHORT_THREAD = 3;
const TOGETHER_MS = 300_000;

export function toRows(
  messages: readonly ChannelMessage[],
  notices: readonly SystemLine[],
  options: RowOptions,
): readonly Row[] {
  const threads = threadsOf(messages);
  const rows: Row[] = [];
  /** The message or thread to which the newest line belongs. */
  let above: ChannelMessage | null = null;
  /** The newest row, if a further message of its author can follow without a heading. */
  let run: ChannelMessage | null = null;
  let day = "";
  let isMarked = options.seen === null || options.seen === 0;
  const waiting = [...notices];
  for (const message of messages) {
    const { messageId, sequence, timestamp } = message;
    while (waiting[0] !== undefined && waiting[0].sequence < sequence) rows.push(noticeRow(waiting.shift()));
    const root = threads.rootOf.get(messageId);
    const isNewest = root !== undefined && threads.repliesOf.get(root.messageId)?.at(-1) === message;
    // The thread already has the reply; a row links there if other messages came between.
    if (root !== undefined && (!isNewest || above === root)) continue;
    const date = localDay(timestamp);
    if (date !== day) {
      rows.push({ type: "day", key: `day ${date}`, at: timestamp });
      run = null;
    }
    if (!isMarked && options.seen !== null && sequence > options.seen) {
      isMarked = true;
      if (rows.some(({ type }) => type !== "day")) rows.push({ type: "mark", key: "mark" });
      run = null;
    }
    const replies = threads.repliesOf.get(messageId) ?? [];
    if (root !== undefined) rows.push({ type: "pointer", key: `pointer ${messageId}`, message, root });
    else {
      rows.push({ type: "message", key: `message ${messageId}`, message, head: headOf(message, run) });
      rows.push(...threadRows(messageId, replies, options));
    }
    above = root ?? message;
    run = root === undefined && replies.length === 0 ? message : null;
    day = date;
  }
  return [...rows, ...waiting.map(noticeRow)];
}

function threadRows(root: string, replies: readonly ChannelMessage[], { folds }: RowOptions): readonly Row[] {
  const isLong = replies.length > SHORT_THREAD;
  const isOpen = folds.get(root) ?? !isLong;
  const shown = isOpen
    ? replies
    : replies.filter((one, at) => at === replies.length - 1 || one.state === "open");
  const rows = shown.map((message): Row => ({ type: "reply", key: `reply ${message.messageId}`, message }));
  if (!isLong) return rows;
  return [
    { type: "fold", key: `fold ${root}`, root, hidden: replies.length - shown.length, isOpen },
    ...rows,
  ];
}

interface Threads {
  readonly rootOf: ReadonlyMap<string, ChannelMessage>;
  /** In the order of their first messages. */
  readonly repliesOf: ReadonlyMap<string, readonly ChannelMessage[]>;
}

/** A reply to a reply belongs to the thread of the first message. */
function threadsOf(messages: readonly ChannelMessage[]): Threads {
  const known = new Map(messages.map((message) => [message.messageId, message]));
  const rootOf = new Map<string, ChannelMessage>();
  const repliesOf = new Map<string, ChannelMessage[]>();
  for (const message of messages) {
    const parent = message.replyTo === undefined ? undefined : known.get(message.replyTo);
    // A message is newer than the one to which it replies, so that no thread is a circle.
    if (parent === undefined || parent.sequence >= message.sequence) continue;
    const root = rootOf.get(parent.messageId) ?? parent;
    rootOf.set(message.messageId, root);
    const replies = repliesOf.get(root.messageId);
    if (replies === undefined) repliesOf.set(root.messageId, [message]);
    else replies.push(message);
  }
  return { rootOf, repliesOf };
}

function headOf({ replyTo, handle, timestamp }: ChannelMessage, run: ChannelMessage | null): Head {
  if (replyTo !== undefined) return "stray";
  const isTogether =
    run?.handle === handle && Date.parse(timestamp) - Date.parse(run.timestamp) < TOGETHER_MS;
  return isTogether ? "again" : "whole";
}

function localDay(timestamp: string): string {
  const date = new Date(timestamp);
  return `${date.getFullYear()}-${date.getMonth()}-${date.getDate()}`;
}

function noticeRow(notice: SystemLine | undefined): Row {
  const { id = "", sequence = 0, timestamp = "", text = "" } = notice ?? {};
  return { type: "notice", key: `notice ${sequence}`, notice: { id, sequence, timestamp, text } };
}
