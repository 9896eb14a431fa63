/** What is asked of a message before an agent's writer sees it. Pure. */

import { type Block, ContinuoError, type Message, type ToolCallBlock } from "../../model/index.ts";
import type { NewMessage } from "./writer.ts";

/** The calls that wait for a result. */
export interface OpenCalls {
  get(id: string): ToolCallBlock | undefined;
  ids(): readonly string[];
  /** Whether this writer made one of them. */
  holdsOwn(): boolean;
  isOwn(id: string): boolean;
  /** Takes in what this writer wrote. */
  note(message: NewMessage): void;
}

/** @param before what this writer knew before it read the session anew: its own calls stay its own. */
export function openCallsIn(history: readonly Message[], before?: OpenCalls): OpenCalls {
  const open = new Map<string, ToolCallBlock>();
  const own = new Set<string>();
  // An agent may put the name of the tool in front of the id that it was given.
  const find = (id: string): ToolCallBlock | undefined =>
    open.get(id) ?? [...open.values()].find((call) => call.id === `${call.name}__${id}`);
  const take = (content: readonly Block[]): void => {
    for (const block of content) {
      if (block.type === "tool_call" && block.ranBy !== "model") open.set(block.id, block);
      if (block.type === "tool_result") open.delete(find(block.toolCallId)?.id ?? "");
    }
  };
  for (const message of history) take(message.content);
  for (const [id, { name }] of open) {
    if (before?.isOwn(id) || before?.isOwn(id.slice(`${name}__`.length))) own.add(id);
  }
  return {
    get: find,
    ids: () => [...open.keys()],
    holdsOwn: () => own.size > 0,
    isOwn: (id) => own.has(id),
    note({ content }) {
      take(content);
      for (const block of content) {
        if (block.type === "tool_call" && open.has(block.id)) own.add(block.id);
        if (block.type === "tool_result") for (const id of own) if (!open.has(id)) own.delete(id);
      }
    },
  };
}

export function toContent(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/** Ids that every vendor's API takes. */
const TOOL_CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/u;

/**
 * A result gets the name and the input of its call. Errors: `invalid` for an empty message, a call whose id
 * no model API takes or that was made before, a result that no call waits for.
 */
export function checkMessage(message: NewMessage, calls: OpenCalls): NewMessage {
  if (message.content.length === 0) throw new ContinuoError("invalid", "a message without content");
  for (const block of message.content) {
    if (block.type === "tool_call") checkCall(message, block, calls);
    if (block.type === "tool_result" && message.role !== "tool") {
      throw new ContinuoError("invalid", `a tool result in a message of the ${message.role}`);
    }
  }
  const [result] = message.content;
  if (message.role !== "tool" || result?.type !== "tool_result") return message;
  const call = calls.get(result.toolCallId);
  if (call !== undefined) return { ...message, toolName: call.name, toolInput: call.args };
  throw new ContinuoError("invalid", `no tool call ${result.toolCallId.slice(0, 80)} waits for a result`, {
    details: { waiting: calls.ids() },
  });
}

function checkCall(message: NewMessage, call: ToolCallBlock, calls: OpenCalls): void {
  const id = JSON.stringify(call.id.slice(0, 80));
  if (message.role !== "assistant") {
    throw new ContinuoError("invalid", `a tool call in a message of the ${message.role}`);
  }
  if (!TOOL_CALL_ID.test(call.id)) {
    throw new ContinuoError("invalid", `no model API takes the tool call id ${id}`, {
      hint: "Take letters, digits, _ and -, at most 64 of them.",
    });
  }
  if (calls.get(call.id) !== undefined) {
    throw new ContinuoError("invalid", `the tool call ${id} waits for its result already`);
  }
}

/** Errors: `invalid`, always: the agent's format has no place for the block. */
export function refuseBlock(agent: string, block: Block, where: string): never {
  throw new ContinuoError("invalid", `${agent} has no place for a block of type ${block.type} in ${where}`);
}
