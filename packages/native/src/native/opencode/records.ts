/**
 * The records of opencode: rows of `session`, `message` and `part`, and the questions that one row answers.
 *
 * Seen in 1.18.33. The `data` of a message or a part is JSON; in the agent's own export the same JSON holds
 * the ids too. Nothing here trusts a field to have the type that it should have.
 */

import { isJson, type Json, textField } from "@continuo/files";

export type RecordKind =
  | "session"
  | "message"
  | "part"
  | "session_message"
  /** A piece of a row of `session_message`, which is no row of its own. */
  | "content";

/** One record, from either source. */
export interface NativeRecord {
  readonly kind: RecordKind;
  /** `null` if the record has none. */
  readonly id: string | null;
  /** The message of a part; the answered message of a message; the parent of a session. */
  readonly parentId: string | null;
  /** The session that the record itself names; `null` if it names none. */
  readonly sessionId: string | null;
  /** `time_created`, milliseconds; `NaN` for a value that is not a time. */
  readonly timeMs: number;
  /** The row with its columns, where `data` is parsed if it is JSON; in an export, the object itself. */
  readonly value: Json;
  /** The content of the message or part, without ids; `null` if it cannot be understood. */
  readonly data: Json | null;
  /** UTF-8 bytes of `data`. */
  readonly sizeBytes: number;
  readonly damage: RecordDamage | null;
}

export interface RecordDamage {
  readonly code: "bad_json" | "bad_record" | "bad_utf8" | "too_large";
  readonly message: string;
}

/** Every type of part that this version knows, with its meaning. Others are kept verbatim and counted. */
const PART_TYPES: Readonly<Record<string, string>> = {
  text: "said by the person or the model; `synthetic`: put there by opencode",
  reasoning: "the model's thinking, with the vendor's signature in `metadata`",
  tool: "a call and, once it is over, its result",
  file: "an image or a file, most often as a data URL",
  "step-start": "a request to the model begins",
  "step-finish": "it ends: reason, tokens, cost",
  snapshot: "a state of the files",
  patch: "files that a step changed",
  agent: "an agent that the person named with @",
  subtask: "a command that runs as a sub-agent",
  retry: "a request that failed and was sent again",
  compaction: "here the conversation is to be summed up",
};

export function isKnownPart(type: string): boolean {
  return Object.hasOwn(PART_TYPES, type);
}

export function objectField(record: Json, key: string): Json {
  const value = record[key];
  return isJson(value) ? value : {};
}

export function numberField(record: Json, key: string): number {
  const value = record[key];
  return typeof value === "number" ? value : Number.NaN;
}

const MAX_TIME_MS = 8.64e15;

/** ISO 8601 UTC of milliseconds, or `null` for a value that is not a time. */
export function timeOfMs(ms: unknown): string | null {
  if (typeof ms !== "number" || !(Math.abs(ms) <= MAX_TIME_MS)) return null;
  return new Date(ms).toISOString();
}

/** The fields of a record but for some. */
export function without(record: Json, ...keys: readonly string[]): Json {
  return Object.fromEntries(Object.entries(record).filter(([key]) => !keys.includes(key)));
}

const DEFAULT_TITLE = /^(New|Child) session - \d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/u;

/** A placeholder of opencode, which does not count as a title. */
export function isDefaultTitle(title: string): boolean {
  return DEFAULT_TITLE.test(title);
}

/** Returns the text that the person typed into a user message; `null` if they typed nothing. */
export function typedText(message: NativeRecord, parts: readonly NativeRecord[]): string | null {
  if (message.data?.role !== "user") return null;
  const texts: string[] = [];
  for (const { data } of parts) {
    if (data?.type !== "text" || data.synthetic === true || data.ignored === true) continue;
    if (typeof data.text === "string" && data.text.trim() !== "") texts.push(data.text);
  }
  return texts.length === 0 ? null : texts.join("\n\n");
}

/** The session that a tool call started; `null` for any other part. */
export function childOf(part: Json): string | null {
  if (part.type !== "tool") return null;
  const metadata = objectField(objectField(part, "state"), "metadata");
  const id = textField(metadata, "sessionId") ?? textField(metadata, "sessionID");
  return id?.startsWith("ses") ? id : null;
}
