/** The order that models' APIs ask for: results directly behind their calls, what came between them after. */

import type { Message } from "../../model/index.ts";

export function toModelOrder(messages: readonly Message[]): readonly Message[] {
  const callers = new Map<string, Message>();
  const answers = new Map<Message, Message[]>();
  const moved = new Set<Message>();
  for (const message of messages) {
    for (const block of message.content) if (block.type === "tool_call") callers.set(block.id, message);
    const caller = message.role === "tool" ? callers.get(message.toolCallId ?? "") : undefined;
    if (caller === undefined) continue;
    moved.add(message);
    const list = answers.get(caller);
    if (list === undefined) answers.set(caller, [message]);
    else list.push(message);
  }
  return messages
    .filter((message) => !moved.has(message))
    .flatMap((message) => [message, ...(answers.get(message) ?? [])]);
}
