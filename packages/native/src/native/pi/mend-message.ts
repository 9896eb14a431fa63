/**
 * Messages in a form that pi does not read: some make it end, for others it sends nothing or omits a block (1.5.2).
 * Each is converted to a form that pi reads, as far as its content allows. Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";

export interface MendedMessage {
  readonly message: Json;
  /** The reasons of the change; empty if the message does not change. */
  readonly reasons: readonly string[];
}

/**
 * The reason why pi cannot resume a session with the message, or leaves out a part of it; `null` if the message is
 * correct.
 */
export function resumeFlawOf(message: Json): string | null {
  const reasons = mendMessage(message)?.reasons ?? [];
  return reasons.length === 0 ? null : reasons.join("; ");
}

/** `null` for an entry without a known type. A message that pi reads is returned as it is. */
export function mendMessage(message: Json): MendedMessage | null {
  const role = textField(message, "role") ?? roleIn(message);
  if (role === null) return null;
  const reasons: string[] = [];
  let mended = message;
  const set = (fields: Json, reason: string): void => {
    mended = { ...mended, ...fields };
    reasons.push(reason);
  };
  if (role !== message.role)
    set({ role }, `the message has no role, and has fields that only the role \`${role}\` has`);
  if (!HAS_CONTENT.has(role)) return { message: mended, reasons };
  const content = mendContent(message.content, role);
  if (content.reasons.length > 0) set({ content: content.value }, content.reasons.join("; "));
  for (const key of role === "system" ? ["toolsAdded", "toolsRemoved"] : []) {
    const tools = message[key];
    if (tools === undefined) continue;
    const whole = Array.isArray(tools) ? tools.filter((tool) => isTool(tool, tools)) : [];
    if (!Array.isArray(tools)) set({ [key]: [] }, "the tools of the prompt are no list");
    else if (whole.length < tools.length) set({ [key]: whole }, "a tool of the prompt is not whole");
  }
  if (role === "assistant" && !isJson(message.usage)) {
    set({ usage: NO_USAGE }, "the answer counts no tokens, as pi does of every answer");
  }
  return { message: mended, reasons };
}

/**
 * A tool needs parameters, unless no tool of the message has any. pi declares its tools again if they differ from those
 * of the prompt.
 */
function isTool(tool: unknown, others: readonly unknown[]): boolean {
  if (!isJson(tool) || typeof tool.name !== "string") return false;
  return isJson(tool.parameters) || !others.some((other) => isJson(other) && isJson(other.parameters));
}

const NO_USAGE: Json = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** Roles whose content pi walks through. */
const HAS_CONTENT: ReadonlySet<string> = new Set(["system", "user", "assistant", "toolResult", "custom"]);

/** Only messages of one role have these keys and blocks. */
function roleIn(message: Json): string | null {
  if (typeof message.toolCallId === "string") return "toolResult";
  if (typeof message.command === "string") return "bashExecution";
  if (isJson(message.sections)) return "system";
  if (typeof message.customType === "string") return "custom";
  const blocks: readonly unknown[] = Array.isArray(message.content) ? message.content : [];
  const types = blocks.map((block) => (isJson(block) ? typeOf(block) : null));
  const isAnswer =
    ["stopReason", "api", "provider"].some((key) => typeof message[key] === "string") ||
    isJson(message.usage) ||
    types.some((type) => type === "toolCall" || type === "thinking");
  if (isAnswer) return "assistant";
  const isSaid =
    typeof message.content === "string" || types.some((type) => type === "text" || type === "image");
  return isSaid ? "user" : null;
}

interface MendedContent {
  readonly value: unknown;
  readonly reasons: readonly string[];
}

function mendContent(content: unknown, role: string): MendedContent {
  const takesText = role !== "assistant" && role !== "toolResult";
  if (content === undefined || content === null || (takesText && typeof content === "string")) {
    return { value: content, reasons: [] };
  }
  if (Array.isArray(content)) return mendBlocks(content);
  const reasons = ["the content of the message is neither text nor a list"];
  if (typeof content === "string") return { value: [{ type: "text", text: content }], reasons };
  if (isJson(content)) return { value: mendBlocks([content]).value, reasons };
  return { value: takesText ? "" : [], reasons };
}

function mendBlocks(blocks: readonly unknown[]): MendedContent {
  const reasons = new Set<string>();
  const value = blocks.flatMap((block): unknown[] => {
    const mended = mendBlock(block);
    if (mended === null) reasons.add("a block lacks what its kind needs");
    else if (mended !== block) reasons.add("a block has another form than its kind");
    return mended === null ? [] : [mended];
  });
  if (reasons.size === 0) return { value: blocks, reasons: [] };
  return { value, reasons: [...reasons] };
}

/** Returns `null` for a block without content in a form that pi reads. Unknown kinds do not change. */
function mendBlock(block: unknown): unknown {
  if (typeof block === "string") return { type: "text", text: block };
  if (!isJson(block)) return null;
  const type = typeOf(block);
  if (type === null) return null;
  const named = type === block.type ? block : { ...block, type };
  switch (type) {
    case "text":
      return mendText(named, "text");
    case "thinking":
      return mendText(named, "thinking");
    case "image":
      return typeof block.data === "string" && typeof block.mimeType === "string" ? named : null;
    case "toolCall":
      return mendCall(named);
    default:
      return block;
  }
}

function typeOf(block: Json): string | null {
  if (typeof block.type === "string") return block.type;
  if (typeof block.text === "string") return "text";
  if (typeof block.thinking === "string") return "thinking";
  if (typeof block.data === "string" && typeof block.mimeType === "string") return "image";
  return typeof block.name === "string" && block.arguments !== undefined ? "toolCall" : null;
}

function mendText(block: Json, key: "text" | "thinking"): Json | null {
  const signature = key === "text" ? "textSignature" : "thinkingSignature";
  const isSigned = block[signature] === undefined || typeof block[signature] === "string";
  const { [signature]: _, ...unsigned } = block;
  const kept = isSigned ? block : unsigned;
  if (typeof block[key] === "string") return kept;
  if (typeof block[key] === "number" || typeof block[key] === "boolean")
    return { ...kept, [key]: String(block[key]) };
  // A block that a vendor encrypted has no text, but it has a signature that the vendor's API requires.
  return key === "thinking" && isSigned && block.thinkingSignature !== undefined && block.redacted === true
    ? { ...kept, thinking: "" }
    : null;
}

/** Arguments that are a text are sent as they are. No vendor takes a call without an id. */
function mendCall(block: Json): Json | null {
  if (typeof block.name !== "string" || typeof block.id !== "string") return null;
  const isRead = isJson(block.arguments) || typeof block.arguments === "string";
  return isRead ? block : { ...block, arguments: {} };
}
