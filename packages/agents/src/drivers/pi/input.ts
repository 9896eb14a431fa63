/** Converts the blocks of a prompt to the `prompt` command. Pure. */

import { type Block, withNamedFiles } from "@continuo/core/model";
import type { Json } from "@continuo/files";
import { refusePart } from "../link/index.ts";

/** Returns one text, and the pictures. Errors: `unsupported` for blocks that pi does not accept. */
export function toPrompt(blocks: readonly Block[]): Json {
  const texts: string[] = [];
  const images: Json[] = [];
  for (const block of withNamedFiles(blocks)) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image" && block.data !== undefined) {
      images.push({ type: "image", data: block.data, mimeType: block.mimeType });
    } else if (block.type === "file" && block.text !== undefined) {
      texts.push(block.name === undefined ? block.text : `${block.name}:\n${block.text}`);
    } else refusePart("pi", block);
  }
  return { message: texts.join("\n\n"), ...(images.length === 0 ? {} : { images }) };
}
