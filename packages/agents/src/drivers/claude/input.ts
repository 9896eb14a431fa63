/** Converts the blocks of a prompt to the content of a user message. Pure. */

import { type Block, type FileBlock, withNamedFiles } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { toNativeContent } from "@continuo/native/claude";
import { refusePart } from "../link/index.ts";

/** Errors: `unsupported` for blocks that Claude Code does not accept. */
export function toContent(blocks: readonly Block[]): readonly Json[] {
  return toNativeContent(withNamedFiles(blocks, isWebDocument), (block) => refusePart("Claude Code", block));
}

/** The vendor of the model loads such a document itself. */
function isWebDocument({ mimeType, url = "" }: FileBlock): boolean {
  return mimeType === "application/pdf" && url.startsWith("http");
}
