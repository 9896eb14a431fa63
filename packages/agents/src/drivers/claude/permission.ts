/**
 * The questions that Claude Code asks over its control protocol, and their answers: `can_use_tool`, seen in 2.1.330, and
 * forms, seen in 2.1.332. Pure.
 */

import type { PermissionDecision, PermissionOption, PermissionRequest } from "@continuo/core/model";
import { isJson, type Json, optional, textField } from "@continuo/files";
import {
  answersTo,
  choicesIn,
  type Form,
  type FormAnswer,
  type FormField,
  formOf,
  optionFor,
} from "../link/index.ts";
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

export interface FormRequest {
  readonly form: Form;
  /** Returns the answer to the control request. */
  answer(answer: FormAnswer): Json;
}

/** `null` for a control request that is not a form. A call of the question tool is one: its answers go into its input. */
export function toFormRequest(request: Json): FormRequest | null {
  if (request.subtype === "elicitation") return toServerForm(request);
  if (request.subtype !== "can_use_tool" || request.tool_name !== "AskUserQuestion") return null;
  const input = isJson(request.input) ? request.input : {};
  const fields = fieldsIn(input.questions);
  if (fields.length === 0) return null;
  const form = formOf(fields.map(({ question }) => question).join("\n"), fields);
  const toolCallId = textField(request, "tool_use_id");
  return {
    form: { ...form, ...optional("toolCallId", toolCallId) },
    answer({ action, content }) {
      if (action !== "accept") {
        return { behavior: "deny", message: "The person did not answer the questions." };
      }
      const answers = fields.map((field) => [field.question, answersTo(field, content).join(", ")] as const);
      const given = Object.fromEntries(answers.filter(([, answer]) => answer !== ""));
      return { behavior: "allow", updatedInput: { ...input, answers: given } };
    },
  };
}

function toServerForm(request: Json): FormRequest {
  const { url, elicitation_id: elicitationId, requested_schema: schema } = request;
  // The person learns which server asks.
  const message = `${textField(request, "mcp_server_name") ?? ""}: ${textField(request, "message") ?? ""}`;
  if (request.mode === "url") {
    return { form: { mode: "url", message, url, elicitationId }, answer: ({ action }) => ({ action }) };
  }
  const requestedSchema = isJson(schema) ? schema : { type: "object", properties: {} };
  return {
    form: { mode: "form", message, requestedSchema },
    answer: ({ action, content }) => (action === "accept" ? { action, content } : { action }),
  };
}

function fieldsIn(questions: unknown): readonly FormField[] {
  const asked = Array.isArray(questions) ? questions.filter(isJson) : [];
  return asked.map((one, at) => ({
    key: `question_${at + 1}`,
    title: textField(one, "header") ?? "",
    question: textField(one, "question") ?? "",
    choices: choicesIn(one.options),
    isMultiple: one.multiSelect === true,
    takesOther: true,
  }));
}
