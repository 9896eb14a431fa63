/**
 * The forms of fields in the lines of a rollout file. Codex ignores a whole line, and does not report it, if one field
 * has another form, even a field that only its interface needs. Each form was observed in 0.169.0, by trying seven
 * other values of the field. Pure.
 */

import { isJson, type Json } from "@continuo/files";

type Form = (value: unknown) => boolean;

const isText: Form = (value) => typeof value === "string";
const isNumber: Form = (value) => typeof value === "number";
const isBoolean: Form = (value) => typeof value === "boolean";
const isCount: Form = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isOneOf =
  (...names: readonly string[]): Form =>
  (value) =>
    names.includes(String(value)) && isText(value);

/** A record can also be written as a list, which is empty if all its fields may be missing. */
const isRecord: Form = (value) => isJson(value) || (Array.isArray(value) && value.length === 0);

const orNull =
  (form: Form): Form =>
  (value) =>
    value === null || form(value);

const isRetainedSource: Form = (value) => {
  if (!isJson(value) || !isJson(value.id)) return false;
  const { id, revision, complete } = value;
  return (
    isText(id.message_id) &&
    isText(id.turn_id) &&
    isOneOf("user", "assistant")(id.role) &&
    isText(revision) &&
    isBoolean(complete)
  );
};

/** Codex reads a line even without any of these fields. */
const METADATA: Readonly<Record<string, Form>> = {
  history_sequence: orNull(isCount),
  sampled_through_sequence: orNull(isCount),
  user_input_order: orNull(isCount),
  fallback_token_limit_override: orNull(isCount),
  client_authored: isBoolean,
  retained_source: orNull(isRetainedSource),
};

const PASSED_THROUGH: Readonly<Record<string, Form>> = {
  turn_id: orNull(isText),
  create_time: orNull(isNumber),
};

const ITEM: Readonly<Record<string, Form>> = {
  id: orNull(isText),
  status: orNull(isText),
  namespace: orNull(isText),
  encrypted_content: orNull(isText),
  phase: orNull(isOneOf("commentary", "final_answer")),
};

const PART: Readonly<Record<string, Form>> = {
  annotations: orNull(Array.isArray),
  detail: orNull(isOneOf("auto", "low", "high", "original")),
};

const isTexts: Form = (value) => Array.isArray(value) && value.every(isText);
const isUuid: Form = (value) => isText(value) && UUID.test(String(value));
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/iu;
const isTextOrVariant: Form = (value) => isText(value) || (isJson(value) && Object.keys(value).length > 0);

const isInstructions: Form = (value) => {
  if (!isJson(value) || !isText(value.text)) return false;
  const provenance = value.provenance ?? null;
  if (provenance === null) return true;
  if (!isJson(provenance)) return false;
  return provenance.type === "custom" || (provenance.type === "model" && isText(provenance.model));
};

const isGit: Form = (value) =>
  isJson(value) &&
  ["commit_hash", "branch", "repository_url"].every((key) => orNull(isText)(value[key] ?? null));

/**
 * Codex refuses a file whose header has one of these fields in another form; it reads the header without any of them.
 */
const HEADER: Readonly<Record<string, Form>> = {
  account_scoped: isBoolean,
  session_id: isUuid,
  forked_from_id: orNull(isUuid),
  parent_thread_id: orNull(isUuid),
  runtime_workspace_roots: orNull(isTexts),
  source: isTextOrVariant,
  thread_source: orNull(isText),
  agent_nickname: orNull(isText),
  agent_role: orNull(isText),
  agent_path: orNull(isText),
  model_provider: orNull(isText),
  base_instructions: orNull(isInstructions),
  dynamic_tools: orNull(Array.isArray),
  memory_mode: orNull(isText),
  multi_agent_version: orNull(isText),
  history_mode: isOneOf("legacy", "paginated"),
  context_window: orNull((value) => isJson(value) && isText(value.window_id)),
  git: orNull(isGit),
};

/** Returns the fields of a header that have another form than Codex reads. */
export function unreadHeaderFields(payload: Json): string[] {
  return Object.keys(HEADER).filter((key) => payload[key] !== undefined && !HEADER[key]?.(payload[key]));
}

const isSearch = ({ type }: Json): boolean => type === "tool_search_call" || type === "tool_search_output";

interface MendedLine {
  readonly value: Json;
  /** Paths of fields that Codex does not read; empty if the line stays as it is. */
  readonly unread: readonly string[];
}

/** Returns the line of a response item without the fields in a form that Codex does not read; it needs none of them. */
export function withoutUnreadFields(line: Json): MendedLine {
  const unread: string[] = [];
  const value = { ...line };
  if (line.ordinal !== undefined && !orNull(isCount)(line.ordinal)) {
    unread.push("ordinal");
    delete value.ordinal;
  }
  if (!orNull(isRecord)(line.metadata ?? null)) {
    unread.push("metadata");
    delete value.metadata;
  } else if (isJson(line.metadata)) value.metadata = kept(line.metadata, METADATA, "metadata", unread);
  if (isJson(line.payload)) value.payload = keptItem(line.payload, unread);
  return unread.length === 0 ? { value: line, unread } : { value, unread };
}

const PASSING = "internal_chat_message_metadata_passthrough";

function keptItem(payload: Json, unread: string[]): Json {
  const item: Record<string, unknown> = { ...kept(payload, ITEM, "payload", unread) };
  const passed = item[PASSING];
  if (isJson(passed)) item[PASSING] = kept(passed, PASSED_THROUGH, PASSING, unread);
  else if (!orNull(isRecord)(passed ?? null)) {
    unread.push(PASSING);
    delete item[PASSING];
  }
  for (const key of isSearch(payload) ? [] : ["content", "output"]) {
    const parts = item[key];
    if (!Array.isArray(parts)) continue;
    item[key] = parts.map((part) => (isJson(part) ? kept(part, PART, key, unread) : part));
  }
  if (payload.type !== "reasoning" || isReasoning(item.content)) return item;
  unread.push("content");
  delete item.content;
  return item;
}

function isReasoning(content: unknown): boolean {
  if (content === undefined || content === null) return true;
  const isPart = (part: unknown): boolean =>
    isJson(part) && isOneOf("reasoning_text", "text")(part.type) && isText(part.text);
  return Array.isArray(content) && content.every(isPart);
}

function kept(record: Json, forms: Readonly<Record<string, Form>>, path: string, unread: string[]): Json {
  const flawed = Object.keys(forms).filter((key) => record[key] !== undefined && !forms[key]?.(record[key]));
  if (flawed.length === 0) return record;
  unread.push(...flawed.map((key) => `${path}.${key}`));
  return Object.fromEntries(Object.entries(record).filter(([key]) => !flawed.includes(key)));
}
