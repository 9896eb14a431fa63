/**
 * The messages that the first generation of opencode sends to its model when it continues a session. Observed in
 * 1.18.33, by running it and by reading its program. The rules:
 *
 * 1. After a compaction, the view begins at the newest `compaction` message that was answered by a finished summary
 *    without an error. The messages that it kept (from `tail_start_id` on) follow the summary.
 * 2. A message without parts is left out. An answer that ended in an error is left out too, except one that the
 *    person stopped after it had said something.
 * 3. A user message keeps its texts, except empty and `ignored` ones, and its files, except plain texts and folders,
 *    whose content is in a text part next to them. A `compaction` and a `subtask` become one sentence each.
 * 4. Thinking goes back to the model that produced it. Another model (the one that the last user message asks for)
 *    receives it as plain text without a signature.
 * 5. A result that was pruned (`time.compacted`) becomes one sentence. A call without a result receives a result that
 *    says that it was interrupted; an interrupted call that had output keeps that output.
 * 6. Images and PDFs in results stay there if the API of the vendor accepts them; otherwise a user message after the
 *    answer contains them. The vendor is known by the name of its provider; a provider with another name counts as
 *    one that does not accept them.
 */

import type { Block, Message, TextBlock, ToolResultBlock } from "@continuo/core/model";
import { isJson, type Json, textField } from "@continuo/files";
import { objectField } from "./records.ts";
import { isOfSecond, secondModelView } from "./second-view.ts";

/** The sentences that opencode puts in place of something. */
const COMPACTED = "What did we do so far?";
const RUN_BY_USER = "The following tool was executed by the user";
const PRUNED = "[Old tool result content cleared]";
const INTERRUPTED = "[Tool execution was interrupted]";
const ATTACHED = "Attached media from tool result:";

export function modelView(history: readonly Message[]): Message[] {
  return isOfSecond(history) ? secondModelView(history) : firstModelView(history);
}

function firstModelView(history: readonly Message[]): Message[] {
  const groups = afterCompaction(groupsOf(history));
  const model = askedModel(history);
  return groups.flatMap((group) => (group.role === "user" ? viewOfUser(group) : viewOfAnswer(group, model)));
}

/** The messages that one message of opencode became. */
interface Group {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly info: Json;
  readonly messages: readonly Message[];
}

function groupsOf(history: readonly Message[]): Group[] {
  const groups: { id: string; role: "user" | "assistant"; info: Json; messages: Message[] }[] = [];
  for (const message of history) {
    if (message.role === "system") continue;
    const info = flagsOf(message);
    const id = textField(info, "message") ?? message.id;
    const last = groups.at(-1);
    if (last?.id === id) last.messages.push(message);
    else groups.push({ id, role: message.role === "user" ? "user" : "assistant", info, messages: [message] });
  }
  return groups;
}

function flagsOf(message: Message): Json {
  const flags = message.metadata.opencode;
  return isJson(flags) ? flags : {};
}

/** The groups from the newest answered compaction on, or from the oldest message that it kept. */
function afterCompaction(groups: readonly Group[]): readonly Group[] {
  const summarised = new Set<string>();
  let start = 0;
  let tail: string | null = null;
  for (let at = groups.length - 1; at >= 0; at--) {
    const group = groups[at];
    if (group === undefined) continue;
    start = at;
    if (tail !== null) {
      if (group.id === tail) break;
      continue;
    }
    const compaction = compactionOf(group);
    if (compaction !== null && summarised.has(group.id)) {
      tail = textField(compaction, "tail_start_id");
      if (tail === null || tail === group.id) break;
      continue;
    }
    if (isSummary(group)) summarised.add(textField(group.info, "parentID") ?? "");
  }
  return keptAfterSummary(groups.slice(start));
}

/** Like opencode, this looks for the compaction again, by another rule: the newest one that kept messages. */
function keptAfterSummary(groups: readonly Group[]): readonly Group[] {
  const at = groups.findLastIndex((group) => textField(compactionOf(group) ?? {}, "tail_start_id") !== null);
  const compaction = groups[at];
  if (compaction === undefined) return groups;
  const tailId = textField(compactionOf(compaction) ?? {}, "tail_start_id");
  const tail = groups.findIndex((group) => group.id === tailId);
  const answer = groups.findIndex(
    (group, place) => place > at && group.info.summary === true && group.info.parentID === compaction.id,
  );
  if (tail < 0 || tail >= at || answer <= at) return groups;
  return [...groups.slice(at, answer + 1), ...groups.slice(tail, at), ...groups.slice(answer + 1)];
}

function isSummary(group: Group): boolean {
  return group.info.summary === true && Boolean(group.info.finish) && group.info.error === undefined;
}

function compactionOf(group: Group): Json | null {
  if (group.role !== "user") return null;
  const blocks = group.messages.flatMap((message) => message.content);
  for (const block of blocks) if (rawOf(block).type === "compaction") return rawOf(block);
  return null;
}

function rawOf(block: Block): Json {
  return block.type === "unknown" && isJson(block.raw) ? block.raw : {};
}

/**
 * The `provider/model` that probably gives the next answer: the one that was requested last, if it ever answered or no
 * model did; otherwise the one that answered last.
 */
function askedModel(history: readonly Message[]): string | null {
  const asked = history.findLast((message) => message.role === "user" && isJson(flagsOf(message).model));
  if (asked === undefined) return null;
  const model = modelNameOf(objectField(flagsOf(asked), "model"));
  const answers = history.flatMap((message) => {
    const { providerID } = flagsOf(message);
    return message.role === "assistant" && message.model !== undefined && providerID !== undefined
      ? [modelNameOf({ providerID, modelID: message.model })]
      : [];
  });
  return answers.includes(model) ? model : (answers.at(-1) ?? model);
}

function modelNameOf(model: Json): string {
  return `${textField(model, "providerID")}/${textField(model, "modelID")}`;
}

function viewOfUser(group: Group): Message[] {
  return group.messages.flatMap((message) => {
    const content = message.content.flatMap(toUserBlock);
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

/** opencode puts the content of these files in a text part next to them. */
const READ_BESIDE: ReadonlySet<string> = new Set(["text/plain", "application/x-directory"]);

function toUserBlock(block: Block): Block[] {
  switch (block.type) {
    case "text":
      return block.text === "" || (isJson(block.native) && block.native.ignored === true) ? [] : [block];
    case "file":
    case "image":
      return READ_BESIDE.has(block.mimeType) ? [] : [block];
    case "unknown": {
      const { type } = rawOf(block);
      if (type === "compaction") return [{ type: "text", text: COMPACTED }];
      return type === "subtask" ? [{ type: "text", text: RUN_BY_USER }] : [];
    }
    default:
      return [];
  }
}

function viewOfAnswer(group: Group, model: string | null): Message[] {
  const said = group.messages.filter((message) => message.origin !== "error");
  if (group.info.error !== undefined && !isStoppedInTheMiddle(group, said)) return [];
  const provider = textField(group.info, "providerID");
  const isForeign = model !== null && model !== `${provider}/${said[0]?.model}`;
  const vendor = model?.split("/")[0] ?? provider ?? "";
  const results = said.filter((message) => message.role === "tool");
  const view = said.flatMap((message): Message[] => {
    if (message.role === "tool") return [];
    const content = contentOf(message, isForeign);
    if (content.length === 0) return [];
    return [{ ...message, content }, ...content.flatMap((block) => resultsOf(message, block, results))];
  });
  const sent = view.map((message) => (message.role === "tool" ? toResult(message, vendor) : { message }));
  const shown = sent.map(({ message }) => message);
  const media = sent.flatMap(({ attached = [] }) => attached);
  return media.length > 0 ? [...shown, attachedMessage(group, media)] : shown;
}

function isStoppedInTheMiddle(group: Group, said: readonly Message[]): boolean {
  if (textField(objectField(group.info, "error"), "name") !== "MessageAbortedError") return false;
  const marks: readonly unknown[] = Array.isArray(group.info.parts) ? group.info.parts : [];
  const hasMark = marks.some((part) => isJson(part) && part.type !== "step-start");
  return hasMark || said.some((message) => message.content.some((block) => block.type !== "thinking"));
}

function contentOf(message: Message, isForeign: boolean): Block[] {
  const isSigned = message.content.some(
    (block) => block.type === "thinking" && block.signedBy === "anthropic",
  );
  return message.content.flatMap((block): Block[] => {
    if (block.type === "unknown") return [];
    if (block.type === "thinking" && isForeign)
      return block.text.trim() === "" ? [] : [textBlock(block.text)];
    if (block.type === "text" && block.text === "" && isSigned) return [{ ...block, text: " " }];
    return [block];
  });
}

/** Removes the result of a call from `results` and returns it; without one, returns a result "interrupted". */
function resultsOf(answer: Message, call: Block, results: Message[]): Message[] {
  if (call.type !== "tool_call") return [];
  const at = results.findIndex((message) => message.toolCallId === call.id);
  if (at !== -1) return results.splice(at, 1);
  const result: ToolResultBlock = {
    type: "tool_result",
    toolCallId: call.id,
    content: [textBlock(INTERRUPTED)],
    isError: true,
    status: "interrupted",
  };
  const told = { toolCallId: call.id, toolName: call.name, toolInput: call.args, toolOutput: INTERRUPTED };
  return [{ id: `${answer.id}#${call.id}`, role: "tool", content: [result], ...told, metadata: {} }];
}

interface SentResult {
  readonly message: Message;
  /** The images and PDFs that the vendor does not accept in a result. */
  readonly attached?: readonly Block[];
}

function toResult(message: Message, vendor: string): SentResult {
  const [result] = message.content;
  if (result?.type !== "tool_result") return { message };
  const [only] = result.content;
  // An error that is not a text is sent as JSON.
  if (result.isError && only?.type === "unknown")
    return { message: withResult(message, { ...result, content: [textBlock(JSON.stringify(only.raw))] }) };
  const details = isJson(result.details) ? result.details : {};
  if (objectField(details, "time").compacted)
    return { message: withResult(message, { ...result, content: [textBlock(PRUNED)] }) };
  const output = textField(objectField(details, "metadata"), "output");
  if (result.status === "interrupted" && output !== null) {
    return { message: withResult(message, { ...result, isError: false, content: [textBlock(output)] }) };
  }
  const attached = result.content.filter((block) => isMedia(block) && !takesMedia(vendor, block));
  if (attached.length === 0) return { message };
  const content = result.content.filter((block) => !attached.includes(block));
  return { message: withResult(message, { ...result, content }), attached };
}

function withResult(message: Message, result: ToolResultBlock): Message {
  const texts = result.content.flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { ...message, content: [result], toolOutput: texts.join("\n\n") };
}

function textBlock(text: string): TextBlock {
  return { type: "text", text };
}

function isMedia(block: Block): boolean {
  return (
    block.type === "image" || (block.type === "file" && /^image\/|^application\/pdf$/u.test(block.mimeType))
  );
}

/** The names of the vendors are those that opencode itself gives to its providers. */
function takesMedia(vendor: string, block: Block): boolean {
  const isImage = block.type === "image";
  if (["anthropic", "openai", "google-vertex-anthropic"].includes(vendor)) return true;
  return isImage && ["amazon-bedrock", "xai"].includes(vendor);
}

function attachedMessage(group: Group, media: readonly Block[]): Message {
  return {
    id: `${group.id}#media`,
    role: "user",
    content: [textBlock(ATTACHED), ...media],
    origin: "injected",
    metadata: {},
  };
}
