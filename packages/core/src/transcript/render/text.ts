/**
 * Messages as plain text, for agents that take only a prompt.
 *
 * Each part is a header, which begins at the margin, and its lines, which begin with `| `. Content never begins at the
 * margin, so that no message can pretend to be another message, another role or a result.
 */

import { assertKnownOptions, type KnownOptions, type Message } from "../../model/index.ts";
import { type MessageKind, messageKind, type Part, toParts } from "./parts.ts";
import { visibleLine } from "./visible-text.ts";

export interface TextOptions {
  /** `none`, the default, leaves thinking out, because other models gain little from it. */
  readonly thinking?: "full" | "none";
}

const TEXT_OPTIONS: KnownOptions<TextOptions> = { thinking: true };

const SPEAKERS: Readonly<Record<MessageKind, string>> = {
  person: "user",
  agent: "assistant",
  tool: "tool",
  summary: "summary of what came before",
  error: "error in place of an answer",
  injected: "note",
};

/** Empty if there is nothing to show; otherwise it ends with a line feed. Errors: `usage` for an unknown option. */
export function messagesToText(messages: readonly Message[], options: TextOptions = {}): string {
  assertKnownOptions("messagesToText", options, TEXT_OPTIONS);
  return messages
    .flatMap((message) => toParts(message).map((part) => partToText(part, message, options)))
    .filter((text) => text !== "")
    .join("\n");
}

function partToText(part: Part, message: Message, { thinking = "none" }: TextOptions): string {
  const speaker = speakerOf(message);
  switch (part.type) {
    case "text":
      return section(speaker, part.text);
    case "thinking":
      return thinking === "none" || part.text === "" ? "" : section(`${speaker} thinks`, part.text);
    case "media":
      return section(
        `${speaker} attaches`,
        part.text === null ? `[${part.label}]` : `[${part.label}]\n${part.text}`,
      );
    case "call":
      return section(`${speaker} calls tool ${quoted(part.name)} (${quoted(part.id)})`, part.input);
    case "result": {
      const name = part.name === null ? "" : ` ${quoted(part.name)}`;
      return section(`result of tool${name} (${quoted(part.toolCallId)}), ${part.status}`, part.text);
    }
    case "unknown":
      return section(`${speaker} says something of an unknown kind`, part.text);
  }
}

/** Distinguishes a system message from one that a program inserted. */
function speakerOf(message: Message): string {
  const kind = messageKind(message);
  return kind === "injected" && message.role === "system" ? "system" : SPEAKERS[kind];
}

/** Names and ids come from the session. Each becomes a quoted text on one line. */
function quoted(name: string): string {
  return JSON.stringify(visibleLine(name));
}

function section(header: string, text: string): string {
  if (text === "") return `${header}: nothing\n`;
  const lines = text.replace(/\n$/u, "").split("\n");
  return `${header}:\n${lines.map((line) => (line === "" ? "|" : `| ${line}`)).join("\n")}\n`;
}
