/** Blocks of ours as content of the protocol, and the content of a prompt as blocks. Pure. */

import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import { toBlock } from "@continuo/agents/drivers/acp";
import type { Block, FileBlock, ImageBlock } from "@continuo/core/model";
import { messagesToText } from "@continuo/core/transcript";
import { GATEWAY_LIMITS } from "./limits.ts";

export function toBlocks(prompt: readonly ContentBlock[]): readonly Block[] {
  return prompt.map(toBlock);
}

/** What cannot be shown as it is becomes text; a long text becomes several. */
export function toContent(blocks: readonly Block[]): ContentBlock[] {
  return blocks.flatMap((block): ContentBlock[] => {
    if (block.type === "text") return textContent(block.text);
    const shown = block.type === "image" ? imageOf(block) : block.type === "file" ? fileOf(block) : null;
    return shown === null ? textContent(asText(block)) : [shown];
  });
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

/** Never between the halves of a surrogate pair. */
function endOfPart(text: string, end: number): number {
  if (end >= text.length) return text.length;
  const code = text.charCodeAt(end - 1);
  return code >= 0xd8_00 && code <= 0xdb_ff ? end - 1 : end;
}

function imageOf({ mimeType, data, url }: ImageBlock): ContentBlock | null {
  if (data !== undefined) return { type: "image", mimeType, data };
  return url === undefined ? null : { type: "resource_link", uri: url, name: "image", mimeType };
}

function fileOf({ mimeType, name = "file", data, url, text }: FileBlock): ContentBlock | null {
  const uri = url ?? `attachment:///${encodeURIComponent(name)}`;
  if (text !== undefined) return { type: "resource", resource: { uri, mimeType, text } };
  if (data !== undefined) return { type: "resource", resource: { uri, mimeType, blob: data } };
  return url === undefined ? null : { type: "resource_link", uri, name, mimeType };
}

function asText(block: Block): string {
  return messagesToText([{ id: "0", role: "user", content: [block], metadata: {} }], { thinking: "full" });
}
