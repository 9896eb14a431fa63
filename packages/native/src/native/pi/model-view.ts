/**
 * The messages that pi sends to the model when it resumes a session: only the conversation. Pure.
 *
 * Rules of 1.5.2, in this order; those of 0.73.1 and 0.87.1 differ where a rule says so. Each rule has tests under its
 * number in `model-view.test.ts`, and `npm run test:agents` compares the whole with real requests.
 *
 * 1. The last compaction comes first, then what it keeps (from `keptMessageId` on), then what follows it.
 *    Everything older, and any earlier compaction, is left out.
 * 2. A context edit (since 0.87) removes the message that it names, or replaces its content; the last edit of a
 *    message counts. Edits that a compaction removed have no effect.
 * 3. System messages and notifications are left out: pi declares its prompt and tools again.
 * 4. A shell command that was to be kept from the model (`excludeFromContext`) is left out.
 * 5. An answer that broke off (`error`, `aborted`) is left out.
 * 6. Thinking of another model than the one that continues is left out, and so is thinking without text and signature
 *   (0.73.1 and 0.87.1 send the former as text). Signatures of text blocks and calls of another model are left out too;
 *   an answer that names no model counts as another's. The model that continues is the last one that was chosen or
 *   answered.
 * 7. A call without a result gets one, which is an error, before the next message that is not a result, or at the end.
 * 8. Empty texts, and messages that are then empty, are left out.
 * 9. A result that has only white space and no picture is "(no tool output)" if the last answer came over an API in
 *   the form of OpenAI or Mistral; over other APIs it is sent as it is.
 * 10. A text in `<thinking>` markers, which Continuo reads as thinking, is sent as text.
 * 11. A malformed block is left out. Over an API in the form of OpenAI, a malformed block of the person is sent as a
 *   picture with its `mimeType` and `data`, and a malformed text of a result as JavaScript converts it to a text.
 *   Arguments that are not an object are sent as JSON, and a call whose id is not a text is sent without an id. Over Chat
 *   Completions, thinking is sent in the field that its signature names, or not at all.
 *
 * pi adds its own sentence and tags around summaries; these are left out here. Results without a call are sent.
 * The protocol of the vendor's API (images of results after all results, ids shortened) is not part of it.
 */

import type { Block, Message, ToolCallBlock } from "@continuo/core/model";
import { isJson, type Json } from "@continuo/files";
import { withContent } from "../kit/index.ts";
import { asCall, asText, toBlocks } from "./blocks.ts";
import { withFormsOf } from "./sent-blocks.ts";

/** The text of pi in place of a missing result (seen in 0.73.1, 0.87.1 and 1.5.2). */
export const NO_RESULT = "No result provided";

/** The text of pi in place of an empty result (seen in 1.5.2). */
export const NO_OUTPUT = "(no tool output)";

export function modelView(history: readonly Message[]): Message[] {
  const model = lastModel(history);
  const spoken = edited(compacted(history))
    .filter(isSent)
    .map((message) => withoutForeign(withTexts(message), model));
  const api = model?.api ?? lastApi(history);
  const isWorded = WORDED_APIS.test(api);
  const formed = spoken.map((message) => withFormsOf(api, message));
  const whole = withAllResults(formed).map((message) => (isWorded ? withOutput(message) : message));
  return whole.map(withoutEmptyTexts).filter(holdsSomething);
}

const WORDED_APIS = /openai|mistral/u;

function lastApi(history: readonly Message[]): string {
  const last = history.findLast((message) => typeof piOf(message).api === "string");
  return last === undefined ? "" : String(piOf(last).api);
}

function withOutput(message: Message): Message {
  const [result] = message.content;
  if (message.role !== "tool" || result?.type !== "tool_result") return message;
  const isSilent = result.content.every((block) => block.type === "text" && block.text.trim() === "");
  if (!isSilent) return message;
  return { ...message, content: [{ ...result, content: [{ type: "text", text: NO_OUTPUT }] }] };
}

function withTexts(message: Message): Message {
  const asSent = (block: Block): Block => asCall(asText(block));
  return message.role === "assistant" && message.content.some((block) => asSent(block) !== block)
    ? withContent(message, (content) => content.map(asSent))
    : message;
}

function compacted(history: readonly Message[]): readonly Message[] {
  const at = history.findLastIndex(isCompaction);
  const compaction = history[at];
  if (compaction === undefined) return history;
  const keptId = piOf(compaction).keptMessageId;
  const from = typeof keptId === "string" ? history.findIndex((message) => message.id === keptId) : -1;
  const kept = from === -1 ? [] : history.slice(from, at).filter((message) => !isCompaction(message));
  return [compaction, ...kept, ...history.slice(at + 1)];
}

function edited(messages: readonly Message[]): readonly Message[] {
  const edits = new Map<string, unknown>();
  for (const message of messages) {
    const { type, targetId, replacement } = piOf(message);
    if (type === "context_edit" && typeof targetId === "string") edits.set(targetId, replacement);
  }
  return messages.flatMap((message) => {
    if (!edits.has(message.id)) return [message];
    const replacement = edits.get(message.id);
    if (replacement === null) return [];
    return [
      isJson(replacement) && isEditable(message) ? withReplacement(message, replacement.content) : message,
    ];
  });
}

function isEditable(message: Message): boolean {
  const { role, type } = piOf(message);
  if (message.role === "assistant" || message.role === "tool") return true;
  return (
    message.role === "user" &&
    (role === undefined ? type === undefined || type === "custom_message" : role === "custom")
  );
}

function withReplacement(message: Message, content: unknown): Message {
  const blocks = toBlocks(content);
  const [result] = message.content;
  return result?.type === "tool_result"
    ? { ...message, content: [{ ...result, content: blocks }] }
    : { ...message, content: blocks };
}

function isSent(message: Message): boolean {
  if (message.role === "system" || message.origin === "notification") return false;
  if (message.role === "assistant") return message.stopReason !== "error" && message.stopReason !== "aborted";
  return piOf(message).excludeFromContext !== true;
}

interface Model {
  readonly provider: unknown;
  readonly model: unknown;
  /** `null` if no answer of the model names its API. */
  readonly api: string | null;
}

function lastModel(history: readonly Message[]): Model | null {
  for (const message of history.toReversed()) {
    const { type, provider, modelId } = piOf(message);
    if (type === "model_change") return modelOf(history, provider, modelId);
    // pi uses its own model if the session names no existing one.
    if (message.role === "assistant" && typeof provider === "string" && message.model !== undefined)
      return modelOf(history, provider, message.model);
  }
  return null;
}

/** Damage may have changed the API of one answer, so the API of most answers counts. */
function modelOf(history: readonly Message[], provider: unknown, model: unknown): Model {
  const counts = new Map<string, number>();
  for (const message of history) {
    const { provider: own, api } = piOf(message);
    if (message.role !== "assistant" || own !== provider || message.model !== model) continue;
    if (typeof api === "string") counts.set(api, (counts.get(api) ?? 0) + 1);
  }
  const [most] = [...counts].sort((a, b) => b[1] - a[1]);
  return { provider, model, api: most?.[0] ?? null };
}

function withoutForeign(message: Message, going: Model | null): Message {
  if (message.role !== "assistant") return message;
  const { provider, api } = piOf(message);
  const isNamed = typeof provider === "string" && message.model !== undefined;
  const isSame = isNamed && provider === going?.provider && message.model === going.model;
  const isOwn = isSame && (going.api === null || api === going.api);
  return withContent(message, (content) =>
    content.flatMap((block): Block[] => {
      if (block.type === "thinking") return isOwn && isReplayed(block) ? [block] : [];
      if (isOwn || (block.type !== "text" && block.type !== "tool_call")) return [block];
      const { signature: _signature, ...unsigned } = block;
      return [unsigned];
    }),
  );
}

function isReplayed(block: Block & { type: "thinking" }): boolean {
  return block.redacted === true || block.signature !== undefined || block.text.trim() !== "";
}

function withAllResults(messages: readonly Message[]): Message[] {
  const whole: Message[] = [];
  let open: ToolCallBlock[] = [];
  let caller: Message | undefined;
  const close = (): void => {
    for (const call of open) whole.push(missingResult(call, caller));
    open = [];
  };
  for (const message of messages) {
    if (message.role === "tool") open = open.filter((call) => call.id !== message.toolCallId);
    else close();
    whole.push(message);
    if (message.role !== "assistant") continue;
    caller = message;
    open = message.content.filter((block) => block.type === "tool_call");
  }
  close();
  return whole;
}

function missingResult(call: ToolCallBlock, caller: Message | undefined): Message {
  const text: Block = { type: "text", text: NO_RESULT };
  return {
    id: `${caller?.id ?? ""}#${call.id}`,
    role: "tool",
    content: [{ type: "tool_result", toolCallId: call.id, content: [text], isError: true, status: "error" }],
    toolCallId: call.id,
    toolName: call.name,
    toolInput: call.args,
    toolOutput: NO_RESULT,
    metadata: {},
  };
}

function withoutEmptyTexts(message: Message): Message {
  if (message.role === "tool") return message;
  const isBlank = (block: Block): boolean =>
    block.type === "text" && (message.role === "assistant" ? block.text.trim() : block.text) === "";
  return message.content.some(isBlank)
    ? withContent(message, (content) => content.filter((block) => !isBlank(block)))
    : message;
}

/** No API accepts an answer that holds only thinking. */
function holdsSomething(message: Message): boolean {
  if (message.role !== "assistant") return message.content.length > 0;
  return message.content.some((block) => block.type === "text" || block.type === "tool_call");
}

function isCompaction(message: Message): boolean {
  return piOf(message).type === "compaction";
}

function piOf(message: Message): Json {
  return isJson(message.metadata.pi) ? message.metadata.pi : {};
}
