/** Input of a run: words, or blocks. */

import { type Block, ContinuoError } from "../model/index.ts";

export type RunInput = string | readonly Block[];

/** Errors: `usage` for nothing. */
export function toBlocks(input: unknown): readonly Block[] {
  if (isInput(input)) return typeof input === "string" ? [{ type: "text", text: input }] : input;
  throw new ContinuoError("usage", "The input of a run is a text or an array of blocks, and not empty.");
}

/** Somebody may have made a run without the session manager. */
export function isInput(input: unknown): input is RunInput {
  if (typeof input === "string") return input !== "";
  return Array.isArray(input) && input.length > 0 && input.every(isBlock);
}

function isBlock(value: unknown): value is Block {
  return typeof (value as { readonly type?: unknown } | null)?.type === "string";
}
