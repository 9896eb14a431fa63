/** One message as an article: who, when, and its parts in order; tools and thinking are folded. */

import type { Block, ImageBlock, Message } from "../../model/index.ts";
import { type MessageKind, messageKind, type Part, toParts } from "../render/index.ts";
import { escapeHtml, escapeVisible } from "./escape.ts";
import { markdownToHtml, plainToHtml } from "./markdown.ts";

const NAMES: Readonly<Record<MessageKind, string>> = {
  person: "You",
  agent: "Assistant",
  tool: "Tool",
  summary: "Summary of what came before",
  error: "Error",
  injected: "Injected",
};

/** Formats that no browser runs anything from; SVG is none of them. */
const SHOWN_IMAGES = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/bmp",
]);
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/u;

export interface HtmlOptions {
  /** How messages that the agent's program inserted stand in the page; folded when left out. */
  readonly injected?: "folded" | "open";
}

export function messageToHtml(message: Message, { injected = "folded" }: HtmlOptions = {}): string {
  const kind = messageKind(message);
  const parts = toParts(message);
  const body = message.content.map((block, index) => partToHtml(parts[index], block, message)).join("\n");
  // A tool's result says on its one line what it is.
  const header = kind === "tool" ? "" : `${headerOf(message, kind)}\n`;
  const article = `<article class="${kind}">\n${header}${body}\n</article>\n`;
  if (kind !== "injected" || injected === "open") return article;
  return `<details class="hidden"><summary>${NAMES.injected} for the model</summary>\n${article}</details>\n`;
}

function headerOf(message: Message, kind: MessageKind): string {
  const model = message.model === undefined ? "" : ` <span class="model">${escapeHtml(message.model)}</span>`;
  const time =
    message.timestamp === undefined
      ? ""
      : ` <time datetime="${escapeHtml(message.timestamp)}">${escapeHtml(message.timestamp.slice(0, 16).replace("T", " "))}</time>`;
  return `<header><b>${NAMES[kind]}</b>${model}${time}</header>`;
}

function partToHtml(part: Part | undefined, block: Block, message: Message): string {
  switch (part?.type) {
    case undefined:
      return "";
    case "text":
      return `<div class="text">${textToHtml(part.text, messageKind(message))}</div>`;
    case "thinking":
      return part.text === ""
        ? '<p class="note">Thinking, hidden by the vendor</p>'
        : folded("Thinking", `<pre class="plain">${escapeVisible(part.text)}</pre>`, "thinking");
    case "media":
      return mediaToHtml(part.label, part.text, block);
    case "call": {
      const argument =
        part.argument === null ? "" : ` <code>${escapeVisible(part.argument.slice(0, 200))}</code>`;
      return folded(
        `Tool call <b>${escapeVisible(part.name)}</b>${argument}`,
        `<pre>${escapeVisible(part.input)}</pre>`,
        "call",
      );
    }
    case "result": {
      const images =
        block.type === "tool_result" ? block.content.filter((inner) => inner.type === "image") : [];
      const shown = images.map(imageToHtml).join("\n");
      const lines = part.text === "" ? 0 : part.text.replace(/\n$/u, "").split("\n").length;
      const size = lines === 0 ? "no text" : lines === 1 ? "1 line" : `${lines} lines`;
      const tool = message.toolName === undefined ? "" : ` of <b>${escapeHtml(message.toolName)}</b>`;
      const summary = `Result${tool}: ${part.status}, ${size}`;
      const text =
        lines === 0
          ? `<p class="note">${summary}</p>`
          : folded(summary, `<pre>${escapeVisible(part.text)}</pre>`, part.status);
      return text + shown;
    }
    case "unknown":
      return folded("Unknown block", `<pre>${escapeVisible(part.text)}</pre>`, "unknown");
  }
}

/** What a person typed is shown as typed; what an agent says is Markdown. */
function textToHtml(text: string, kind: MessageKind): string {
  return kind === "agent" || kind === "summary" ? markdownToHtml(text) : plainToHtml(text);
}

/** `summary` and `body` are HTML. */
function folded(summary: string, body: string, kind: string): string {
  return `<details class="${kind}"><summary>${summary}</summary>${body}</details>`;
}

function mediaToHtml(label: string, text: string | null, block: Block): string {
  if (block.type === "image") return imageToHtml(block) || `<p class="note">[${escapeVisible(label)}]</p>`;
  return `<p class="note">[${escapeVisible(label)}]</p>${text === null ? "" : folded("Text", `<pre>${escapeVisible(text)}</pre>`, "file")}`;
}

/** Empty where the image is not in the session, or is of a kind that is not shown. */
function imageToHtml(block: ImageBlock): string {
  if (block.data === undefined || !SHOWN_IMAGES.has(block.mimeType) || !BASE64.test(block.data)) return "";
  return `<img alt="image" src="data:${block.mimeType};base64,${block.data.replace(/\s/gu, "")}">`;
}
