/**
 * Calls and results as the API wants them, by Claude Code's rules (2.1.330):
 *
 *  a. A line of an answer is left out if none of its calls has a result (rule 6 of `model-view.ts`). If the line is the
 *     end of the conversation, it stays: each call gets the result "[Tool call interrupted: …]", and the answer "No
 *     response requested." follows.
 *  b. If only some calls of an answer have a result, each other call gets one too: "[Tool result missing due to
 *     internal error]", before the present results; in the last answer, "[Tool call interrupted: …]", after them.
 *  c. A second call with the same id is left out. An answer that is then empty becomes "[Tool use interrupted]".
 *  d. A result is left out if no call of the answer directly before it has its id, or if it is the second result of a
 *     call. If nothing else is between the two answers, it becomes "(no content)"; at the beginning of the
 *     conversation it becomes "[Orphaned tool result removed due to conversation resume]".
 *  e. Results come before other content of the same message of the user.
 */

import type { Message, ToolCallBlock } from "@continuo/core/model";

export const INTERRUPTED: string =
  "[Tool call interrupted: the session ended before this call's result was recorded, so its outcome is unknown. " +
  "Check whether it took effect before relying on it or running it again.]";
const MISSING = "[Tool result missing due to internal error]";
const ORPHAN = "[Orphaned tool result removed due to conversation resume]";

export function pairCalls(messages: readonly Message[]): Message[] {
  const called = new Set<string>();
  const paired: Message[] = [];
  for (let at = 0; at < messages.length; ) {
    const first = messages[at];
    const answer = first?.role === "assistant" ? withoutRepeatedCalls(first, called) : undefined;
    const start = answer === undefined ? at : at + 1;
    let end = start;
    while (end < messages.length && messages[end]?.role !== "assistant") end += 1;
    if (answer !== undefined) paired.push(answer);
    const said = messages.slice(start, end);
    const isLast = end === messages.length && said.every((message) => message.role === "tool");
    paired.push(...pairTurn(answer, said, { isFirst: paired.length === 0, isLast }));
    at = end;
  }
  return paired;
}

/** Makes a message that is in no line of the file. */
export function madeMessage(near: Message, what: string, role: "user" | "assistant", text: string): Message {
  return {
    id: `${near.id}/${what}`,
    role,
    content: [{ type: "text", text }],
    metadata: { claude: { made: what } },
  };
}

interface TurnPlace {
  readonly isFirst: boolean;
  /** True if only results follow the answer. */
  readonly isLast: boolean;
}

/** Pairs the messages between an answer and the next. */
function pairTurn(answer: Message | undefined, said: readonly Message[], place: TurnPlace): Message[] {
  const calls = answer === undefined ? [] : callsOf(answer);
  const open = new Set(calls.map((call) => call.id));
  const results = said.filter((message) => message.role === "tool" && open.delete(message.toolCallId ?? ""));
  const texts = said.filter((message) => message.role !== "tool");
  const orphan = said.find((message) => message.role === "tool");
  const missing = calls.filter((call) => open.has(call.id));
  const turn =
    answer === undefined
      ? texts
      : place.isLast
        ? [...results, ...missing.map((call) => madeResult(answer, call, INTERRUPTED)), ...texts]
        : [...missing.map((call) => madeResult(answer, call, MISSING)), ...results, ...texts];
  if (turn.length > 0 || orphan === undefined) return turn;
  return [madeMessage(orphan, "orphan", "user", place.isFirst ? ORPHAN : "(no content)")];
}

function withoutRepeatedCalls(message: Message, called: Set<string>): Message {
  const content = message.content.filter((block) => {
    if (block.type !== "tool_call" || block.ranBy === "model") return true;
    if (called.has(block.id)) return false;
    called.add(block.id);
    return true;
  });
  if (content.length === message.content.length) return message;
  if (content.length > 0) return { ...message, content };
  return { ...message, content: [{ type: "text", text: "[Tool use interrupted]" }] };
}

function callsOf(message: Message): ToolCallBlock[] {
  if (message.role !== "assistant") return [];
  return message.content
    .filter((block) => block.type === "tool_call")
    .filter((block) => block.ranBy !== "model");
}

function madeResult(answer: Message, call: ToolCallBlock, text: string): Message {
  return {
    id: `${answer.id}/result:${call.id}`,
    role: "tool",
    content: [{ type: "tool_result", toolCallId: call.id, content: [{ type: "text", text }], isError: true }],
    toolCallId: call.id,
    toolName: call.name,
    toolInput: call.args,
    toolOutput: text,
    metadata: { claude: { made: "result" } },
  };
}
