/**
 * Converts lines of a conversation whose form Claude Code, or its API, does not accept to an accepted form, if their
 * content shows which. Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";
import { isChainType } from "./records.ts";

export interface MendedLine {
  readonly record: Json;
  /** The reasons of the change; empty if the line does not change. */
  readonly reasons: readonly string[];
}

export function mendLine(given: Json): MendedLine {
  const reasons: string[] = [];
  let record = given;
  const set = (fields: Json, reason: string): void => {
    record = { ...record, ...fields };
    reasons.push(reason);
  };
  const type = typeof given.type === "string" ? given.type : typeIn(given);
  if (type === null) return { record, reasons };
  if (type !== given.type)
    set({ type }, `the line has no type, and has fields that only the type \`${type}\` has`);
  if (!isChainType(type)) return { record, reasons };
  const { message } = given;
  if ((type !== "user" && type !== "assistant") || !isJson(message)) return { record, reasons };
  const mended = mendMessage(message, type);
  if (mended.reasons.length > 0) set({ message: mended.message }, mended.reasons.join("; "));
  return { record, reasons };
}

/**
 * The reason why Claude Code cannot resume a session with the line, or leaves out its content; `null` if the line is
 * correct.
 */
export function resumeFlawOf(record: Json): string | null {
  const { reasons } = mendLine(record);
  return reasons.length === 0 ? null : reasons.join("; ");
}

function typeIn({ message, attachment, uuid }: Json): string | null {
  if (typeof uuid !== "string") return null;
  if (isJson(attachment)) return "attachment";
  const role = isJson(message) ? textField(message, "role") : null;
  return role === "user" || role === "assistant" ? role : null;
}

function mendMessage(
  given: Json,
  type: "user" | "assistant",
): { readonly message: Json; readonly reasons: readonly string[] } {
  const { content } = given;
  const same = { message: given, reasons: [] };
  if (type === "user" && typeof content === "string") return same;
  const blocks = Array.isArray(content) ? content : isJson(content) ? [content] : null;
  const mended = blocks === null ? content : mendBlocks(blocks);
  if (mended === content) return same;
  const reason = "the content has an entry that is not a block, or is an incomplete one";
  return { message: { ...given, content: mended }, reasons: [reason] };
}

/** The same list if every block is complete. */
function mendBlocks(blocks: readonly unknown[]): readonly unknown[] {
  const mended = blocks.map(mendBlock);
  if (mended.every((block, at) => block !== null && block === blocks[at])) return blocks;
  return mended.filter((block) => block !== null);
}

/** `null` for a block without content that the API accepts. Unknown kinds stay as they are. */
function mendBlock(block: unknown): unknown {
  if (typeof block === "string") return block === "" ? null : { type: "text", text: block };
  if (!isJson(block)) return null;
  const type = typeof block.type === "string" ? block.type : blockTypeIn(block);
  if (type === null) return null;
  const named = type === block.type ? block : { ...block, type };
  switch (type) {
    case "text":
      return withText(named, "text");
    case "thinking": {
      const thought = withText(named, "thinking");
      return thought === null || typeof thought.signature === "string"
        ? thought
        : { ...thought, signature: "" };
    }
    case "tool_use":
      return mendCall(named);
    case "tool_result":
      return mendResult(named);
    case "image":
    case "document":
      return isJson(block.source) ? named : null;
    default:
      return block;
  }
}

function blockTypeIn(block: Json): string | null {
  if (typeof block.tool_use_id === "string") return "tool_result";
  if (typeof block.thinking === "string") return "thinking";
  if (typeof block.id === "string" && typeof block.name === "string") return "tool_use";
  if (isJson(block.source)) return "image";
  return typeof block.text === "string" ? "text" : null;
}

function withText(block: Json, key: "text" | "thinking"): Json | null {
  const text = block[key];
  if (typeof text === "string") return block;
  return typeof text === "number" || typeof text === "boolean" ? { ...block, [key]: String(text) } : null;
}

function mendCall(block: Json): Json | null {
  if (typeof block.id !== "string" || typeof block.name !== "string") return null;
  return isJson(block.input) ? block : { ...block, input: {} };
}

function mendResult(block: Json): Json | null {
  const { tool_use_id, content, is_error } = block;
  if (typeof tool_use_id !== "string") return null;
  const isFlagged = is_error === undefined || typeof is_error === "boolean";
  const { is_error: _, ...unflagged } = block;
  const kept = isFlagged ? block : unflagged;
  if (content === undefined || typeof content === "string") return kept;
  if (!Array.isArray(content)) return { ...kept, content: JSON.stringify(content ?? "") };
  const parts = mendBlocks(content);
  return parts === content ? kept : { ...kept, content: parts };
}
