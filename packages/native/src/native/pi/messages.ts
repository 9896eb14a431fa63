/**
 * Converts entries to messages: one entry becomes one message.
 *
 * | entry | message |
 * |---|---|
 * | message: user | `user`, by the person; the text of a skill that it begins with is marked by `injectedChars` |
 * | message: assistant | `assistant`; after an error, its origin is `error`, and the reason follows as a text |
 * | message: toolResult | `tool` |
 * | message: bashExecution | `user`, by the person: the command and its output, as the model reads them |
 * | message: custom (2: hookMessage), custom_message | `user`, injected by an extension |
 * | message: branchSummary, compactionSummary; branch_summary, compaction | `user`, a summary: the bare text |
 * | message: system | `system`, injected: a text for each section of the prompt |
 * | model_change, thinking_level_change, session_info, label, context_edit | `system`, a notification |
 * | an entry of another type, or with a role that pi does not know | `system`, a notification: an unknown block |
 * | custom, usage, and what is malformed | none |
 *
 * `metadata.pi` holds, verbatim and under pi's own names, the values for which the message has no field. For
 * all entries except user, assistant, toolResult and system messages, it also holds `type` or `role`. For a compaction
 * it also holds `keptMessageId`: the first message of this history that the compaction keeps, or `null` for none.
 */

import {
  type Block,
  type Message,
  type MessageMetadata,
  type Origin,
  type RecordPlace,
  type Role,
  textOf,
} from "@continuo/core/model";
import { entryOf, isJson, type Json, optional, textField, textOfValue } from "@continuo/files";
import { toBlocks } from "./blocks.ts";
import { filledField, messageOf, roleOf, timeOf } from "./records.ts";
import { toUsage } from "./usage.ts";

/** An entry with its place and its unique id (see `idOf`), which can differ from the id in the file. */
export interface PlacedEntry {
  readonly place: RecordPlace;
  readonly id: string;
  readonly value: Json;
}

/** The facts about a call that its result needs. */
export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
}

export interface MessageOptions {
  readonly native: boolean;
  /** The call that a result answers. */
  readonly callOf: (id: string) => ToolCall | undefined;
  /** The first kept message of a compaction: see above. */
  readonly keptMessageId: string | null;
}

/** The parts of a message that differ by kind of entry. */
interface Parts {
  readonly role: Role;
  readonly origin?: Origin;
  readonly content: readonly Block[];
  /** Further fields of the message. */
  readonly fields?: Partial<Message>;
  readonly pi: Json;
}

/** Converts an entry that is a message; `KIND` of the index identifies these. */
export function toMessage(entry: PlacedEntry, options: MessageOptions): Message {
  const { role, origin, content, fields, pi } = partsOf(entry.value, options);
  const timestamp = timeOf(entry.value);
  const metadata: MessageMetadata = {
    records: [entry.place],
    ...(options.native ? { native: [entry.value] } : {}),
    pi,
  };
  return {
    id: entry.id,
    role,
    content,
    ...optional("timestamp", timestamp),
    ...fields,
    ...(origin === undefined ? {} : { origin }),
    metadata,
  };
}

function partsOf(entry: Json, options: MessageOptions): Parts {
  const message = messageOf(entry);
  if (message === null)
    return (entryOf(ENTRY_PARTS, textOfValue(entry.type)) ?? unknownParts)(entry, options);
  return (entryOf(ROLE_PARTS, roleOf(entry) ?? "") ?? unknownParts)(message, options, entry);
}

/**
 * Words that Continuo itself adds, in `ENTRY_PARTS`, in `bashText`, and in the command that a person typed for a skill.
 */
export const OWN_WORDS: readonly string[] = [
  "/skill",
  "Model",
  "Thinking level",
  "Title",
  "Label of",
  "taken away",
  "For the model",
  "is replaced from here on",
  "is taken out from here on",
  "Ran",
  "no output",
  "command cancelled",
  "Command exited with code",
  "Output truncated. Full output",
];

type ToParts = (record: Json, options: MessageOptions, entry?: Json) => Parts;

const ROLE_PARTS: Readonly<Record<string, ToParts>> = {
  user: (message) => ({
    role: "user",
    origin: "person",
    content: toBlocks(message.content, { api: null, isPrompt: true }),
    pi: without(message, ["role", "content", "timestamp"]),
  }),
  assistant: answerParts,
  toolResult: resultParts,
  bashExecution: (message) => ({
    role: "user",
    origin: "person",
    content: [{ type: "text", text: bashText(message) }],
    pi: without(message, ["timestamp"]),
  }),
  custom: (message) => ({
    role: "user",
    origin: "injected",
    content: toBlocks(message.content),
    pi: without(message, ["content", "timestamp"]),
  }),
  branchSummary: (message) => summaryParts(message, without(message, ["summary", "timestamp"])),
  compactionSummary: (message) => summaryParts(message, without(message, ["summary", "timestamp"])),
  system: (message) => ({
    role: "system",
    origin: "injected",
    content: [...toBlocks(message.content).filter(isNoEmptyText), ...sectionTexts(message.sections)],
    pi: without(message, ["role", "content", "timestamp"]),
  }),
};

const LINKS = ["id", "parentId", "timestamp"];

const ENTRY_PARTS: Readonly<Record<string, ToParts>> = {
  compaction: (entry, { keptMessageId }) =>
    summaryParts(entry, { ...without(entry, [...LINKS, "summary"]), keptMessageId }),
  branch_summary: (entry) => summaryParts(entry, without(entry, [...LINKS, "summary"])),
  custom_message: (entry) => ({
    role: "user",
    origin: "injected",
    content: toBlocks(entry.content),
    pi: without(entry, [...LINKS, "content"]),
  }),
  model_change: (entry) =>
    noticeParts(entry, `Model: ${[entry.provider, entry.modelId].map(shown).join("/")}`),
  thinking_level_change: (entry) => noticeParts(entry, `Thinking level: ${shown(entry.thinkingLevel)}`),
  session_info: (entry) => noticeParts(entry, `Title: ${shown(entry.name)}`),
  label: (entry) => {
    const label = filledField(entry, "label");
    const target = shown(entry.targetId);
    return noticeParts(
      entry,
      label === null ? `Label of ${target} taken away` : `Label of ${target}: ${label}`,
    );
  },
  context_edit: (entry) => {
    const what = isJson(entry.replacement) ? "replaced" : "taken out";
    return noticeParts(entry, `For the model, ${shown(entry.targetId)} is ${what} from here on`);
  },
};

function unknownParts(_record: Json, _options: MessageOptions, entry: Json = _record): Parts {
  const role = roleOf(entry);
  return {
    role: "system",
    origin: "notification",
    content: [{ type: "unknown", raw: entry }],
    pi: { type: entry.type, ...(role === null ? {} : { role }) },
  };
}

function noticeParts(entry: Json, text: string): Parts {
  return {
    role: "system",
    origin: "notification",
    content: [{ type: "text", text }],
    pi: without(entry, LINKS),
  };
}

function summaryParts(record: Json, pi: Json): Parts {
  const text = typeof record.summary === "string" ? record.summary : "";
  const usage = toUsage(record.usage);
  return {
    role: "user",
    origin: "summary",
    content: [{ type: "text", text }],
    ...(usage === null ? {} : { fields: { usage } }),
    pi,
  };
}

function answerParts(message: Json): Parts {
  const content = toBlocks(message.content, { api: textField(message, "api"), isAnswer: true });
  const model = textField(message, "model");
  const usage = toUsage(message.usage);
  const stopReason = textField(message, "stopReason");
  const reason = stopReason === "error" ? filledField(message, "errorMessage") : null;
  return {
    role: "assistant",
    origin: stopReason === "error" ? "error" : "agent",
    content: reason === null ? content : [...content, { type: "text", text: reason }],
    fields: {
      ...optional("model", model),
      ...optional("usage", usage),
      ...optional("stopReason", stopReason),
    },
    pi: without(message, ["role", "content", "timestamp", "model", "usage", "stopReason"]),
  };
}

function resultParts(message: Json, { callOf }: MessageOptions): Parts {
  const toolCallId = textOfValue(message.toolCallId);
  const call = callOf(toolCallId);
  const toolName = textField(message, "toolName") ?? call?.name;
  const isError = message.isError === true;
  const content = toBlocks(message.content);
  const usage = toUsage(message.usage);
  return {
    role: "tool",
    content: [
      {
        type: "tool_result",
        toolCallId,
        content,
        isError,
        status: isError ? "error" : "ok",
        ...(message.details === undefined ? {} : { details: message.details }),
      },
    ],
    fields: {
      ...optional("usage", usage),
      toolCallId,
      ...(toolName === undefined ? {} : { toolName }),
      ...(call === undefined ? {} : { toolInput: call.input }),
      toolOutput: textOf(content),
    },
    pi: without(message, [
      ...["role", "content", "timestamp", "usage", "toolCallId", "toolName", "details"],
      ...(typeof message.isError === "boolean" ? ["isError"] : []),
    ]),
  };
}

/** A command that the person ran with `!`, as the model gets it (seen in 0.73.1, 0.87.1 and 1.5.2). */
function bashText(message: Json): string {
  const output = filledField(message, "output");
  const shownOutput = output === null ? "(no output)" : `\`\`\`\n${output}\n\`\`\``;
  const parts = [`Ran \`${shown(message.command)}\`\n${shownOutput}`];
  const { exitCode, fullOutputPath } = message;
  if (message.cancelled === true) parts.push("(command cancelled)");
  else if (typeof exitCode === "number" && exitCode !== 0) parts.push(`Command exited with code ${exitCode}`);
  if (message.truncated === true && fullOutputPath)
    parts.push(`[Output truncated. Full output: ${shown(fullOutputPath)}]`);
  return parts.join("\n\n");
}

function sectionTexts(sections: unknown): Block[] {
  if (!isJson(sections)) return [];
  return Object.values(sections).flatMap((text): Block[] =>
    typeof text === "string" ? [{ type: "text", text }] : [],
  );
}

function isNoEmptyText(block: Block): boolean {
  return block.type !== "text" || block.text !== "";
}

function shown(value: unknown): string {
  return typeof value === "string" ? value : value === undefined ? "" : (JSON.stringify(value) ?? "");
}

function without(record: Json, keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}
