/**
 * Units are messages that stay together. A unit is a message, or a message with calls and the messages with their
 * results.
 *
 * Halves of pairs (a call without a result, a result without a call) are removed from every context. A call that the
 * model's vendor ran is not half of a pair, because its result need not be sent.
 */

import type { Block, Message } from "../../model/index.ts";

export interface ContextUnit {
  /** In order, each with its position in the given messages. */
  readonly members: readonly UnitMessage[];
  readonly isSystem: boolean;
}

export interface UnitMessage {
  readonly position: number;
  readonly message: Message;
}

export interface Units {
  /** In the order of their last messages. */
  readonly units: readonly ContextUnit[];
  readonly halves: UnpairedCounts;
}

export interface UnpairedCounts {
  readonly calls: number;
  readonly results: number;
}

const NONE: ReadonlySet<string> = new Set();

/** @param waiting ids of calls that have no result yet, and are kept */
export function toUnits(messages: readonly Message[], waiting: ReadonlySet<string> = NONE): Units {
  const groups = createGroups(messages.length);
  const open = new Map<string, { readonly position: number; readonly block: Block }>();
  const halves = { calls: 0, results: 0 };
  const taken = new Set<Block>();
  for (const [position, message] of messages.entries()) {
    for (const block of message.content) {
      if (block.type === "tool_call") {
        const former = open.get(block.id);
        if (former !== undefined) takeOut(former.block);
        open.set(block.id, { position, block });
      } else if (block.type === "tool_result") {
        const call = open.get(block.toolCallId);
        if (call === undefined) takeOut(block);
        else groups.join(call.position, position);
        open.delete(block.toolCallId);
      }
    }
  }
  for (const { block } of open.values()) takeOut(block);
  return { units: groupsToUnits(messages, groups, taken), halves };

  function takeOut(block: Block): void {
    if (block.type === "tool_call" && (block.ranBy === "model" || waiting.has(block.id))) return;
    taken.add(block);
    if (block.type === "tool_call") halves.calls++;
    else halves.results++;
  }
}

function groupsToUnits(
  messages: readonly Message[],
  groups: Groups,
  taken: ReadonlySet<Block>,
): ContextUnit[] {
  const members = new Map<number, UnitMessage[]>();
  for (const [position, original] of messages.entries()) {
    const message = taken.size === 0 ? original : without(original, taken);
    if (message === null) continue;
    const group = groups.of(position);
    const list = members.get(group);
    if (list === undefined) members.set(group, [{ position, message }]);
    else list.push({ position, message });
  }
  const units = [...members.values()].map((list) => ({
    members: list,
    isSystem: list.every(({ message }) => message.role === "system"),
  }));
  return units.sort((a, b) => lastPosition(a) - lastPosition(b));
}

function lastPosition(unit: ContextUnit): number {
  return unit.members.at(-1)?.position ?? -1;
}

/** `null` if no content is left, or only thinking. */
function without(message: Message, taken: ReadonlySet<Block>): Message | null {
  if (!message.content.some((block) => taken.has(block))) {
    // A tool message without its result answers nothing.
    return message.role === "tool" && !message.content.some(isResult) ? null : message;
  }
  const content = message.content.filter((block) => !taken.has(block));
  return content.every((block) => block.type === "thinking") ? null : { ...message, content };
}

function isResult(block: Block): boolean {
  return block.type === "tool_result";
}

interface Groups {
  of(position: number): number;
  join(a: number, b: number): void;
}

/** Groups of positions, each known by its first one. */
function createGroups(length: number): Groups {
  const parents = new Map<number, number>();
  const of = (position: number): number => {
    let at = position;
    for (let up = parents.get(at); up !== undefined; up = parents.get(at)) at = up;
    return at;
  };
  return {
    of,
    join(a, b) {
      const [first, second] = [of(a), of(b)].sort((x, y) => x - y);
      if (first !== undefined && second !== undefined && first !== second && second < length) {
        parents.set(second, first);
      }
    },
  };
}

/**
 * The prompt that is added before an answer with which a conversation begins: no API of a model accepts a conversation
 * without it.
 */
export const PROMPT_BEFORE_ANSWER = "[The conversation begins with the answer of the agent.]";

/** The order that the APIs of models require: results directly after their calls, then the messages between them. */
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
