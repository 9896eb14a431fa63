/**
 * The turns of a long session of which only the end was read. Without an outline they count from the end: the last
 * one is -1. Pure.
 */

import { messageKind } from "@continuo/core/transcript";
import { turnTitle } from "@continuo/core/transcript/html";
import type { Outline, OutlineMark, OutlineTurn, WindowMessage } from "@continuo/core/wire/machine";

/**
 * Assigns turns to the messages at the end. `total` is the number of turns of the session; `null` if it is not known.
 */
export function withTurns(
  messages: readonly WindowMessage[],
  total: number | null,
): readonly WindowMessage[] {
  if (messages.every(({ turn }) => turn !== null)) return messages;
  const last = messages.at(-1)?.turn ?? total ?? -1;
  let number = last;
  let turnId = messages.at(-1)?.turnId;
  const numbered: WindowMessage[] = [];
  for (const one of messages.toReversed()) {
    if (one.turnId !== turnId) number -= 1;
    turnId = one.turnId;
    numbered.push(one.turn === null ? { ...one, turn: number } : one);
  }
  return numbered.toReversed();
}

/** Makes an outline of the loaded messages, which have their turns. */
export function outlineOfLoaded(messages: readonly WindowMessage[]): Outline {
  const turns = new Map<number, { -readonly [K in keyof OutlineTurn]: OutlineTurn[K] }>();
  const marks: OutlineMark[] = [];
  for (const [index, { message, turn: number, turnId }] of messages.entries()) {
    if (number === null) continue;
    const turn = turns.get(number) ?? emptyTurn(number, turnId, index, message);
    turns.set(number, turn);
    turn.messages += 1;
    turn.endedAt = message.timestamp ?? turn.endedAt;
    const place = { messageId: message.id, index, turn: number, at: message.timestamp ?? null, text: "" };
    const kind = messageKind(message);
    if (kind === "summary") marks.push({ type: "compaction", ...place });
    for (const block of message.content) {
      if (block.type === "tool_call") turn.toolCalls += 1;
      if (kind !== "error" && !(block.type === "tool_result" && block.isError)) continue;
      turn.errors += 1;
      marks.push({ type: "error", ...place });
    }
  }
  return { turns: [...turns.values()], total: 0, hasOlder: true, marks, files: [], seenFrom: null };
}

function emptyTurn(
  number: number,
  id: string,
  index: number,
  message: WindowMessage["message"],
): { -readonly [K in keyof OutlineTurn]: OutlineTurn[K] } {
  const at = message.timestamp ?? null;
  const counts = { messages: 0, toolCalls: 0, errors: 0, tokens: 0, costUsd: null };
  return { number, id, index, title: turnTitle(message), at, endedAt: null, models: [], ...counts };
}
