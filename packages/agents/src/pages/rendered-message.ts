/** Converts a message for a window: leaves out bytes and opaque data, and cuts long texts. Pure. */

import { type Block, cutText, type Message, type ToolResultBlock } from "@continuo/core/model";
import { type HistoryName, imagePath, type TextCut } from "@continuo/core/wire/machine";
import { HISTORY_LIMITS } from "./limits.ts";

export interface RenderedMessage {
  readonly message: Message;
  readonly cuts: readonly TextCut[];
}

/** The image formats in which a browser never runs a script; SVG is not one of them. */
export const SHOWN_IMAGES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
]);

/** Converts a message. The paths of its images contain the name of the history. */
export function toShownMessage(message: Message, history: HistoryName): RenderedMessage {
  const budget: Budget = { cuts: [], chars: HISTORY_LIMITS.messageChars, nodes: HISTORY_LIMITS.messageNodes };
  const { records, sequence, nativeTurn } = message.metadata;
  const content = blocksOf(message.content, "content", { history, messageId: message.id, budget });
  return {
    message: {
      ...message,
      content,
      metadata: {
        ...(records === undefined ? {} : { records: records.slice(0, 20) }),
        ...(typeof sequence === "number" ? { sequence } : {}),
        ...(typeof nativeTurn === "string" ? { nativeTurn } : {}),
      },
    },
    cuts: budget.cuts,
  };
}

interface Budget {
  readonly cuts: TextCut[];
  chars: number;
  nodes: number;
}

interface MessageContext {
  readonly history: HistoryName;
  readonly messageId: string;
  readonly budget: Budget;
}

function blocksOf(blocks: readonly Block[], path: string, place: MessageContext): Block[] {
  return blocks.slice(0, Math.max(0, place.budget.nodes)).map((block, at) => {
    const { native: _, ...shown } = block;
    return blockOf(shown as Block, `${path}/${at}`, place);
  });
}

function blockOf(block: Block, path: string, place: MessageContext): Block {
  switch (block.type) {
    case "image":
    case "file": {
      const { data, url, ...rest } = block;
      const shownUrl = data !== undefined && isShownImage(block) ? imageUrl(path, place) : safeUrl(url);
      const text =
        "text" in rest && rest.text !== undefined ? { text: cut(rest.text, `${path}/text`, place) } : {};
      return { ...rest, ...text, ...(shownUrl === undefined ? {} : { url: shownUrl }) };
    }
    case "thinking": {
      const { signature: _, data: __, ...rest } = block;
      return { ...rest, text: cut(block.text, `${path}/text`, place) };
    }
    case "tool_result": {
      const { details, ...rest } = block;
      const content = blocksOf(block.content, `${path}/content`, place);
      return { ...rest, content, ...patchOf(details, `${path}/details`, place) };
    }
    default:
      return cutIn(block, path, place) as Block;
  }
}

/** Only one part of the details is kept: the hunks of Claude Code, which have line numbers. */
function patchOf(details: unknown, path: string, place: MessageContext): Pick<ToolResultBlock, "details"> {
  const { structuredPatch } = (details ?? {}) as { readonly structuredPatch?: unknown };
  if (!Array.isArray(structuredPatch)) return {};
  return { details: { structuredPatch: cutIn(structuredPatch, `${path}/structuredPatch`, place) } };
}

function isShownImage(block: Block): boolean {
  return block.type === "image" && SHOWN_IMAGES.has(block.mimeType);
}

function imageUrl(path: string, { history: { key, branch }, messageId }: MessageContext): string {
  return imagePath(key, messageId, path, branch);
}

/** Content of a session must not be taken for a path on this server. */
function safeUrl(url: string | undefined): string | undefined {
  return url !== undefined && url.length <= 2_048 && /^https?:\/\//iu.test(url) ? url : undefined;
}

/** Returns the value with long texts cut, and without nodes beyond the limit. */
function cutIn(value: unknown, path: string, place: MessageContext): unknown {
  place.budget.nodes -= 1;
  if (typeof value === "string") return cut(value, path, place);
  if (typeof value !== "object" || value === null) return value;
  if (place.budget.nodes <= 0) return null;
  if (Array.isArray(value)) {
    return value.slice(0, place.budget.nodes).map((each, at) => cutIn(each, `${path}/${at}`, place));
  }
  const fields = Object.entries(value).filter(([name]) => name !== "native" && name !== "signature");
  return Object.fromEntries(
    fields.map(([name, each]) => [name, cutIn(each, `${path}/${escapeStep(name)}`, place)]),
  );
}

function cut(text: string, path: string, { budget }: MessageContext): string {
  const most = budget.chars > 0 ? HISTORY_LIMITS.textChars : HISTORY_LIMITS.restChars;
  if (text.length <= most) {
    budget.chars -= text.length;
    return text;
  }
  const beginning = cutText(text, most);
  const kept = beginning.length;
  budget.chars -= kept;
  budget.cuts.push({ path, kept, total: text.length });
  return beginning;
}

/** Escapes a step as in a JSON pointer. */
function escapeStep(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
