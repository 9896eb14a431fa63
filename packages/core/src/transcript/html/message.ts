/** One message as an HTML article: its author, its time, and its parts in order. Tools and thinking are folded. */

import type { Block, Message } from "../../model/index.ts";
import { type MessageKind, messageKind, type Part, toParts } from "../render/index.ts";
import { inputToHtml } from "./changes.ts";
import { CUT_OFF_NOTE, isCutOff } from "./cut-off.ts";
import { escapeHtml, escapePath, escapeVisible } from "./escape.ts";
import { type ImageSource, imageToHtml } from "./image.ts";
import { markdownToHtml, plainToHtml, typedToHtml } from "./markdown.ts";

const NAMES: Readonly<Record<MessageKind, string>> = {
  person: "You",
  agent: "Assistant",
  tool: "Tool",
  summary: "Summary of what came before",
  error: "Error",
  injected: "Injected",
};

export interface HtmlOptions {
  /** The form of messages that the agent's program inserted; folded by default. */
  readonly injected?: "folded" | "open";
  /** In a sub-agent, messages of the user come from the agent that gave it its task. */
  readonly place?: "session" | "sub-agent";
}

export function messageToHtml(
  message: Message,
  { injected = "folded", place = "session" }: HtmlOptions = {},
): string {
  const kind = messageKind(message);
  const parts = toParts(message, { invisible: "kept" });
  const blocks = message.content.map((block, index) => partToHtml(parts[index], block, message));
  if (isCutOff(message)) blocks.push(`<p class="note">${CUT_OFF_NOTE}</p>`);
  const body = blocks.join("\n");
  // The line of a tool's result already says what it is.
  const header =
    kind === "tool"
      ? ""
      : `${headerOf(message, kind === "person" && place === "sub-agent" ? "Task" : NAMES[kind])}\n`;
  const article = `<article class="${kind}">\n${header}${body}\n</article>\n`;
  if (kind !== "injected" || injected === "open") return article;
  return `<details class="hidden"><summary>${NAMES.injected} for the model</summary>\n${article}</details>\n`;
}

/** A block of a message as HTML, except calls and results. Blocks that a page folds are open. */
export function blockToHtml(message: Message, index: number, images: ImageSource = "inline"): string {
  const block = message.content[index];
  const part = toParts({ ...message, content: block === undefined ? [] : [block] }, { invisible: "kept" })[0];
  if (block === undefined || part === undefined) return "";
  if (part.type === "thinking") return `<pre class="plain">${escapeVisible(part.text)}</pre>`;
  if (part.type === "unknown") return `<pre>${escapeVisible(part.text)}</pre>`;
  return part.type === "media"
    ? mediaToHtml(part.label, part.text, block, images)
    : partToHtml(part, block, message);
}

function headerOf(message: Message, name: string): string {
  const model =
    message.model === undefined ? "" : ` <span class="model"><bdi>${escapeHtml(message.model)}</bdi></span>`;
  const time =
    message.timestamp === undefined
      ? ""
      : ` <time datetime="${escapeHtml(message.timestamp)}">${escapeHtml(message.timestamp.slice(0, 16).replace("T", " "))}</time>`;
  return `<header><b>${name}</b>${model}${time}</header>`;
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
        part.argument === null ? "" : ` <code><bdi>${escapePath(part.argument.slice(0, 200))}</bdi></code>`;
      const summary = `Tool call <b><bdi>${escapeVisible(part.name)}</bdi></b>${argument}`;
      if (block.type !== "tool_call") return "";
      const { html, isOpen } = inputToHtml(block, part.input);
      return folded(summary, html, "call", isOpen ? " open" : "");
    }
    case "result": {
      const images =
        block.type === "tool_result" ? block.content.filter((inner) => inner.type === "image") : [];
      const shown = images.map((image) => imageToHtml(image)).join("\n");
      const lines = part.text === "" ? 0 : part.text.replace(/\n$/u, "").split("\n").length;
      const size = lines === 0 ? "no text" : lines === 1 ? "1 line" : `${lines} lines`;
      const tool =
        message.toolName === undefined ? "" : ` of <b><bdi>${escapeHtml(message.toolName)}</bdi></b>`;
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

/** Texts that programs wrote are shown as they are. */
function textToHtml(text: string, kind: MessageKind): string {
  if (kind === "person") return typedToHtml(text);
  return kind === "agent" || kind === "summary" ? markdownToHtml(text) : plainToHtml(text);
}

/** `summary` and `body` are HTML. */
function folded(summary: string, body: string, kind: string, open: "" | " open" = ""): string {
  return `<details class="${kind}"${open}><summary>${summary}</summary>${body}</details>`;
}

function mediaToHtml(
  label: string,
  text: string | null,
  block: Block,
  images: ImageSource = "inline",
): string {
  if (block.type === "image")
    return imageToHtml(block, images) || `<p class="note">[${escapeVisible(label)}]</p>`;
  return `<p class="note">[${escapeVisible(label)}]</p>${text === null ? "" : folded("Text", `<pre>${escapeVisible(text)}</pre>`, "file")}`;
}
