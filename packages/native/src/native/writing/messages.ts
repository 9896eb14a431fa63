/** Checks a message before an agent's writer receives it. Pure. */

import {
  type AgentName,
  type Block,
  ContinuoError,
  type ImageBlock,
  type Message,
  type ToolCallBlock,
  toWellFormed,
} from "@continuo/core/model";
import { isJson } from "@continuo/files";
import type { TargetRules } from "../kit/index.ts";
import type { NewMessage } from "./writer.ts";

/** The agent that a message is written for. */
interface Target {
  readonly name: AgentName;
  readonly accepts: TargetRules;
}

/** The calls that wait for a result. */
export interface OpenCalls {
  get(id: string): ToolCallBlock | undefined;
  ids(): readonly string[];
  /** Returns true if this writer made one of them. */
  holdsOwn(): boolean;
  isOwn(id: string): boolean;
  /** Returns true if the agent would confuse a call of this id with an earlier one. */
  isUsed(id: string): boolean;
  /** Returns true if there is any message. */
  isBegun(): boolean;
  /** Adds a message that this writer wrote. */
  note(message: NewMessage): void;
}

/**
 * @param before the state of this writer before it read the session again; its own calls are still recognised as such.
 */
export function openCallsIn(
  { name: agent, accepts }: Target,
  history: readonly Message[],
  before?: OpenCalls,
): OpenCalls {
  const open = new Map<string, ToolCallBlock>();
  const own = new Set<string>();
  /** The used ids, each with the id of which it counts as a copy. */
  const used = { ids: new Set<string>(), copies: new Set<string>() };
  let isBegun = false;
  // An agent may put the name of the tool before the id.
  const find = (id: string): ToolCallBlock | undefined =>
    open.get(id) ?? [...open.values()].find((call) => call.id === `${call.name}__${id}`);
  const take = ({ role, content, stopReason }: Pick<Message, "role" | "content" | "stopReason">): void => {
    isBegun ||= role === "user" || role === "assistant";
    // pi never sends an incomplete answer or its calls.
    const isSent = agent !== "pi" || (stopReason !== "error" && stopReason !== "aborted");
    for (const block of content) {
      if (block.type === "tool_call" && block.ranBy !== "model" && isSent) open.set(block.id, block);
      if (block.type === "tool_call") used.ids.add(block.id);
      if (block.type === "tool_call") used.copies.add(accepts.takenForCopyOf(block.id));
      if (block.type === "tool_result") open.delete(find(block.toolCallId)?.id ?? "");
    }
  };
  for (const message of history) take(message);
  for (const [id, { name }] of open) {
    if (before?.isOwn(id) || before?.isOwn(id.slice(`${name}__`.length))) own.add(id);
  }
  return {
    get: find,
    ids: () => [...open.keys()],
    holdsOwn: () => own.size > 0,
    isOwn: (id) => own.has(id),
    isUsed: (id) => used.ids.has(id) || used.copies.has(id) || used.ids.has(accepts.takenForCopyOf(id)),
    isBegun: () => isBegun,
    note(message) {
      const { content } = message;
      take(message);
      for (const block of content) {
        if (block.type === "tool_call" && open.has(block.id)) own.add(block.id);
        if (block.type === "tool_result") for (const id of own) if (!open.has(id)) own.delete(id);
      }
    },
  };
}

/** The form of ids that every vendor's API accepts. */
const TOOL_CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/u;
/** Some APIs accept at most 64 characters, and no dots or colons. */
const TOOL_NAME = /^[a-zA-Z0-9_.:-]{1,128}$/u;

interface MessageCheck {
  readonly target: Target;
  readonly calls: OpenCalls;
}

/**
 * A result gets the name and the input of its call. Empty texts, which no API accepts, are left out, and halves of
 * characters are replaced. Errors: `invalid` for an empty message, a call whose id, name or input no model API accepts
 * or that was made before, a result that no call waits for, a picture that no model accepts.
 */
export function checkMessage(given: NewMessage, { target, calls }: MessageCheck): NewMessage {
  const whole = toWellFormed(given.content.filter((block) => !isEmptyText(block))) as readonly Block[];
  const message = { ...given, content: whole };
  if (message.content.length === 0)
    throw new ContinuoError("invalid", "cannot append a message without content");
  assertInPlace(message, { target, calls });
  const made = new Set<string>();
  for (const block of message.content) {
    if (block.type === "tool_call") checkCall(message, block, calls);
    if (block.type === "tool_call") assertNew(made, block.id);
    if (block.type === "image") checkImage(block, target.accepts.imageTypes);
    assertKept(block, target.name);
    if (block.type === "thinking" && message.role !== "assistant") {
      throw new ContinuoError("invalid", `a message of the ${message.role} cannot contain thinking`);
    }
    if (block.type !== "tool_result") continue;
    if (message.role !== "tool") {
      throw new ContinuoError("invalid", `a message of the ${message.role} cannot contain a tool result`);
    }
    for (const inner of block.content)
      if (inner.type === "image") checkImage(inner, target.accepts.imageTypes);
  }
  const [result] = message.content;
  if (message.role !== "tool" || result?.type !== "tool_result") return message;
  const call = calls.get(result.toolCallId);
  if (call !== undefined) return { ...message, toolName: call.name, toolInput: call.args };
  throw new ContinuoError("invalid", `no tool call ${result.toolCallId.slice(0, 80)} waits for a result`, {
    details: { waiting: calls.ids() },
  });
}

/** Refuses a message that an agent, or the API that it uses, does not continue in this place. */
function assertInPlace({ role, content }: NewMessage, { target, calls }: MessageCheck): void {
  const agent = target.name;
  if (agent === "claude" && role === "assistant" && !calls.isBegun()) {
    throw new ContinuoError("invalid", "a session of claude begins with a message of the user", {
      hint: "Append the prompt first: the API refuses every request that begins with an answer.",
    });
  }
  const waiting = calls.ids();
  if (agent === "pi" && role === "user" && waiting.length > 0) {
    throw new ContinuoError(
      "invalid",
      "pi does not continue a session with a prompt between a call and its result",
      {
        hint: "Append the results first. `continuo session repair` closes calls whose results are lost.",
        details: { waiting },
      },
    );
  }
  for (const block of content) {
    if (agent !== "claude" || block.type !== "tool_call" || !calls.isUsed(block.id)) continue;
    const id = JSON.stringify(block.id.slice(0, 80));
    throw new ContinuoError("invalid", `claude takes the tool call ${id} for an earlier one, and drops it`, {
      hint: "Give each call another id. An id that ends in _1 is a copy of the one without.",
    });
  }
}

/** Refuses a block that the format cannot store, because it would be lost without notice. */
function assertKept(block: Block, agent: AgentName): void {
  if (block.type === "text" && block.signature !== undefined && !KEEPS_TEXT_SIGNATURES.has(agent)) {
    throw notKept(agent, "the signature of a text");
  }
  if (block.type === "file" && block.name !== undefined && agent === "gemini") {
    throw notKept(agent, "the name of a file");
  }
  if (block.type !== "thinking" || (block.redacted !== true && block.data === undefined)) return;
  const isOfAnthropic = block.data !== undefined && block.signedBy === "anthropic";
  const isKept =
    agent === "pi"
      ? block.redacted === true && (block.data ?? block.signature) !== undefined
      : (agent === "claude" || agent === "opencode") && block.redacted === true && isOfAnthropic;
  if (!isKept) throw notKept(agent, "thinking that its vendor redacted");
}

const KEEPS_TEXT_SIGNATURES: ReadonlySet<AgentName> = new Set(["gemini", "pi"]);

function notKept(agent: AgentName, what: string): ContinuoError {
  return new ContinuoError("invalid", `a session of ${agent} has no place for ${what}`, {
    hint: "Leave it out of the block, so that nothing is lost silently.",
  });
}

function isEmptyText(block: Block): boolean {
  return block.type === "text" && block.text === "" && block.signature === undefined;
}

function checkImage({ mimeType, data }: ImageBlock, types: readonly string[]): void {
  if (data === undefined) return;
  if (data === "") throw new ContinuoError("invalid", "cannot append an image without data");
  if (types.includes(mimeType)) return;
  throw new ContinuoError(
    "invalid",
    `the model does not accept images of the type ${JSON.stringify(mimeType.slice(0, 80))}`,
    { hint: `Use one of ${types.join(", ")}.` },
  );
}

function assertNew(made: Set<string>, id: string): void {
  if (made.has(id)) throw new ContinuoError("invalid", `two tool calls have the id ${JSON.stringify(id)}`);
  made.add(id);
}

function checkCall(message: NewMessage, call: ToolCallBlock, calls: OpenCalls): void {
  const id = JSON.stringify(call.id.slice(0, 80));
  if (message.role !== "assistant") {
    throw new ContinuoError("invalid", `a message of the ${message.role} cannot contain a tool call`);
  }
  if (!TOOL_CALL_ID.test(call.id)) {
    throw new ContinuoError("invalid", `no model API accepts the tool call id ${id}`, {
      hint: "Use at most 64 letters, digits, _ and -.",
    });
  }
  if (!TOOL_NAME.test(call.name)) {
    const name = JSON.stringify(call.name.slice(0, 80));
    throw new ContinuoError("invalid", `no model API accepts the tool name ${name}`, {
      hint: "Use at most 64 letters, digits, _ and -.",
    });
  }
  if (!isJson(call.args))
    throw new ContinuoError("invalid", `the input of the tool call ${id} is not an object`);
  if (calls.get(call.id) !== undefined) {
    throw new ContinuoError("invalid", `the tool call ${id} already waits for its result`);
  }
}

/** Errors: always `invalid`, because the agent's format cannot store the block. */
export function refuseBlock(agent: string, block: Block, where: string): never {
  throw new ContinuoError("invalid", `${agent} cannot store a block of type ${block.type} in ${where}`);
}
