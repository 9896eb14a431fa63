/** The turns of one session, with the same numbers as in the index. */

import type { Message } from "@continuo/core/model";
import { type Turn, turnsOf } from "@continuo/native/index-file";
import { everyMessage, type MessageSource } from "./every-message.ts";

export { filesOfCall } from "@continuo/native/index-file";

/** A message of a person, and everything until the next message of a person. */
export interface SessionTurn extends Pick<Turn, "messageId" | "at" | "tools" | "files" | "errors"> {
  /** 1-based; the active branch comes first. */
  readonly number: number;
  readonly messages: readonly Message[];
}

/** Yields the turns of every branch, each message once. One turn is in memory at a time. */
export async function* sessionTurns(
  session: MessageSource,
  options: { readonly signal?: AbortSignal } = {},
): AsyncGenerator<SessionTurn, void, void> {
  let number = 0;
  let read: Message[] = [];
  let isEnd = false;
  const watched = async function* (): AsyncGenerator<Message, void, void> {
    for await (const message of everyMessage(session, options)) {
      read.push(message);
      yield message;
    }
    isEnd = true;
  };
  for await (const { messageId, at, tools, files, errors } of turnsOf(watched())) {
    // `turnsOf` ends a turn when it has read the first message of the next one; that message is kept for the next one.
    const next = isEnd ? [] : read.slice(-1);
    number += 1;
    yield { number, messageId, at, tools, files, errors, messages: isEnd ? read : read.slice(0, -1) };
    read = next;
  }
}
