/** Converts blocks to the content of a prompt, and an agent's content to blocks. Pure. */

import type { ContentBlock } from "@agentclientprotocol/sdk";
import { type Block, type FileBlock, type ImageBlock, present } from "@continuo/core/model";
import { messagesToText } from "@continuo/core/transcript";
import { isJson } from "@continuo/files";
import { refusePart } from "../link/index.ts";
import type { PromptAbilities } from "./initialize.ts";

/** Errors: `unsupported` for a block that the agent does not take and that would be lost as text. */
export function toPrompt(
  blocks: readonly Block[],
  { agent, abilities }: { readonly agent: string; readonly abilities: PromptAbilities },
): ContentBlock[] {
  const lost = blocks.find((block) => isLost(block, abilities));
  return lost === undefined ? toContent(blocks, abilities) : refusePart(agent, lost);
}

/** True if a text in place of the block would lose something that matters. */
function isLost(block: Block, { image, embeddedContext }: PromptAbilities): boolean {
  if (block.type === "unknown") return true;
  if (block.type === "image") return !image && !isLink(block);
  return block.type === "file" && !embeddedContext && block.text === undefined && !isLink(block);
}

/**
 * True if a link has everything that the block has. An agent can follow only some links: that of an unsaved file, for
 * example, belongs to the editor.
 */
function isLink({
  url,
  data,
  text,
}: {
  readonly url?: string;
  readonly data?: string;
  readonly text?: string;
}): boolean {
  if (url === undefined) return false;
  return (data === undefined && text === undefined) || /^(?:file|https?):/iu.test(url);
}

/** Blocks that the reader does not accept become text. */
export function toContent(blocks: readonly Block[], abilities: PromptAbilities): ContentBlock[] {
  return blocks.map((block): ContentBlock => {
    if (block.type === "text") return { type: "text", text: block.text };
    if (block.type === "image") return imageContent(block, abilities) ?? asText(block);
    if (block.type === "file") return fileContent(block, abilities) ?? asText(block);
    return asText(block);
  });
}

function imageContent(block: ImageBlock, { image }: PromptAbilities): ContentBlock | null {
  const { mimeType, data, url } = block;
  if (image && data !== undefined) {
    return present({ type: "image", mimeType, data, uri: url });
  }
  return url !== undefined && isLink(block)
    ? { type: "resource_link", uri: url, name: "image", mimeType }
    : null;
}

function fileContent(file: FileBlock, { embeddedContext }: PromptAbilities): ContentBlock | null {
  const { mimeType, name = "file", data, url, text } = file;
  const uri = url ?? `attachment:///${encodeURIComponent(name)}`;
  if (embeddedContext && text !== undefined) {
    return { type: "resource", resource: { uri, mimeType, text } };
  }
  if (embeddedContext && data !== undefined) {
    return { type: "resource", resource: { uri, mimeType, blob: data } };
  }
  return url !== undefined && isLink(file) ? { type: "resource_link", uri: url, name, mimeType } : null;
}

function asText(block: Block): ContentBlock {
  return {
    type: "text",
    text: messagesToText([{ id: "0", role: "user", content: [block], metadata: {} }], { thinking: "full" }),
  };
}

/** One item of content as a block. */
export function toBlock(content: unknown): Block {
  if (!isJson(content)) return { type: "unknown", raw: content };
  const { type, text, data, mimeType, uri, name } = content;
  if (type === "text" && typeof text === "string") return { type: "text", text };
  if (type === "image" && typeof mimeType === "string") {
    if (typeof data === "string" && data !== "") return { type: "image", mimeType, data };
    if (typeof uri === "string") return { type: "image", mimeType, url: uri };
  }
  if (type === "resource_link" && typeof uri === "string") {
    const mime = typeof mimeType === "string" ? mimeType : "application/octet-stream";
    return { type: "file", mimeType: mime, url: uri, ...(typeof name === "string" ? { name } : {}) };
  }
  if (type === "resource" && isJson(content.resource)) {
    const { uri: url, mimeType: mime, text: words, blob } = content.resource;
    return {
      type: "file",
      mimeType: typeof mime === "string" ? mime : "text/plain",
      ...(typeof url === "string" ? { url } : {}),
      ...(typeof words === "string" ? { text: words } : {}),
      ...(typeof blob === "string" ? { data: blob } : {}),
    };
  }
  return { type: "unknown", raw: content };
}
