/**
 * The records of a session of Copilot, and the questions that one record answers. The types were seen in 1.0.102; those
 * marked (schema) are in the schema of the program, and were never seen in a file. No function here relies on the type
 * of a field. Pure.
 */

import { isJson, type Json, textField, toTime } from "@continuo/files";

/**
 * The types of records. `silent` is an entry without a message; `side` is a message or a fact that `messages.ts` turns
 * into a notice. Other types are kept verbatim, shown and counted.
 */
const TYPES = {
  "session.start": "silent",
  "session.resume": "silent",
  "session.shutdown": "silent",
  "session.usage_record": "silent",
  "session.usage_checkpoint": "silent",
  "session.binary_asset": "silent",
  "session.compaction_start": "silent",
  "session.context_changed": "silent",
  "session.remote_steerable_changed": "silent",
  "session.session_limits_changed": "silent",
  "session.workspace_file_changed": "silent",
  "session.plan_changed": "silent",
  "session.completion_receipt": "silent",
  "session.mode_notice_delivered": "silent",
  "session.auto_mode_resolved": "silent",
  "session.permission_recovery": "silent",
  "session.permissions_changed": "silent",
  "session.request_body_compression_disabled": "silent",
  "session.schedule_created": "silent",
  "session.schedule_cancelled": "silent",
  "session.schedule_rearmed": "silent",
  "session.autopilot_objective_changed": "silent",
  "session.canvas.recorded": "silent",
  "session.canvas.removed": "silent",
  "session.model_deselected": "silent",
  "assistant.turn_start": "silent",
  "assistant.turn_end": "silent",
  "assistant.reasoning": "silent",
  "tool.execution_start": "silent",
  "tool.user_requested": "silent",
  "tool_search.activated": "silent",
  "skill.invoked": "silent",
  "skill.invoked_ref": "silent",
  "skill.context_delivered": "silent",
  "skill.context_delivered_ref": "silent",
  "subagent.started": "silent",
  "subagent.configured": "silent",
  "subagent.completed": "silent",
  "subagent.failed": "silent",
  "subagent.selected": "silent",
  "subagent.deselected": "silent",
  "hook.start": "silent",
  "hook.end": "silent",
  "permission.requested": "silent",
  "permission.completed": "silent",
  "permission.carriedForward": "silent",
  "permission.messageAuthorization": "silent",
  "permission.messageAuthorizationRead": "silent",
  "permission.messageAuthorizationDegraded": "silent",
  "permission.assentDetected": "silent",
  "permission.contextualAuthorization": "silent",
  "mcp.oauth_recovery_completed": "silent",
  "external_tool.requested": "silent",
  "human_response.recorded": "silent",
  "user.message": "message",
  "assistant.message": "message",
  "tool.execution_complete": "message",
  "system.message": "message",
  "system.notification": "message",
  "session.compaction_complete": "side",
  "session.context_cleared": "side",
  "session.error": "side",
  "session.info": "side",
  "session.warning": "side",
  "session.model_change": "side",
  "session.mode_changed": "side",
  "session.truncation": "side",
  "session.handoff": "side",
  "session.task_complete": "side",
  abort: "side",
} as const satisfies Readonly<Record<string, "silent" | "message" | "side">>;

export type TypeClass = "silent" | "message" | "side" | "unknown";

/** Records of the calls of a model, which the schema does not describe; a compaction leaves some. */
const SILENT_START = /^(?:model|session\.fusion_|assistant\.fusion_)[._a-z]/u;

export function classOf(record: Json): TypeClass {
  const type = textField(record, "type") ?? "";
  if (Object.hasOwn(TYPES, type)) return TYPES[type as keyof typeof TYPES];
  return SILENT_START.test(type) ? "silent" : "unknown";
}

export function dataOf(record: Json): Json {
  return isJson(record.data) ? record.data : {};
}

/** The sub-agent that a record belongs to; `null` for records of the session's own conversation. */
export function agentIdOf(record: Json): string | null {
  return filledField(record, "agentId");
}

export interface Header {
  /** `null` if the header has none. */
  readonly id: string | null;
  readonly version: number | null;
  readonly cwd: string | null;
  readonly gitBranch: string | null;
  readonly createdAt: string | null;
  readonly copilotVersion: string | null;
}

/** Returns `null` if the record is not a header. */
export function parseHeader(value: unknown): Header | null {
  if (!isJson(value) || value.type !== "session.start") return null;
  const data = dataOf(value);
  const context = isJson(data.context) ? data.context : {};
  return {
    id: filledField(data, "sessionId"),
    version: typeof data.version === "number" ? data.version : null,
    cwd: filledField(context, "cwd"),
    gitBranch: filledField(context, "branch"),
    createdAt: toTime(data.startTime) ?? timeOf(value),
    copilotVersion: filledField(data, "copilotVersion"),
  };
}

/** The reason why a record does not match its type; `null` if it is well formed. */
export function flawOf(record: Json): string | null {
  if (typeof record.type !== "string" || record.type === "") return "the record has no type";
  const data = record.data;
  if (!isJson(data)) return classOf(record) === "unknown" ? null : "the record has no data";
  if (record.type === "tool.execution_complete" && filledField(data, "toolCallId") === null) {
    return "a tool result that names no call";
  }
  const isSaid = record.type === "user.message" || record.type === "assistant.message";
  return isSaid && typeof data.content !== "string" ? "a message whose content is no text" : null;
}

/** The calls of an answer, unchanged. */
export function requestsOf(data: Json): readonly Json[] {
  return Array.isArray(data.toolRequests) ? data.toolRequests.filter(isJson) : [];
}

/** Ids of the tool calls of an answer. */
export function callIdsOf(data: Json): string[] {
  return requestsOf(data).flatMap((request) => {
    const id = filledField(request, "toolCallId");
    return id === null ? [] : [id];
  });
}

/** The files of a prompt, unchanged. */
export function attachmentsOf(data: Json): readonly unknown[] {
  return Array.isArray(data.attachments) ? data.attachments : [];
}

/** The pictures and files of a result, unchanged. */
export function binariesOf(data: Json): readonly unknown[] {
  const result = isJson(data.result) ? data.result : {};
  return Array.isArray(result.binaryResultsForLlm) ? result.binaryResultsForLlm : [];
}

/** The names of the assets, kept in records of their own, that a record needs. */
export function assetIdsOf(record: Json): string[] {
  const data = dataOf(record);
  return [...attachmentsOf(data), ...binariesOf(data)].flatMap((one) => {
    const id = isJson(one) && typeof one.data !== "string" ? filledField(one, "assetId") : null;
    return id === null ? [] : [id];
  });
}

/** A command that the person ran with `!`. */
export function isUserCommand(record: Json): boolean {
  return record.type === "tool.execution_complete" && dataOf(record).isUserRequested === true;
}

/**
 * Returns the text that the person typed; `null` if the record is not one of their prompts, or has no text. Prompts of
 * sub-agents, schedules and autopilot name a source.
 */
export function typedText(record: Json): string | null {
  if (record.type !== "user.message" || agentIdOf(record) !== null) return null;
  const data = dataOf(record);
  if (!isTyped(data)) return null;
  const content = textField(data, "content") ?? "";
  return content.trim() === "" ? null : content;
}

export function isTyped(data: Json): boolean {
  return (data.source === undefined || data.source === "user") && data.isAutopilotContinuation !== true;
}

/** A compaction that took place: it has a summary. */
export function summaryOf(record: Json): string | null {
  if (record.type !== "session.compaction_complete") return null;
  const data = dataOf(record);
  return data.success === true ? textField(data, "summaryContent") : null;
}

/** ISO 8601 UTC, `null` if none is recorded. */
export function timeOf(record: Json): string | null {
  return toTime(record.timestamp);
}

/** Returns the field if it is a text that is not empty. */
export function filledField(record: Json, key: string): string | null {
  const value = record[key];
  return typeof value === "string" && value !== "" ? value : null;
}
