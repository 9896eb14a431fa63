/** Converts the blocks of a prompt to the input of `turn/start`. Pure. */

import { type Block, withNamedFiles } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { refusePart } from "../link/index.ts";

/** Errors: `unsupported` for blocks that Codex does not accept. */
export function toInput(blocks: readonly Block[]): readonly Json[] {
  return withNamedFiles(blocks).map((block) => {
    if (block.type === "text") return textInput(block.text);
    if (block.type === "image" && block.data !== undefined) {
      return { type: "image", url: `data:${block.mimeType};base64,${block.data}` };
    }
    if (block.type === "image" && block.url !== undefined) return { type: "image", url: block.url };
    if (block.type === "file" && block.text !== undefined) {
      return textInput(block.name === undefined ? block.text : `${block.name}:\n${block.text}`);
    }
    return refusePart("Codex", block);
  });
}

function textInput(text: string): Json {
  return { type: "text", text, text_elements: [] };
}
