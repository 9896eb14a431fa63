/** Blocks that a form cannot hold, counted by their kind. */

import type { Block } from "../../model/index.ts";

export type LeftOut = Record<string, number>;

export function leave(block: Block, leftOut: LeftOut): [] {
  leftOut[block.type] = (leftOut[block.type] ?? 0) + 1;
  return [];
}

/** The address of an image or a file; `null` for a blob of the store, which only the store can read. */
export function addressOf(block: Extract<Block, { type: "image" | "file" }>): string | null {
  if (block.data !== undefined) return `data:${block.mimeType};base64,${block.data}`;
  return block.url ?? null;
}

/** The text of a result; other blocks of it are counted. */
export function resultText(content: readonly Block[], leftOut: LeftOut): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : leave(part, leftOut))).join("\n");
}
