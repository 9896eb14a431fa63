/** Takes a message apart into the parts that can be shown. Every string of a part is visible text. */

import {
  assertKnownOptions,
  type Block,
  type FileBlock,
  type ImageBlock,
  type Message,
  type ToolStatus,
} from "../../model/index.ts";
import { spokenText } from "./command-text.ts";
import { mainArgument } from "./tools.ts";
import { textInIsolates, visibleLine, visibleText } from "./visible-text.ts";

export interface ResultPart {
  readonly type: "result";
  readonly toolCallId: string;
  /** `null` if the call is not known. */
  readonly name: string | null;
  readonly status: ToolStatus;
  readonly text: string;
}

export type Part =
  | { readonly type: "text"; readonly text: string }
  /** `text` is empty if the vendor hid it. */
  | { readonly type: "thinking"; readonly text: string }
  | {
      readonly type: "call";
      readonly id: string;
      readonly name: string;
      /** One line. */
      readonly argument: string | null;
      /** All arguments: the native text, or indented JSON. */
      readonly input: string;
      readonly childSessionId: string | null;
    }
  | ResultPart
  /** An image or a file: `image png, 12 KB`; with `text` if the text of the file is part of the message. */
  | { readonly type: "media"; readonly label: string; readonly text: string | null }
  /** JSON of a block whose type Continuo does not know. */
  | { readonly type: "unknown"; readonly text: string };

/**
 * The kind of a message when it is shown: `person` and `agent` speak, `tool` answers a call, `summary` replaces
 * messages that a compaction removed, `error` is in place of an answer; `injected` is everything that a program added
 * for the model or the screen, and is usually hidden.
 */
export type MessageKind = "person" | "agent" | "tool" | "summary" | "error" | "injected";

export function messageKind(message: Message): MessageKind {
  switch (message.origin) {
    case "injected":
    case "notification":
      return "injected";
    case "summary":
      return "summary";
    case "error":
      return "error";
    default:
      return KIND_OF_ROLE[message.role];
  }
}

const KIND_OF_ROLE: Readonly<Record<Message["role"], MessageKind>> = {
  user: "person",
  assistant: "agent",
  tool: "tool",
  system: "injected",
};

export interface PartOptions {
  /**
   * The form of direction marks and zero-width characters: `spelled` out, or `kept` inside Unicode isolates in texts,
   * thinking and results. In the input of a call they are always spelled out, because the call is executed exactly as
   * it is written.
   */
  readonly invisible?: "spelled" | "kept";
}

export function toParts(message: Message, options: PartOptions = {}): Part[] {
  assertKnownOptions("toParts", options, { invisible: true });
  const { invisible = "spelled" } = options;
  const visible = invisible === "kept" ? textInIsolates : visibleText;
  return message.content.map((block) => toPart(block, message, visible));
}

function toPart(block: Block, message: Message, visible: (text: string) => string): Part {
  switch (block.type) {
    case "text":
      return {
        type: "text",
        text: visible(message.role === "user" ? spokenText(block.typed ?? block.text) : block.text),
      };
    case "thinking":
      return { type: "thinking", text: visible(block.text) };
    case "image":
      return { type: "media", label: mediaLabel(block), text: null };
    case "file":
      return {
        type: "media",
        label: mediaLabel(block),
        text: block.text === undefined ? null : visible(block.text),
      };
    case "tool_call": {
      const argument =
        block.rawArgs !== undefined && Object.keys(block.args).length === 0
          ? block.rawArgs
          : mainArgument(block.args);
      return {
        type: "call",
        id: block.id,
        name: visibleLine(block.name),
        argument: argument === null ? null : visibleLine(argument.trim()),
        input: visibleText(fullInput(block.args, block.rawArgs)),
        childSessionId: block.childSessionId === undefined ? null : visibleLine(block.childSessionId),
      };
    }
    case "tool_result":
      return {
        type: "result",
        toolCallId: block.toolCallId,
        name: message.toolName === undefined ? null : visibleLine(message.toolName),
        status: block.status ?? (block.isError ? "error" : "ok"),
        text: block.content.map((inner) => resultText(toPart(inner, message, visible))).join("\n"),
      };
    case "unknown":
      return { type: "unknown", text: visibleText(JSON.stringify(block.raw, null, 2) ?? "") };
  }
}

function resultText(part: Part): string {
  if (part.type === "media") return part.text === null ? `[${part.label}]` : `[${part.label}]\n${part.text}`;
  return part.type === "call" ? part.input : part.text;
}

function fullInput(args: Readonly<Record<string, unknown>>, rawArgs: string | undefined): string {
  return rawArgs !== undefined && Object.keys(args).length === 0 ? rawArgs : JSON.stringify(args, null, 2);
}

function mediaLabel(block: ImageBlock | FileBlock): string {
  const kind = block.type === "image" ? block.mimeType.replace(/^image\//u, "") : block.mimeType;
  const name = block.type === "file" && block.name !== undefined ? ` ${block.name}` : "";
  const size = block.data === undefined ? "" : `, ${base64Size(block.data)}`;
  const place = block.data === undefined && block.url !== undefined ? `, ${block.url}` : "";
  return visibleLine(`${block.type}${name} ${kind}${size}${place}`);
}

function base64Size(data: string): string {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  const bytes = Math.max(0, Math.floor(data.length / 4) * 3 - padding);
  return bytes < 1024 ? `${bytes} B` : `${Math.round(bytes / 1024)} KB`;
}
