/**
 * The normalised model of what a model reads: messages made of content blocks.
 *
 * Every agent's reader produces these, every writer consumes them, and the transcript folds events
 * into them. A message is plain data that survives `JSON.stringify` unchanged.
 */

export type Role = "system" | "user" | "assistant" | "tool";

/**
 * The source of a message, where the role is not enough:
 * - `person`: typed (or attached) by the person; `agent`: said by the agent
 * - `injected`: put there by the agent's program for the model (reminders, environment, instructions)
 * - `summary`: replaces messages that were removed by a compaction, or are on a branch that was left
 * - `notification`: shown to the person, not part of the conversation (turn durations, status)
 * - `error`: an error that the agent showed in place of an answer
 */
export type Origin = "person" | "agent" | "injected" | "summary" | "notification" | "error";

export interface Message {
  /** The native id where there is one, unique within its session. */
  readonly id: string;
  readonly parentId?: string;
  readonly role: Role;
  readonly content: readonly Block[];
  /** ISO 8601 UTC. */
  readonly timestamp?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** The agent's own word: `end_turn`, `tool_use`, `stop`, `max_tokens`, … */
  readonly stopReason?: string;
  readonly origin?: Origin;
  /** Only on `tool` messages: this and the next three fields repeat their only `tool_result` and its call. */
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly toolInput?: unknown;
  readonly toolOutput?: string;
  readonly metadata: MessageMetadata;
}

/**
 * `records` are the places of the native records that the message was made of; `native` are those records themselves,
 * if the caller requested them. All other keys belong to the agent named in the key, for example `claude: { isMeta:
 * true }`.
 */
export interface MessageMetadata {
  readonly records?: readonly RecordPlace[];
  readonly native?: readonly unknown[];
  readonly [agentOrExtension: string]: unknown;
}

/** The place of a native record: a line (1-based) of a file, or a row of a database. */
export interface RecordPlace {
  /** Left out for the session's own main file. */
  readonly file?: string;
  readonly line?: number;
  readonly row?: string;
}

export interface TextBlock {
  readonly type: "text";
  readonly text: string;
  /** The words of the person that `text` stands for: `/skill:NAME` becomes the text of a skill. */
  readonly typed?: string;
  /** The number of characters at the beginning of `text` that stand for those words. Only with `typed`. */
  readonly injectedChars?: number;
  readonly signature?: string;
  readonly native?: unknown;
}

export interface ImageBlock {
  readonly type: "image";
  readonly mimeType: string;
  /** Base64. */
  readonly data?: string;
  readonly url?: string;
  readonly blob?: string;
  readonly native?: unknown;
}

export interface FileBlock {
  readonly type: "file";
  readonly mimeType: string;
  readonly name?: string;
  /** Base64. */
  readonly data?: string;
  readonly url?: string;
  readonly blob?: string;
  readonly text?: string;
  readonly native?: unknown;
}

export interface ThinkingBlock {
  readonly type: "thinking";
  readonly text: string;
  /** The vendor's signature or encrypted form: opaque, returned byte for byte. */
  readonly signature?: string;
  /** True when the vendor hid the text. */
  readonly redacted?: boolean;
  /** The opaque data that a redacted block holds instead of text. */
  readonly data?: string;
  /** The vendor that signed: `anthropic`, `openai`, … */
  readonly signedBy?: string;
  readonly native?: unknown;
}

/** A tool as an agent offers it to its model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** The JSON Schema of the input. */
  readonly inputSchema?: Readonly<Record<string, unknown>>;
}

export interface ToolCallBlock {
  readonly type: "tool_call";
  readonly id: string;
  readonly name: string;
  /** The parsed arguments; if the native text is not a JSON object, `{}`, and `rawArgs` has the text. */
  readonly args: Readonly<Record<string, unknown>>;
  /** The native text, where the agent keeps arguments as text. */
  readonly rawArgs?: string;
  readonly signature?: string;
  /** `model` for tools that the model's vendor ran itself (web search, …). */
  readonly ranBy?: "agent" | "model";
  /** The sub-agent session that the call started. */
  readonly childSessionId?: string;
  readonly native?: unknown;
}

export type ToolStatus = "ok" | "error" | "denied" | "cancelled" | "interrupted";

export interface ToolResultBlock {
  readonly type: "tool_result";
  readonly toolCallId: string;
  readonly content: readonly Block[];
  readonly isError: boolean;
  readonly status?: ToolStatus;
  /** The agent's structured copy of the result (exit code, patch, …), verbatim. */
  readonly details?: unknown;
  readonly native?: unknown;
}

/** A native block or record that the model has no kind for, verbatim. */
export interface UnknownBlock {
  readonly type: "unknown";
  readonly raw: unknown;
  readonly native?: unknown;
}

export type Block =
  | TextBlock
  | ImageBlock
  | FileBlock
  | ThinkingBlock
  | ToolCallBlock
  | ToolResultBlock
  | UnknownBlock;

/** Tokens of one model call, or a sum of them. `inputTokens` counts uncached input only. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens?: number;
  readonly cacheWriteTokens?: number;
  /** The part of `cacheWriteTokens` that the provider keeps for an hour. */
  readonly cacheWriteHourTokens?: number;
  readonly reasoningTokens?: number;
  readonly totalTokens?: number;
  readonly costUsd?: number;
}

/** Like `textOf`, but with the words that the person typed. */
export function typedTextOf(blocks: readonly Block[]): string {
  return textOf(blocks.map((block) => (block.type === "text" ? { ...block, text: typedIn(block) } : block)));
}

/** The text of a block as the person typed it. */
export function typedIn({ typed, text }: TextBlock): string {
  return typed ?? text;
}

/** The blocks of stored content, which is a text or a list of blocks; an empty list for any other value. */
export function contentBlocks(content: unknown): readonly Block[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? (content as readonly Block[]) : [];
}

/** The plain text of blocks, one paragraph for each block. Images, calls and other blocks without text add nothing. */
export function textOf(blocks: readonly Block[]): string {
  const parts: string[] = [];
  for (const block of blocks) if (block.type === "text" && block.text !== "") parts.push(block.text);
  return parts.join("\n\n");
}

/** The words that the person typed, and a name in place of each picture and file. */
export function namedTextOf(blocks: readonly Block[]): string {
  return [typedTextOf(blocks), ...blocks.flatMap(nameOfBlock)].filter((text) => text !== "").join("\n\n");
}

/** Returns a text that stands for a picture or a file; nothing for other blocks. */
export function nameOfBlock(block: Block): readonly string[] {
  if (block.type === "image") return [`[picture, ${block.mimeType}]`];
  if (block.type === "file") return [`[file ${block.name ?? block.mimeType}]`];
  return [];
}

/**
 * The blocks with a text in place of each file of which they have only the address, for agents that take no links: they
 * read the file themselves. A picture at a web address stays, because the vendor of the model loads it.
 *
 * @param isTaken true for a file whose address the agent takes
 */
export function withNamedFiles(
  blocks: readonly Block[],
  isTaken: (file: FileBlock) => boolean = () => false,
): readonly Block[] {
  return blocks.map((block): Block => {
    const address = onlyAddressOf(block);
    const isKept = address === null || (block.type === "file" && isTaken(block));
    return isKept ? block : { type: "text", text: attachedText(address) };
  });
}

/**
 * One line that names a file by its address, for a prompt: the path of a file of this machine, and any other address as
 * it is. Line breaks and other control characters are written as in an address, so that no name can be more lines of the
 * prompt.
 */
export function attachedText(url: string): string {
  return `Attached: ${pathOf(url).replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, encodeURIComponent)}`;
}

function pathOf(url: string): string {
  if (!url.startsWith("file:///")) return url;
  try {
    return decodeURIComponent(url.slice("file://".length));
  } catch {
    return url;
  }
}

function onlyAddressOf(block: Block): string | null {
  if (block.type !== "file" && block.type !== "image") return null;
  const { url, data, blob } = block;
  if (url === undefined || data !== undefined || blob !== undefined) return null;
  const isOther = block.type === "file" ? block.text !== undefined : !url.startsWith("file:");
  return isOther ? null : url;
}

/**
 * True if a text is not empty and has only characters of base64, with at most two `=` at its end. The data of a block
 * have many megabytes, so no expression repeats over them: it would need memory for each character.
 */
export function isBase64(text: string): boolean {
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  return text.length > padding && !/[^A-Za-z0-9+/]/u.test(text.slice(0, text.length - padding));
}

export interface DataUrl {
  /** Empty if the address has none. */
  readonly mimeType: string;
  readonly data: string;
}

const HEAD = /^data:(?<mimeType>[^,;]*)(?:;[^,]*)?;base64,/u;
const MAX_HEAD_CHARS = 200;

/** Returns `null` for an address without data in base64, or with a longer head. The data are not checked. */
export function parseDataUrl(url: string): DataUrl | null {
  const head = HEAD.exec(url.slice(0, MAX_HEAD_CHARS));
  return head === null ? null : { mimeType: head.groups?.mimeType ?? "", data: url.slice(head[0].length) };
}
