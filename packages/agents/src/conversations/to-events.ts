/** A message of an agent's history as the events of a session of Continuo's. Pure. */

import { type Block, type Message, type NewEvent, present } from "@continuo/core/model";

/** The events are those of a run of the agent. */
export function toEvents(message: Message): NewEvent[] {
  const { id: messageId, role, model, usage, stopReason, timestamp } = message;
  const time = timestamp === undefined ? {} : { occurredAt: timestamp };
  if (role === "tool") return message.content.flatMap((block) => resultEvent(block, message, time));
  if (role !== "assistant") {
    const actor = { kind: message.origin === "person" ? ("person" as const) : ("system" as const) };
    return [{ type: "message_sent", data: { content: message.content, role, messageId }, actor, ...time }];
  }
  const said = message.content.filter(({ type }) => type !== "tool_call");
  const actor = { kind: "agent" as const };
  const data = present({ content: said, messageId, model, usage, stopReason });
  const calls = message.content.flatMap((block): NewEvent[] =>
    block.type === "tool_call"
      ? [
          {
            type: "tool_call_started",
            data: {
              toolCallId: block.id,
              toolName: block.name,
              toolInput: block.rawArgs ?? block.args,
              messageId,
            },
            actor,
            ...time,
          },
        ]
      : [],
  );
  // An answer without text has used tokens too, and only this event has their number.
  const isKept = said.length > 0 || usage !== undefined;
  return [...(isKept ? [{ type: "message_received", data, actor, ...time }] : []), ...calls];
}

function resultEvent(
  block: Block,
  { toolName }: Message,
  time: { readonly occurredAt?: string },
): NewEvent[] {
  if (block.type !== "tool_result") return [];
  const { toolCallId, content, isError, status } = block;
  const data = present({ toolCallId, toolName });
  const actor = { kind: "agent" as const };
  return [
    isError
      ? {
          type: "tool_call_failed",
          data: { ...data, error: content, status: status ?? "error" },
          actor,
          ...time,
        }
      : { type: "tool_call_completed", data: { ...data, toolOutput: content }, actor, ...time },
  ];
}
