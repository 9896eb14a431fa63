/** The second pass: converts a draft and its records to a message. Pure. */

import type { Block, Message, MessageMetadata, RecordPlace, ToolStatus, Usage } from "@continuo/core/model";
import { textOf } from "@continuo/core/model";
import { isJson, type Json, textOfValue } from "@continuo/files";
import type { MessageDraft } from "./drafts.ts";
import { shownTexts, speakerOf } from "./interface-messages.ts";
import { isUnasked, toBlocks, toOutput, toParts } from "./items.ts";
import { type CodexRecord, parseRecord, toText } from "./records.ts";
import { isTyped } from "./text-authors.ts";
import { toUsage } from "./usage.ts";

export interface DraftContent {
  readonly draft: MessageDraft;
  /** The values at `draft.slots`, in that order. */
  readonly values: readonly unknown[];
  readonly places: readonly RecordPlace[];
  /** The id of a message whose records have none. */
  readonly fallbackId: string;
  /** The call of an output, if the call came before it. */
  readonly call: { readonly name: string; readonly args: Json } | null;
  /** The sub-agent that each call started. */
  readonly children: ReadonlyMap<string, string>;
  /** The events with more facts about an output. */
  readonly details: readonly unknown[];
  /** `keep` stores the records in `metadata.native`. */
  readonly native: "keep" | "drop";
}

export function toMessage(content: DraftContent): Message {
  const records = content.values.map(parseRecord).filter((record) => record !== null);
  const { draft } = content;
  const first = records[0];
  const base = {
    id: idOf(content, records),
    ...(first?.timestamp && { timestamp: first.timestamp }),
  };
  switch (draft.kind) {
    case "message":
      return {
        ...base,
        ...toTextMessage(first?.payload ?? {}, draft),
        metadata: metadataOf(content, roleOf(first)),
      };
    case "assistant":
      return { ...base, ...toResponse(records, content), metadata: metadataOf(content, phaseOf(records)) };
    case "output":
      return { ...base, ...toToolMessage(first?.payload ?? {}, content), metadata: metadataOf(content, {}) };
    case "other": {
      const raw = first?.payload ?? {};
      return {
        ...base,
        role: "user",
        content: isUnasked(raw) ? toOutput(raw) : [{ type: "unknown", raw }],
        origin: "injected",
        metadata: metadataOf(content, {}),
      };
    }
    case "summary":
      return { ...base, ...toSummary(first?.payload ?? {}, content) };
    case "shown":
      return {
        ...base,
        ...toShown(first?.payload ?? {}, draft),
        metadata: metadataOf(content, { displayOnly: true }),
      };
    case "error":
      return { ...base, ...toErrorMessage(first?.payload ?? {}, content) };
    case "header":
      return {
        ...base,
        role: "system",
        content: [{ type: "text", text: SECOND_HEADER }],
        origin: "notification",
        metadata: metadataOf(content, { startsOver: true }),
      };
  }
}

/** Seen in 0.169.0. */
const SECOND_HEADER = "A second header: Codex sends nothing of what stands before it.";

function idOf({ draft, fallbackId }: DraftContent, records: readonly CodexRecord[]): string {
  if (draft.nativeId !== "own") return fallbackId;
  for (const { type, payload } of records) {
    const id = type === "response_item" ? toText(payload.id) : null;
    if (id !== null) return id;
  }
  return fallbackId;
}

function metadataOf(content: DraftContent, extra: Json): MessageMetadata {
  const { draft, places, native, values } = content;
  const codex = { ...(draft.turnId !== null && { turnId: draft.turnId }), ...extra };
  return {
    records: places,
    ...(native === "keep" && { native: [...values, ...content.details] }),
    ...(Object.keys(codex).length > 0 && { codex }),
  };
}

type Body = Pick<Message, "role" | "content"> & Partial<Message>;

function toTextMessage(item: Json, draft: MessageDraft): Body {
  return { role: draft.role, content: toParts(item.content), origin: draft.typed ? "person" : "injected" };
}

/** `developer` is a role of the API that the model of Continuo does not have. */
function roleOf(record: CodexRecord | undefined): Json {
  return record?.payload.role === "developer" ? { role: "developer" } : {};
}

function toResponse(records: readonly CodexRecord[], { draft, children }: DraftContent): Body {
  const content: Block[] = [];
  let usage: Usage | null = null;
  for (const { type, payload } of records) {
    if (type === "response_item")
      content.push(...toBlocks(payload).map((block) => withChild(block, children)));
    else usage = toUsage(payload.usage);
  }
  return {
    role: "assistant",
    content,
    origin: "agent",
    ...(draft.model !== null && { model: draft.model }),
    ...(usage !== null && { usage }),
    ...(draft.interrupted && { stopReason: "interrupted" }),
  };
}

function withChild(block: Block, children: ReadonlyMap<string, string>): Block {
  const childSessionId = block.type === "tool_call" ? children.get(block.id) : undefined;
  return block.type === "tool_call" && childSessionId !== undefined ? { ...block, childSessionId } : block;
}

function phaseOf(records: readonly CodexRecord[]): Json {
  const phases = records.map(({ payload }) => toText(payload.phase)).filter((phase) => phase !== null);
  return phases.length > 0 ? { phase: phases.at(-1) } : {};
}

function toToolMessage(item: Json, { draft, call, details: events }: DraftContent): Body {
  const content = toOutput(item);
  const details = events.map(detailOf).filter((detail) => detail !== null);
  const toolOutput = textOf(content);
  const status =
    draft.interrupted && ABORTED.test(toolOutput) ? "interrupted" : statusOf(details, toolOutput);
  const toolCallId = draft.callId ?? "";
  const plain = item.type === "function_call_output";
  return {
    role: "tool",
    toolCallId,
    ...(call !== null && { toolName: call.name, toolInput: call.args }),
    toolOutput,
    content: [
      {
        type: "tool_result",
        toolCallId,
        content,
        isError: status !== "ok",
        status,
        ...(details.length > 0 && { details: details.length === 1 ? details[0] : details }),
        ...(!plain && { native: item }),
      },
    ],
  };
}

/** Seen in 0.169.0: "Wall time: 1.5 seconds\naborted by user". */
const ABORTED = /(?:^|\n)aborted(?: by user)?\s*$/u;

/** The content of an event is in its `item`; in legacy files it is in the event itself. */
function detailOf(value: unknown): Json | null {
  const payload = parseRecord(value)?.payload;
  if (payload === undefined) return null;
  return isJson(payload.item) ? payload.item : payload;
}

function statusOf(details: readonly Json[], text: string): ToolStatus {
  if (details.some(({ status }) => status === "declined")) return "denied";
  if (details.some(isFailure)) return "error";
  if (SCRIPT_FAILED.test(text)) return "error";
  const code = details.length > 0 ? null : exitCodeIn(text);
  return code === null || code === 0 ? "ok" : "error";
}

/** The text of code mode for JavaScript that threw (seen in 0.169.0). */
const SCRIPT_FAILED = /^Script failed\n/u;

function isFailure(detail: Json): boolean {
  const { exit_code: code, status, success } = detail;
  return (typeof code === "number" && code !== 0) || status === "failed" || success === false;
}

/** The lines that 0.169.0 puts above the output of a command; without them the text has no meaning. */
const EXIT =
  /^(?:Chunk ID: .*\n)?(?:Wall time: .*\n)?(?:Process exited with code|Exit code:) (-?\d+)(?=\n|$)/u;

function exitCodeIn(text: string): number | null {
  const match = EXIT.exec(text.slice(0, MAX_EXIT_CHARS));
  return match === null ? null : Number(match[1]);
}

const MAX_EXIT_CHARS = 500;

/** The texts that replace the earlier conversation; the full replacement is in `metadata.codex.replacement`. */
function toSummary(payload: Json, content: DraftContent): Body & Pick<Message, "metadata"> {
  const items = payload.replacement_history;
  const replacement = Array.isArray(items) ? replacementOf(items, content.fallbackId) : null;
  const text = toText(payload.message);
  const sealed = Array.isArray(items)
    ? items.filter((item) => isJson(item) && item.type === "compaction")
    : [];
  return {
    role: "user",
    origin: "summary",
    content: text !== null ? [{ type: "text", text }] : sealed.map((raw) => ({ type: "unknown", raw })),
    metadata: metadataOf(content, replacement === null ? {} : { replacement }),
  };
}

/** Items of a compaction as messages, one for each item, because it is not recorded which of them were one response. */
function replacementOf(items: readonly unknown[], id: string): Message[] {
  return items.filter(isJson).map((item, index): Message => {
    const base = { id: toText(item.id) ?? `${id}.${index + 1}`, metadata: {} };
    const role = item.role;
    if (item.type === "message" && role === "assistant") {
      return { ...base, role, content: toBlocks(item), origin: "agent" };
    }
    if (item.type === "message") {
      const origin = isTyped(item) ? "person" : "injected";
      return { ...base, role: role === "user" ? "user" : "system", content: toBlocks(item), origin };
    }
    if (textOfValue(item.type).endsWith("_output")) {
      const toolCallId = toText(item.call_id) ?? "";
      const result = toOutput(item);
      return {
        ...base,
        role: "tool",
        toolCallId,
        toolOutput: textOf(result),
        content: [{ type: "tool_result", toolCallId, content: result, isError: false }],
      };
    }
    if (item.type === "compaction") {
      return { ...base, role: "user", content: [{ type: "unknown", raw: item }], origin: "summary" };
    }
    return { ...base, role: "assistant", content: toBlocks(item), origin: "agent" };
  });
}

/** Returns a message that the interface showed and the model did not receive. */
function toShown(payload: Json, draft: MessageDraft): Body {
  const speaker = speakerOf(payload);
  if (speaker === null) {
    return { role: "system", content: [{ type: "unknown", raw: payload.item }], origin: "notification" };
  }
  const texts = shownTexts(payload);
  if (speaker === "user") {
    const blocks: Block[] = texts.map((text) => ({ type: "text", text }));
    return { role: "user", content: [...blocks, ...shownImages(payload)], origin: "person" };
  }
  const content = texts.map((text): Block => ({ type: speaker === "agent" ? "text" : "thinking", text }));
  return { role: "assistant", content, origin: "agent", ...(draft.model !== null && { model: draft.model }) };
}

function shownImages(payload: Json): Block[] {
  const item = isJson(payload.item) ? payload.item.content : null;
  const parts = Array.isArray(item) ? item.filter(isJson).map((part) => part.image_url) : payload.images;
  if (!Array.isArray(parts)) return [];
  const urls = parts.filter((url) => typeof url === "string");
  return toParts(urls.map((image_url) => ({ type: "input_image", image_url })));
}

function toErrorMessage(payload: Json, content: DraftContent): Body & Pick<Message, "metadata"> {
  const error = isJson(payload.error) ? payload.error : payload;
  return {
    role: "assistant",
    content: [{ type: "text", text: toText(error.message) ?? JSON.stringify(error) }],
    origin: "error",
    metadata: metadataOf(content, { displayOnly: true, error }),
  };
}
