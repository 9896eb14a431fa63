/** Converts blocks to content of the protocol, and the content of a prompt to blocks. Pure. */

import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { toContent as asContent, toBlock } from "@continuo/agents/drivers/acp";
import type { Block } from "@continuo/core/model";
import { GATEWAY_LIMITS } from "./limits.ts";

export function toBlocks(prompt: readonly ContentBlock[]): readonly Block[] {
  return prompt.map(toBlock);
}

const SHOWS_ALL = { image: true, embeddedContext: true };

/**
 * A block that no editor can show becomes text, as does one that is too large for a message. A long text becomes
 * several.
 */
export function toContent(blocks: readonly Block[]): ContentBlock[] {
  return asContent(blocks, SHOWS_ALL).flatMap((content): ContentBlock[] => {
    if (content.type === "text") return textContent(content.text);
    const chars = sizeOf(content);
    if (chars <= GATEWAY_LIMITS.blockChars) return [content];
    return textContent(`[${content.type} of ${chars} characters, which is too large for a message]`);
  });
}

function sizeOf(content: ContentBlock): number {
  if (content.type === "image" || content.type === "audio") return content.data.length;
  if (content.type !== "resource") return 0;
  const { resource } = content;
  return "text" in resource ? resource.text.length : resource.blob.length;
}

export function textContent(text: string): ContentBlock[] {
  const { textChars } = GATEWAY_LIMITS;
  const parts: ContentBlock[] = [];
  let at = 0;
  while (at < text.length) {
    const end = endOfPart(text, at + textChars);
    parts.push({ type: "text", text: text.slice(at, end) });
    at = end;
  }
  return parts;
}

/** Never cuts between the halves of a surrogate pair. */
function endOfPart(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd8_00 && code <= 0xdb_ff ? end - 1 : end;
}
