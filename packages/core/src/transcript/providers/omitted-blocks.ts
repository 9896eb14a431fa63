/** Blocks that a form cannot hold, counted by their kind. */

import type { Block, Message } from "../../model/index.ts";
import { toModelTurns } from "../context/index.ts";

export type OmittedCounts = Record<string, number>;

export function leave(block: Block, leftOut: OmittedCounts): [] {
  leftOut[block.type] = (leftOut[block.type] ?? 0) + 1;
  return [];
}

/** The messages as APIs require them; removed blocks are counted, and notices to the person as `notification`. */
export function turnsOf(messages: readonly Message[], leftOut: OmittedCounts): readonly Message[] {
  const { messages: turns, halves, notices } = toModelTurns(messages);
  if (notices > 0) leftOut.notification = notices;
  if (halves.calls > 0) leftOut.tool_call = halves.calls;
  if (halves.results > 0) leftOut.tool_result = halves.results;
  return turns;
}

/** The address of an image or a file; `null` for a blob of the store, which only the store can read. */
export function addressOf(block: Extract<Block, { type: "image" | "file" }>): string | null {
  if (block.data !== undefined) return `data:${block.mimeType};base64,${block.data}`;
  return block.url ?? null;
}

/** The text of a result; its other blocks are counted, and named if there is no text. */
export function resultText(content: readonly Block[], leftOut: OmittedCounts): string {
  const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : leave(part, leftOut)));
  if (texts.length > 0) return texts.join("\n");
  return content.map(({ type }) => `[${type}]`).join("\n");
}
