/**
 * Rows of `session_message`, in which opencode's second generation keeps its messages, as records of the first
 * generation. The column `type` of a row tells its role, and `data` holds its content, so the parts of a message come
 * from the row itself.
 *
 * Seen in 1.18.34, whose newer interface writes such rows. Forms that only opencode 2 writes are taken from its
 * published source. No field is trusted to have the type that it should have. Pure.
 */

import { isJson, type Json, textField } from "@continuo/files";
import { type NativeRecord, objectField, without } from "./records.ts";

/** Every type of row that becomes a message. */
export const SAID_TYPES = [
  "user",
  "synthetic",
  "system",
  "skill",
  "shell",
  "assistant",
  "compaction",
] as const;
/** Types of rows that say nothing. */
export const SILENT_TYPES = ["agent-switched", "model-switched", "location-switched", "idle"] as const;

/** @param record of a row, whose `data` is the row's own. */
export function toSecondMessage(record: NativeRecord): NativeRecord {
  const type = textField(record.value, "type") ?? "";
  const isSaid = SAID_TYPES.some((said) => said === type);
  return record.data === null || !isSaid ? record : { ...record, data: infoOf(type, record.data) };
}

function infoOf(type: string, data: Json): Json {
  const common = { messageType: type, ...pick(data, "time", "cost", "tokens"), ...errorOf(data) };
  const model = objectField(data, "model");
  const named = { providerID: model.providerID, modelID: model.id, variant: model.variant };
  if (type === "assistant") {
    return { role: "assistant", ...common, ...named, ...pick(data, "agent", "finish", "snapshot") };
  }
  if (type !== "compaction") return { role: "user", ...common };
  const isSummary = data.status === undefined || data.status === "completed";
  return {
    role: "assistant",
    ...common,
    ...named,
    ...(isSummary ? { summary: true } : {}),
    ...pick(data, "recent"),
  };
}

function errorOf(data: Json): Json {
  if (!isJson(data.error)) return {};
  return { error: { name: data.error.type, data: without(data.error, "type") } };
}

function pick(data: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(keys.flatMap((key) => (data[key] === undefined ? [] : [[key, data[key]]])));
}

/** The content of a row as the parts of a message. Each part has the id of its row, and its number in the row. */
export function contentsOf(message: NativeRecord): NativeRecord[] {
  const data = isJson(message.value.data) ? message.value.data : null;
  if (data === null) return [];
  return partsOf(textField(message.value, "type") ?? "", data).map((part, at) => ({
    ...message,
    kind: "content",
    id: `${message.id}#${at + 1}`,
    parentId: message.id,
    data: part,
    sizeBytes: 0,
    damage: null,
  }));
}

/** The words that this reader adds to the content of a `shell`. */
export const OWN_WORDS: readonly string[] = ["Shell command"];

function partsOf(type: string, data: Json): Json[] {
  switch (type) {
    case "user":
      return [
        ...(data.text === undefined || data.text === "" ? [] : [{ type: "text", text: data.text }]),
        ...objectsIn(data.files).map(toFilePart),
        ...objectsIn(data.agents).map((agent) => ({ type: "agent", ...agent })),
      ];
    case "assistant":
      return objectsIn(data.content).map((content) => toPart(content, objectField(data, "model")));
    case "shell":
      return [{ type: "text", text: `Shell command: ${data.command}\n\n${outputOf(data)}`, synthetic: true }];
    case "compaction":
      return typeof data.summary === "string" ? [{ type: "text", text: data.summary }] : [];
    default:
      return [{ type: "text", text: data.text, synthetic: true }];
  }
}

function objectsIn(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

function outputOf({ output }: Json): string {
  const text = isJson(output) ? output.output : output;
  return typeof text === "string" ? text : "";
}

/** 1.18 names a place by `uri`; 2 holds the bytes, and names their place in `source`. */
function toFilePart(file: Json): Json {
  const url = typeof file.data === "string" ? `data:${file.mime};base64,${file.data}` : file.uri;
  const name = textField(file, "name");
  return { type: "file", mime: file.mime, url, ...(name === null ? {} : { filename: name }) };
}

function toPart(content: Json, model: Json): Json {
  switch (content.type) {
    case "text":
      return { type: "text", text: content.text, ...metadataOf(content, model) };
    case "reasoning": {
      const time = objectField(content, "time");
      const times = content.time === undefined ? {} : { time: { start: time.created, end: time.completed } };
      return { type: "reasoning", text: content.text, ...times, ...metadataOf(content, model) };
    }
    case "tool":
      return toToolPart(content, model);
    default:
      return content;
  }
}

/** 1.18 keeps the vendor's state under the vendor's name, 2 without it. */
function metadataOf(content: Json, model: Json): Json {
  if (isJson(content.providerMetadata)) return { metadata: content.providerMetadata };
  const state = content.native ?? content.state;
  const vendor = textField(model, "providerID");
  return isJson(state) && vendor !== null ? { metadata: { [vendor]: state } } : {};
}

function toToolPart(tool: Json, model: Json): Json {
  const provider = objectField(tool, "provider");
  const isTheirs = tool.executed === true || provider.executed === true;
  const state = isJson(provider.metadata) ? provider.metadata : (tool.native ?? tool.providerState);
  const vendor = textField(model, "providerID") ?? "";
  const kept = isJson(provider.metadata) ? provider.metadata : isJson(state) ? { [vendor]: state } : {};
  const metadata = isTheirs ? { ...kept, providerExecuted: true } : kept;
  return {
    type: "tool",
    callID: tool.id,
    tool: tool.name,
    state: toState(objectField(tool, "state"), objectField(tool, "time")),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
}

function toState(state: Json, { created, ran, completed }: Json): Json {
  const { status, input } = state;
  const start = ran ?? created;
  if (status === "streaming" || status === "pending") {
    return {
      status: "pending",
      input: isJson(input) ? input : {},
      raw: typeof input === "string" ? input : "",
    };
  }
  const metadata = isJson(state.metadata) ? state.metadata : objectField(state, "structured");
  const common = { input, metadata, time: { start, end: completed ?? start } };
  const contents = objectsIn(state.content);
  if (status === "error") {
    // opencode sends all of these fields as JSON.
    return { status, ...common, error: JSON.stringify(pick(state, "error", "content", "structured")) };
  }
  if (status !== "completed") return { status, ...common };
  const texts = contents.filter(({ type }) => type === "text").map(({ text }) => String(text));
  const files = contents.filter(({ type }) => type !== "text");
  // If there is no other result, opencode sends the structured one as JSON.
  const output = contents.length === 0 ? JSON.stringify(state.structured ?? {}) : texts.join("\n\n");
  const attachments = files.map(toFilePart);
  return { status, ...common, output, ...(attachments.length === 0 ? {} : { attachments }) };
}
