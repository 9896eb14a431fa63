/** Blocks of a prompt as the input of `turn/start`. Pure. */

import type { Json } from "../../files/index.ts";
import type { Block } from "../../model/index.ts";
import { refuseBlock } from "../../native/writing/index.ts";

/** Errors: `invalid` for blocks that Codex does not take. */
export function toInput(blocks: readonly Block[]): readonly Json[] {
  return blocks.map((block) => {
    if (block.type === "text") return textInput(block.text);
    if (block.type === "image" && block.data !== undefined) {
      return { type: "image", url: `data:${block.mimeType};base64,${block.data}` };
    }
    if (block.type === "image" && block.url !== undefined) return { type: "image", url: block.url };
    if (block.type === "file" && block.text !== undefined) {
      return textInput(block.name === undefined ? block.text : `${block.name}:\n${block.text}`);
    }
    return refuseBlock("Codex", block, "a prompt");
  });
}

function textInput(text: string): Json {
  return { type: "text", text, text_elements: [] };
}
