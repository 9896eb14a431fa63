/**
 * Messages as the APIs of models require them: each call has its result directly after it, in a message of its own.
 *
 * A call that the model's vendor ran has its result in the same message, where no API takes it back; both become messages
 * of their own. A call without a result, which a killed agent leaves, and a result without a call are refused by every API.
 */

import type { Block, Message } from "../../model/index.ts";
import { withoutReplaced } from "./attempts.ts";
import { type Halves, toModelOrder, toUnits } from "./units.ts";

export interface ModelTurns {
  readonly messages: readonly Message[];
  /** The calls and results that were taken out, because the other half is missing. */
  readonly halves: Halves;
}

/** @param waiting ids of calls that wait for permission: they are kept without a result */
export function toModelTurns(messages: readonly Message[], waiting?: ReadonlySet<string>): ModelTurns {
  const { units, halves } = toUnits(withoutReplaced(messages).flatMap(separate), waiting);
  const members = units.flatMap((unit) => unit.members).sort((a, b) => a.position - b.position);
  return { messages: toModelOrder(members.map(({ message }) => message)), halves };
}

/** The parts of an answer before and after the results that it contains, and these results. */
function separate(message: Message): readonly Message[] {
  if (message.role !== "assistant") return [message];
  const made: Message[] = [];
  let content: Block[] = [];
  const flush = (): void => {
    if (content.length > 0) made.push({ ...message, content });
    content = [];
  };
  for (const block of message.content) {
    if (block.type === "tool_call") {
      const { ranBy: _, ...call } = block;
      content.push(call);
    } else if (block.type === "tool_result") {
      flush();
      made.push(resultOf(block, message));
    } else content.push(block);
  }
  flush();
  return made;
}

function resultOf(
  block: Extract<Block, { type: "tool_result" }>,
  { id, metadata, content }: Message,
): Message {
  const call = content.find((one) => one.type === "tool_call" && one.id === block.toolCallId);
  return {
    id: `${id}/${block.toolCallId}`,
    role: "tool",
    content: [block],
    toolCallId: block.toolCallId,
    ...(call?.type === "tool_call" ? { toolName: call.name } : {}),
    metadata,
  };
}
