/**
 * Messages as Markdown.
 *
 * Each message begins with a heading of the second level, which no message can write itself: text that could change the
 * document around it is put into a code block, and so is all text of tools.
 */

import { assertKnownOptions, type Message, present, shorten } from "../../model/index.ts";
import { fence, inlineCode, isPlainText } from "./fence.ts";
import { type MessageKind, messageKind, type Part, type ResultPart, toParts } from "./parts.ts";
import { visibleLine } from "./visible-text.ts";

export interface MarkdownOptions {
  /**
   * `full` shows arguments and complete results, `short` (the default) one line for each call and the beginning of its
   * result, and `none` no tools.
   */
  readonly tools?: "full" | "short" | "none";
  /**
   * The form of direction marks and zero-width characters, as in `PartOptions`: `kept` in a file, `spelled` (the
   * default) on a terminal.
   */
  readonly invisible?: "spelled" | "kept";
}

const SHORT_RESULT_LINES = 12;
const SHORT_ARGUMENT_CHARS = 200;

const HEADINGS: Readonly<Record<MessageKind, string>> = {
  person: "User",
  agent: "Assistant",
  tool: "Tool result",
  summary: "Summary of what came before",
  error: "Error",
  injected: "Injected",
};

/** Returns Markdown that ends with an empty line; an empty text if `tools` leaves nothing to show. */
export function messageToMarkdown(message: Message, options: MarkdownOptions = {}): string {
  assertKnownOptions("messageToMarkdown", options, { tools: true, invisible: true });
  const kind = messageKind(message);
  const blocks = toParts(message, present({ invisible: options.invisible })).flatMap((part) =>
    partToMarkdown(part, options),
  );
  const isToolAlone = message.content.every((b) => b.type === "tool_call" || b.type === "tool_result");
  if (blocks.length === 0 && message.content.length > 0 && isToolAlone) return "";
  return `${[headingOf(message, kind), ...blocks].join("\n\n")}\n\n`;
}

function headingOf(message: Message, kind: MessageKind): string {
  const parts = [HEADINGS[kind]];
  if (kind === "tool" && message.toolName !== undefined)
    parts.push(inlineCode(visibleLine(message.toolName)));
  if (kind === "injected") parts.push(message.role);
  if (message.model !== undefined) parts.push(inlineCode(visibleLine(message.model)));
  if (message.timestamp !== undefined) parts.push(visibleLine(message.timestamp));
  return `## ${parts.join(" · ")}`;
}

function partToMarkdown(part: Part, options: MarkdownOptions): string[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === ""
        ? []
        : [isPlainText(part.text) ? part.text.trimEnd() : fence(part.text, "markdown")];
    case "thinking":
      return ["### Thinking", part.text === "" ? "*(hidden by the vendor)*" : fence(part.text, "text")];
    case "media":
      return part.text === null
        ? [inlineCode(`[${part.label}]`)]
        : [inlineCode(`[${part.label}]`), fence(part.text, "text")];
    case "call":
      return callToMarkdown(part, options);
    case "result":
      return resultToMarkdown(part, options);
    case "unknown":
      return ["### Unknown block", fence(part.text, "json")];
  }
}

function callToMarkdown(part: Extract<Part, { type: "call" }>, options: MarkdownOptions): string[] {
  if (options.tools === "none") return [];
  if (options.tools === "full") return [`### Tool call ${inlineCode(part.name)}`, fence(part.input, "json")];
  const argument =
    part.argument === null ? "" : ` ${inlineCode(shorten(part.argument, SHORT_ARGUMENT_CHARS))}`;
  return [`**Tool call** ${inlineCode(part.name)}${argument}`];
}

function resultToMarkdown(part: ResultPart, options: MarkdownOptions): string[] {
  if (options.tools === "none") return [];
  const status = part.status === "ok" ? [] : [`**${part.status}**`];
  if (part.text === "") return [...status, "*(no output)*"];
  if (options.tools === "full") return [...status, fence(part.text, "text")];
  const lines = part.text.trimEnd().split("\n");
  const hidden = lines.length - SHORT_RESULT_LINES;
  const shown = fence(lines.slice(0, SHORT_RESULT_LINES).join("\n"), "text");
  return hidden > 0 ? [...status, shown, `*(${hidden} more lines)*`] : [...status, shown];
}

/**
 * Parsing some texts takes time that grows with the square of their length. A text or paragraph above these limits is
 * shown as it is; people do not write paragraphs of this length.
 */
const MAX_MARKDOWN_CHARS = 200_000;
const MAX_PARAGRAPH_CHARS = 10_000;

export function isTooLongForMarkdown(text: string): boolean {
  if (text.length <= MAX_PARAGRAPH_CHARS) return false;
  if (text.length > MAX_MARKDOWN_CHARS) return true;
  return text.split(/\n[ \t]*\n/u).some((paragraph) => paragraph.length > MAX_PARAGRAPH_CHARS);
}
