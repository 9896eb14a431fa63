/** Refuses the part of a prompt that an agent does not take: as a text it would be lost without a word. Pure. */

import { type Block, ContinuoError } from "@continuo/core/model";
import { isJson } from "@continuo/files";

/** Errors: always `unsupported`. */
export function refusePart(agent: string, block: Block): never {
  throw new ContinuoError("unsupported", `${agent} does not take ${nameOfPart(block)} in a prompt`, {
    hint: "Choose another agent, or send the prompt without it.",
  });
}

function nameOfPart(block: Block): string {
  if (block.type === "image") {
    if (block.data !== undefined) return "pictures";
    return block.url === undefined ? "pictures without content" : "links to pictures";
  }
  if (block.type === "file") return `files of the type ${block.mimeType}`;
  const { type } = block.type === "unknown" ? (isJson(block.raw) ? block.raw : {}) : block;
  return typeof type === "string"
    ? `content of the type ${JSON.stringify(type.slice(0, 80))}`
    : "this content";
}
