/** What is asked of a message before an agent's writer sees it. Pure. */

import {
  type AgentName,
  type Block,
  ContinuoError,
  type ImageBlock,
  type Message,
  type ToolCallBlock,
  toWellFormed,
} from "../../model/index.ts";
import { isJson } from "../reader/index.ts";
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
/** Some take no more than 64 of them, and no dots and colons. */
const TOOL_NAME = /^[a-zA-Z0-9_.:-]{1,128}$/u;

/**
 * The API behind the agent refuses a request with a picture of another type, and with it every turn that follows.
 * Behind pi and opencode may be anybody's: they get what most take. (The vendors' documentation.)
 */
export function imageTypesOf(agent: AgentName): readonly string[] {
  return agent === "gemini"
    ? ["image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"]
    : ["image/png", "image/jpeg", "image/gif", "image/webp"];
}

interface Checking {
  readonly agent: AgentName;
  readonly calls: OpenCalls;
}

/**
 * A result gets the name and the input of its call; empty texts are left out, which no API takes, and halves of
 * characters are replaced. Errors: `invalid` for an empty message, a call whose id, name or input no model API takes
 * or that was made before, a result that no call waits for, a picture that no model takes.
 */
export function checkMessage(given: NewMessage, { agent, calls }: Checking): NewMessage {
  const whole = toWellFormed(given.content.filter((block) => !isEmptyText(block))) as readonly Block[];
  const message = { ...given, content: whole };
  if (message.content.length === 0) throw new ContinuoError("invalid", "a message without content");
  const made = new Set<string>();
  for (const block of message.content) {
    if (block.type === "tool_call") checkCall(message, block, calls);
    if (block.type === "tool_call") assertNew(made, block.id);
    if (block.type === "image") checkImage(block, agent);
    if (block.type === "thinking" && message.role !== "assistant") {
      throw new ContinuoError("invalid", `thinking in a message of the ${message.role}`);
    }
    if (block.type !== "tool_result") continue;
    if (message.role !== "tool") {
      throw new ContinuoError("invalid", `a tool result in a message of the ${message.role}`);
    }
    for (const inner of block.content) if (inner.type === "image") checkImage(inner, agent);
  }
  const [result] = message.content;
  if (message.role !== "tool" || result?.type !== "tool_result") return message;
  const call = calls.get(result.toolCallId);
  if (call !== undefined) return { ...message, toolName: call.name, toolInput: call.args };
  throw new ContinuoError("invalid", `no tool call ${result.toolCallId.slice(0, 80)} waits for a result`, {
    details: { waiting: calls.ids() },
  });
}

function isEmptyText(block: Block): boolean {
  return block.type === "text" && block.text === "" && block.signature === undefined;
}

function checkImage({ mimeType, data }: ImageBlock, agent: AgentName): void {
  if (data === undefined) return;
  if (data === "") throw new ContinuoError("invalid", "an image without data");
  const types = imageTypesOf(agent);
  if (types.includes(mimeType)) return;
  throw new ContinuoError(
    "invalid",
    `the model takes no images of the type ${JSON.stringify(mimeType.slice(0, 80))}`,
    { hint: `It takes ${types.join(", ")}.` },
  );
}

function assertNew(made: Set<string>, id: string): void {
  if (made.has(id)) throw new ContinuoError("invalid", `two tool calls have the id ${JSON.stringify(id)}`);
  made.add(id);
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
  if (!TOOL_NAME.test(call.name)) {
    const name = JSON.stringify(call.name.slice(0, 80));
    throw new ContinuoError("invalid", `no model API takes the tool name ${name}`, {
      hint: "Take letters, digits, _ and -, at most 64 of them.",
    });
  }
  if (!isJson(call.args)) throw new ContinuoError("invalid", `the input of the tool call ${id} is no object`);
  if (calls.get(call.id) !== undefined) {
    throw new ContinuoError("invalid", `the tool call ${id} waits for its result already`);
  }
}

/** Errors: `invalid`, always: the agent's format has no place for the block. */
export function refuseBlock(agent: string, block: Block, where: string): never {
  throw new ContinuoError("invalid", `${agent} has no place for a block of type ${block.type} in ${where}`);
}
