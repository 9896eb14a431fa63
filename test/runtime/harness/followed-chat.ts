/** A chat as a page has it: the frames of its stream, folded by the client. */

import { present, type RunStatus, readAll, type Store } from "@continuo/core/model";
import type { ChatMessage } from "@continuo/core/wire";
import {
  EMPTY_LIST,
  foldFrame,
  type MessageList,
} from "../../../packages/core/src/client/chat/message-list.ts";
import { ChatFold, readChat } from "../../../packages/server/src/runtime/chat.ts";
import { plainFailure } from "../../../packages/server/src/runtime/failure-text.ts";
import { isKnownEvent } from "../../../packages/server/src/runtime/run-events.ts";

interface SeenChat {
  readonly messages: readonly ChatMessage[];
  readonly open: readonly string[];
  readonly waiting?: readonly string[];
}

export interface ComparedChats {
  /** The chat of a reader who came after this number of events, and followed the others. */
  readonly followed: SeenChat;
  readonly read: SeenChat;
}

/**
 * Yields the chat of a reader who came at each event of the log, and after each event the chat of the one who came
 * first. The statuses in `retried` are followed by an attempt.
 */
export async function* everyReader(
  store: Store,
  sessionId: string,
  retried: readonly RunStatus[],
): AsyncGenerator<ComparedChats, void> {
  const events = (await Array.fromAsync(readAll(store, sessionId, {}))).filter(isKnownEvent);
  const isRetried = (status: RunStatus): boolean => retried.includes(status);
  const options = { isRetried, failureText: plainFailure };
  const readAfter = async (count: number): Promise<SeenChat> => {
    const first = (async function* () {
      yield* events.slice(0, count);
    })();
    return JSON.parse(JSON.stringify(await readChat(first, options))) as SeenChat;
  };
  const read = await readAfter(events.length);
  for (let start = 0; start <= events.length; start++) {
    let list: MessageList = EMPTY_LIST;
    let fold = new ChatFold(options);
    const begin = (count: number): void => {
      fold = new ChatFold(options);
      for (const event of events.slice(0, count)) fold.take(event);
      list = foldFrame(list, JSON.parse(JSON.stringify({ type: "chat", ...fold.begin() })));
    };
    begin(start);
    for (const [place, event] of events.entries()) {
      if (place < start) continue;
      const frames = fold.follow(event);
      if (frames === null) begin(place + 1);
      // A frame is sent as text, so it goes through JSON here.
      else for (const frame of frames) list = foldFrame(list, JSON.parse(JSON.stringify(frame)));
      if (start === 0) yield { followed: seen(list), read: await readAfter(place + 1) };
    }
    yield { followed: seen(list), read };
  }
}

function seen({ messages }: MessageList): SeenChat {
  const waiting = messages.flatMap(({ id, status }) => (status === "waiting" ? [id] : []));
  return {
    messages: messages.map(({ text: _, status: __, questions: ___, ...message }) => message),
    open: messages.flatMap(({ id, status }) => (status === "open" || status === "waiting" ? [id] : [])),
    ...present({ waiting: waiting.length === 0 ? undefined : waiting }),
  };
}
