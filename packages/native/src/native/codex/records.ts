/**
 * The records of a rollout file: `{ timestamp, ordinal?, type, payload, metadata? }`, one a line.
 * Seen in 0.169.0. Pure.
 */

import { isJson, type Json, toTime } from "@continuo/files";
import { unreadHeaderFields } from "./forms.ts";

export interface CodexRecord {
  readonly type: string;
  /** The type of the payload; empty if it has none. */
  readonly payloadType: string;
  readonly payload: Json;
  /** ISO 8601 UTC. */
  readonly timestamp: string | null;
  /** Consecutive in paginated files, absent in legacy ones. */
  readonly ordinal: number | null;
}

export interface HistoryBase {
  /** The last UUID in the name of the file that holds the history before this one. */
  readonly fileId: string;
  readonly endOrdinal: number | null;
  readonly endOffset: number | null;
}

export interface SessionMeta {
  readonly id: string | null;
  readonly createdAt: string | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly cliVersion: string | null;
  readonly paginated: boolean;
  readonly forkedFrom: string | null;
  readonly base: HistoryBase | null;
  readonly parentThread: ParentThread | null;
  /** Keys whose values have another form than Codex reads: it refuses the file (seen in 0.169.0). */
  readonly misformedKeys: readonly string[];
  /**
   * The parts of the line, outside the header itself, that are missing although Codex requires them, or that it cannot
   * read.
   */
  readonly unreadLineParts: readonly string[];
  /** The four keys without which Codex refuses the file (seen in 0.169.0), that are missing. */
  readonly missingKeys: readonly string[];
}

/** The facts in a spawned sub-agent's header about the thread that spawned it. */
export interface ParentThread {
  readonly threadId: string;
  readonly role: string | null;
  readonly name: string | null;
}

/** Returns `null` if the value is not a record of a rollout file. */
export function parseRecord(value: unknown): CodexRecord | null {
  if (!isJson(value) || typeof value.type !== "string" || !isJson(value.payload)) return null;
  const payload = value.type === "response_item" ? withNamedType(value.payload) : value.payload;
  const payloadType = payload.type;
  return {
    type: value.type,
    payloadType: typeof payloadType === "string" ? payloadType : "",
    payload,
    timestamp: toTime(value.timestamp),
    ordinal: toCount(value.ordinal),
  };
}

/** Codex accepts the number of a type in place of its name (seen in 0.169.0 for these). */
const TYPE_NAMES: readonly (string | undefined)[] = [
  "additional_tools",
  "message",
  ...[undefined, undefined, undefined],
  "function_call",
  "tool_search_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "tool_search_output",
];

function withNamedType(item: Json): Json {
  const type = typeof item.type === "number" ? TYPE_NAMES[item.type] : undefined;
  return type === undefined ? item : { ...item, type };
}

/**
 * Returns true if the line of a record has a time in a text. Codex leaves out every line that has none (seen in
 * 0.169.0).
 */
export function hasLineTime(value: unknown): boolean {
  return isJson(value) && typeof value.timestamp === "string";
}

function hasLineOrdinal(value: unknown): boolean {
  const ordinal = isJson(value) ? (value.ordinal ?? null) : null;
  return ordinal === null || toCount(ordinal) !== null;
}

/** Returns `null` if the record is not a header. */
export function parseSessionMeta(value: unknown): SessionMeta | null {
  const record = parseRecord(value);
  if (record?.type !== "session_meta") return null;
  const { payload } = record;
  const git = isJson(payload.git) ? payload.git : {};
  return {
    id: toText(payload.id),
    createdAt: toTime(payload.timestamp),
    cwd: toText(payload.cwd),
    gitBranch: toText(git.branch),
    cliVersion: toText(payload.cli_version),
    paginated: payload.history_mode === "paginated",
    forkedFrom: toText(payload.forked_from_id),
    base: parseBase(payload.history_base),
    parentThread: parseParentThread(payload),
    misformedKeys: unreadHeaderFields(payload),
    unreadLineParts: [
      ...(hasLineTime(value) ? [] : ["the time"]),
      ...(hasLineOrdinal(value) ? [] : ["the ordinal"]),
    ],
    missingKeys: ["timestamp", "cwd", "originator", "cli_version"].filter((key) => !toText(payload[key])),
  };
}

function parseBase(base: unknown): HistoryBase | null {
  if (!isJson(base)) return null;
  return {
    fileId: toText(base.thread_id)?.toLowerCase() ?? "",
    endOrdinal: toCount(base.end_ordinal_exclusive),
    endOffset: toCount(base.end_byte_offset),
  };
}

function parseParentThread(payload: Json): ParentThread | null {
  const source = isJson(payload.source) ? payload.source : {};
  const subagent = isJson(source.subagent) ? source.subagent : {};
  const spawn = isJson(subagent.thread_spawn) ? subagent.thread_spawn : {};
  const threadId = toText(spawn.parent_thread_id) ?? toText(payload.parent_thread_id);
  if (threadId === null) return null;
  return {
    threadId,
    role: toText(spawn.agent_role) ?? toText(payload.agent_role),
    name: toText(spawn.agent_path) ?? toText(spawn.agent_nickname) ?? toText(payload.agent_nickname),
  };
}

/** Keys of a header that refer to a place in another file. */
export const LINK_KEYS: readonly string[] = ["history_base", "forked_from_ordinal_exclusive"];

/** Returns the n-th line of a paginated file. */
export function withOrdinal(value: Json, ordinal: number): Json {
  const { timestamp, ordinal: _old, ...rest } = value;
  return { timestamp, ordinal, ...rest };
}

export function toText(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

function toCount(value: unknown): number | null {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : null;
}
