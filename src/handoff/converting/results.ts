/** Which results are of which calls. Pure. */

import type { Message, ToolResultBlock } from "../../model/index.ts";

export interface ResultSource {
  readonly message: Message;
  readonly block: ToolResultBlock;
}

export interface Position {
  readonly source: readonly Message[];
  readonly at: number;
}

/** The results of an answer's calls, wherever they stand behind it; a later call of the same id has its own. */
export function resultsOf({ source, at }: Position, used: Set<Message>): Message[] {
  const answer = source[at];
  if (answer === undefined) return [];
  const answered = answer.content.flatMap((block) =>
    block.type === "tool_result" ? [block.toolCallId] : [],
  );
  let open = answer.content.flatMap((block) => (block.type === "tool_call" ? [block.id] : []));
  for (const id of answered) open = lessOne(open, id);
  const results: Message[] = [];
  for (let next = at + 1; next < source.length && open.length > 0; next++) {
    const message = source[next];
    if (message === undefined) break;
    const [result] = message.content;
    if (message.role === "assistant") {
      const again = new Set(
        message.content.flatMap((block) => (block.type === "tool_call" ? [block.id] : [])),
      );
      open = open.filter((id) => !again.has(id));
    }
    if (message.role !== "tool" || result?.type !== "tool_result" || used.has(message)) continue;
    if (!open.includes(result.toolCallId)) continue;
    open = lessOne(open, result.toolCallId);
    used.add(message);
    results.push(message);
  }
  return results;
}

/** One of them less: an answer may have called twice by one id. */
function lessOne(ids: readonly string[], id: string): string[] {
  const at = ids.indexOf(id);
  return at === -1 ? [...ids] : ids.toSpliced(at, 1);
}

/** By the id of their call, in their order. What stands in the answer itself is of a tool that the vendor ran. */
export function sourcesOf(
  message: Message,
  inline: readonly ToolResultBlock[],
  results: readonly Message[],
): Map<string, ResultSource[]> {
  const behind = results.flatMap((result) =>
    result.content.flatMap((block) => (block.type === "tool_result" ? [{ message: result, block }] : [])),
  );
  return Map.groupBy(
    [...inline.map((block) => ({ message, block })), ...behind],
    ({ block }) => block.toolCallId,
  );
}

/** Results keep the order in which they came; those that never came are last. */
export function rank(order: readonly string[], id: string): number {
  const at = order.indexOf(id);
  return at === -1 ? order.length : at;
}
