/** Pairs results with their calls. Pure. */

import type { Message, ToolResultBlock } from "@continuo/core/model";

export interface ResultSource {
  readonly message: Message;
  readonly block: ToolResultBlock;
}

export interface Position {
  readonly source: readonly Message[];
  readonly at: number;
  readonly outline: readonly Outline[];
}

/** The ids of a message's calls, and of the calls that the message answers. */
export interface Outline {
  readonly calls: readonly string[];
  /** Ids of calls whose results the message itself holds. */
  readonly answered: readonly string[];
  /** The id of the call, for a message that is a result. */
  readonly answers: string | null;
}

/** Returns one outline for each message. */
export function outlineOf(messages: readonly Message[]): Outline[] {
  return messages.map(({ role, content }) => {
    if (role === "user" || role === "system") return NOTHING;
    const [first] = content;
    const answered = content.flatMap((block) => (block.type === "tool_result" ? [block.toolCallId] : []));
    const calls = content.flatMap((block) => (block.type === "tool_call" ? [block.id] : []));
    const answers = role === "tool" && first?.type === "tool_result" ? first.toolCallId : null;
    return calls.length === 0 && answered.length === 0 ? NOTHING : { calls, answered, answers };
  });
}

const NOTHING: Outline = { calls: [], answered: [], answers: null };

/**
 * Returns the results of the calls in an answer. A result may come at any place after the answer; a later call with the
 * same id has its own results.
 */
export function resultsOf({ source, at, outline }: Position, used: Set<Message>): Message[] {
  const answer = outline[at];
  if (answer === undefined) return [];
  let open = [...answer.calls];
  for (const id of answer.answered) open = lessOne(open, id);
  const results: Message[] = [];
  for (let next = at + 1; next < source.length && open.length > 0; next++) {
    const [message, said] = [source[next], outline[next]];
    if (message === undefined || said === undefined) break;
    if (message.role === "assistant" && said.calls.length > 0) {
      open = open.filter((id) => !said.calls.includes(id));
    }
    if (said.answers === null || used.has(message) || !open.includes(said.answers)) continue;
    open = lessOne(open, said.answers);
    used.add(message);
    results.push(message);
  }
  return results;
}

/** Removes one occurrence of the id, because an answer may have two calls with one id. */
function lessOne(ids: readonly string[], id: string): string[] {
  const at = ids.indexOf(id);
  return at === -1 ? [...ids] : ids.toSpliced(at, 1);
}

/**
 * Returns the results by the id of their call, in their order. A result in the answer itself belongs to a tool
 * that the vendor ran.
 */
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

/** Returns the place of a call's result in `order`; a call without a result comes after all others. */
export function rank(order: readonly string[], id: string): number {
  const at = order.indexOf(id);
  return at === -1 ? order.length : at;
}
