/** `can_use_tool`, which Claude Code asks over its control protocol, and its answer. Pure. Seen in 2.1.330. */

import type { PermissionDecision, PermissionOption, PermissionRequest } from "@continuo/core/model";
import { isJson, type Json, optional, textField } from "@continuo/files";
import { optionFor } from "../link/index.ts";
import { grantsOf, type RuleScope } from "./grants.ts";
import { READING_TOOLS } from "./policy.ts";

const WRITING_TOOLS = ["Write", "Edit", "MultiEdit", "NotebookEdit"];

const ONCE: PermissionOption = { id: "allow", name: "Allow", kind: "allow_once" };
const NO: PermissionOption = { id: "deny", name: "Deny", kind: "reject_once" };

/** @param request of a `control_request` with the subtype `can_use_tool`. */
export function toPermissionRequest(approvalId: string, request: Json, scope?: RuleScope): PermissionRequest {
  const toolName = textField(request, "tool_name") ?? "";
  const description = textField(request, "description");
  return {
    approvalId,
    ...optional("toolCallId", textField(request, "tool_use_id")),
    toolName,
    toolInput: request.input,
    title: description === null ? toolName : `${toolName}: ${description}`,
    // Claude Code does not say whether other tools only read: a command, a tool of an MCP server, a new tool.
    readOnly: READING_TOOLS.includes(toolName) ? true : WRITING_TOOLS.includes(toolName) ? false : null,
    options: [ONCE, ...grantsOf(request, scope).map(({ option }) => option), NO],
    readsReason: true,
  };
}

/** Returns the answer to the control request. */
export function toPermissionAnswer(
  request: Json,
  asked: PermissionRequest,
  decision: PermissionDecision,
): Json {
  const option = optionFor(decision, asked.options);
  if (option?.kind === "allow_once" || option?.kind === "allow_always") {
    const grant = grantsOf(request).find((one) => one.option.name === option.name);
    const always = grant === undefined ? {} : { updatedPermissions: [grant.update] };
    return { behavior: "allow", updatedInput: isJson(request.input) ? request.input : {}, ...always };
  }
  const message = decision.reason ?? "The person said no.";
  return { behavior: "deny", message, ...(decision.outcome === "cancelled" ? { interrupt: true } : {}) };
}
