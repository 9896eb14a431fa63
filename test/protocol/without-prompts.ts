/**
 * Removes the texts of agents' makers for their models from protocol lines: prompts, descriptions of tools, skills.
 * Pure.
 */

import { asObject, type JsonObject } from "../model-servers/index.ts";

const INIT = [
  "type",
  "subtype",
  "cwd",
  "session_id",
  "model",
  "permissionMode",
  "claude_code_version",
  "uuid",
];

/** Returns one line, or none. */
export function withoutPrompts(line: JsonObject): readonly JsonObject[] {
  // Claude Code
  if (line.type === "system" && line.subtype === "init") return [pick(line, INIT)];
  if (line.type === "control_response") {
    const response = asObject(line.response);
    const answer = pick(asObject(response.response), ["pid", "claude_code_version", "still_queued"]);
    return [{ ...line, response: { ...response, response: answer } }];
  }
  // pi
  if (line.type === "agent_end") return [{ type: line.type }];
  if (asObject(line.message).role === "system") return [];
  return [line];
}

function pick(line: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(line).filter(([key]) => keys.includes(key)));
}
