/** The content of a block without ids and times: two blocks with the same content look the same. Pure. */

import { type Block, typedIn } from "../../model/index.ts";

export function contentOfBlock(block: Block): string {
  switch (block.type) {
    case "text":
      return JSON.stringify(["text", typedIn(block).trim()]);
    case "thinking":
      return JSON.stringify(["thinking", block.text.trim()]);
    case "tool_call":
      return JSON.stringify(["tool_call", block.name, block.args, block.rawArgs]);
    case "tool_result":
      return JSON.stringify(["tool_result", block.isError, block.content.map(contentOfBlock)]);
    default:
      // A page has neither the bytes of an image nor the record of an unknown block.
      return JSON.stringify([block.type]);
  }
}
