/**
 * A flat list of the items that a model reads, from two sources: the request that an agent sent (`requests.ts`), and
 * Continuo's model view of the same session. The two lists must be equal.
 *
 * Agents make reminders, environment and instructions again at every start. These are not part of the conversation and
 * are left out on both sides (`isMadeAnew`). Everything else is compared: text, thinking with its signature, images,
 * calls with name and arguments, results, their ids and their order. Only white space at the end of a text is ignored,
 * because Claude Code ends a message with a line break if another message follows.
 */

import type { AgentName, Block, ImageBlock, Message, ToolResultBlock } from "@continuo/core/model";

export type Item =
  | { readonly kind: "text"; readonly role: "user" | "assistant"; readonly text: string }
  | { readonly kind: "image"; readonly role: "user" | "assistant"; readonly image: Picture }
  | { readonly kind: "thinking"; readonly text: string; readonly signature: string | null }
  | { readonly kind: "call"; readonly id: string; readonly name: string; readonly args: unknown }
  | {
      readonly kind: "result";
      readonly id: string;
      readonly text: string;
      readonly images: readonly Picture[];
      /** The value is `null` if the agent's protocol does not mark failed results. */
      readonly isError: boolean | null;
    }
  /** Any item of another kind, exactly as in the request. */
  | { readonly kind: "other"; readonly value: unknown };

/** A `data:` URL, or the address of a picture that is stored elsewhere. */
export type Picture = string;

/** The agents whose protocol marks failed results. */
export const TELLS_ERRORS: ReadonlySet<AgentName> = new Set(["claude"]);

export interface ViewOptions {
  /** True if the agent's protocol marks failed results. */
  readonly tellsErrors: boolean;
  /** Absent if the view is not compared with a request. */
  readonly sentBy?: AgentName;
}

export function normaliseView(messages: readonly Message[], options: ViewOptions): readonly Item[] {
  return messages.flatMap((message) => message.content.flatMap((block) => itemsOf(block, message, options)));
}

/** Text that an agent makes again at every start. */
function isMadeAnew(text: string): boolean {
  return MADE_ANEW.some((beginning) => text.trimStart().startsWith(beginning));
}

const MADE_ANEW = [
  // Claude Code
  "<system-reminder>",
  // Gemini CLI
  "<session_context>",
  // Codex
  "<environment_context>",
  "<permissions instructions>",
  "<user_instructions>",
  "<skills_instructions>",
  "# AGENTS.md instructions",
];

/**
 * Returns the notice of a background task. Claude Code stores only this notice in its file, but sends it inside of a
 * reminder.
 */
function noticeIn(text: string): string | null {
  return /<task-notification>[\s\S]*<\/task-notification>/.exec(text)?.[0] ?? null;
}

export function itemsOfText(role: "user" | "assistant", text: string): readonly Item[] {
  const told = role === "user" ? textsOfCopilot(text) : null;
  if (told !== null) return told.map((one): Item => ({ kind: "text", role, text: one.trimEnd() }));
  const notice = role === "user" ? noticeIn(text) : null;
  if (notice !== null) return [{ kind: "text", role, text: notice }];
  return isMadeAnew(text) ? [] : [{ kind: "text", role, text: text.trimEnd() }];
}

/**
 * Removes what Copilot adds when it sends a text: the time before a prompt, a name before a picture, tags around a
 * command of the person, and sentences around a summary and around the prompts that precede the summary. Its file holds
 * the texts without these additions. Returns `null` for a text that has none of them.
 */
function textsOfCopilot(text: string): readonly string[] | null {
  if (/^(?:Image file at path |Attached image$)/u.test(text)) return [];
  const timed = /^<current_datetime>[^<]*<\/current_datetime>\s*/u.exec(text);
  if (timed !== null) return [text.slice(timed[0].length)];
  const command =
    /^<user_shell_command_output>[\s\S]*?Command:\n([\s\S]*?)\n\nOutput:\n([\s\S]*?)\n<\//u.exec(text);
  if (command !== null) return [`! ${command[1]}\n\n${command[2]}`];
  if (!text.startsWith("Some of the conversation history has been summarized")) return null;
  const prompts = [...text.matchAll(/<user_message>\n([\s\S]*?)\n<\/user_message>/gu)].map(
    (found) => found[1] ?? "",
  );
  const summary = /<summary>\n([\s\S]*)\n<\/summary>\s*$/u.exec(text)?.[1] ?? "";
  return [...prompts, summary].flatMap((one) => textsOfCopilot(one) ?? [one]);
}

/** Returns one fixed text for each way in which an agent says that a result is missing; other texts are unchanged. */
export function resultText(text: string): string {
  if (INTERRUPTED.test(text)) return "[No result of this call was recorded.]";
  return text.startsWith(NEVER_RECORDED) ? NEVER_RECORDED : text;
}

/** Copilot sends its own text in place of a missing result. */
const INTERRUPTED = /^(?:The execution of this tool, or a previous tool was|Tool execution was) interrupted/u;

const NEVER_RECORDED = "[Tool call interrupted";

function itemsOf(block: Block, message: Message, options: ViewOptions): readonly Item[] {
  const role = message.role === "assistant" ? "assistant" : "user";
  switch (block.type) {
    case "text":
      return message.role === "system" ? [] : itemsOfText(role, block.text);
    case "image":
      return [{ kind: "image", role, image: pictureOf(block) }];
    case "thinking":
      return [{ kind: "thinking", text: block.text, signature: block.signature ?? block.data ?? null }];
    case "tool_call":
      return [{ kind: "call", id: block.id, name: block.name, args: argumentsOf(block.args, block.rawArgs) }];
    case "tool_result":
      return [asSentBy(options.sentBy, resultOf(block, options))];
    case "unknown":
      return [{ kind: "other", value: partAsSentBy(options.sentBy, block.raw) }];
    case "file":
      return [{ kind: "other", value: { mimeType: block.mimeType, data: block.data, text: block.text } }];
  }
}

function resultOf(block: ToolResultBlock, { tellsErrors }: ViewOptions): Item {
  return {
    kind: "result",
    id: block.toolCallId,
    text: resultText(block.content.map((part) => (part.type === "text" ? part.text : "")).join("")),
    images: block.content.filter((part) => part.type === "image").map(pictureOf),
    isError: tellsErrors ? block.isError : null,
  };
}

/** Copilot sends no pictures in results to the models of a custom provider (1.0.102). */
export function asSentBy(agent: AgentName | undefined, item: Item): Item {
  return item.kind === "result" && agent === "copilot" ? { ...item, images: [] } : item;
}

/** Gemini CLI sends of a part only what its library of the API knows (0.61.0). */
function partAsSentBy(agent: AgentName | undefined, part: unknown): unknown {
  if (agent !== "gemini" || typeof part !== "object" || part === null) return part;
  return Object.fromEntries(Object.entries(part).filter(([name]) => GEMINI_PARTS.has(name)));
}

const GEMINI_PARTS = new Set([
  "codeExecutionResult",
  "executableCode",
  "fileData",
  "functionCall",
  "functionResponse",
  "inlineData",
  "text",
  "thought",
  "thoughtSignature",
  "videoMetadata",
]);

function pictureOf(block: ImageBlock): Picture {
  return block.data === undefined ? (block.url ?? "") : `data:${block.mimeType};base64,${block.data}`;
}

/** Arguments that are stored as text are compared as values if they are JSON. */
function argumentsOf(args: Readonly<Record<string, unknown>>, rawArgs: string | undefined): unknown {
  return rawArgs === undefined ? args : parsedOrText(rawArgs);
}

export function parsedOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : text;
  } catch {
    return text;
  }
}
