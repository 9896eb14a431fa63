/** The questions of Codex to its client, and the answers. Pure. Seen in 0.169.0. */

import type { PermissionDecision, PermissionOption, PermissionRequest } from "@continuo/core/model";
import { entryOf, isJson, type Json, textField } from "@continuo/files";
import {
  answersTo,
  choicesIn,
  type Form,
  type FormAnswer,
  type FormField,
  formOf,
  optionFor,
} from "../link/index.ts";
import { COMMAND_TOOL, PATCH_TOOL, type ToolCall } from "./items.ts";

export interface Question {
  readonly request: PermissionRequest;
  answer(decision: PermissionDecision): Json;
}

export interface CodexQuestion {
  /** The id that the server gave to its request. */
  readonly id: unknown;
  readonly method: string;
  readonly params: Json;
  /** The call that the question is about, if that call is known. */
  readonly call?: ToolCall | undefined;
}

/** `null` for a request that does not ask for a permission. */
export function toQuestion({ id, method, params, call }: CodexQuestion): Question | null {
  const toolCallId = textField(params, "itemId") ?? "";
  const reason = textField(params, "reason");
  // The server counts its requests from 0 each time it is started.
  const asked = { approvalId: `${toolCallId}:${String(id)}`, toolCallId };
  switch (method) {
    case "item/commandExecution/requestApproval": {
      const { commandActions } = params;
      const title = [textField(params, "command"), reason].filter((part) => part !== null).join(" - ");
      const { options, decisions } = decisionsIn(params.availableDecisions);
      const toolInput = askedFor(params);
      const readOnly = onlyReads(commandActions);
      const request = { ...asked, toolName: COMMAND_TOOL, toolInput, title, readOnly, options };
      return { request, answer: (decision) => ({ decision: chosen(decision, request, decisions) }) };
    }
    case "item/fileChange/requestApproval": {
      const { options, decisions } = decisionsIn(["accept", "acceptForSession"]);
      const title = reason ?? call?.title ?? "Change files";
      const more = askedFor(params);
      const input = isJson(call?.toolInput) ? { ...call.toolInput, ...more } : call?.toolInput;
      const toolInput = call === undefined ? {} : { toolInput: input };
      const request = { ...asked, toolName: PATCH_TOOL, ...toolInput, title, readOnly: false, options };
      return { request, answer: (decision) => ({ decision: chosen(decision, request, decisions) }) };
    }
    case "item/permissions/requestApproval": {
      const { options } = decisionsIn(["accept"]);
      const title = reason ?? "More permissions";
      const request = {
        ...asked,
        toolName: "permissions",
        toolInput: params.permissions,
        title,
        readOnly: null,
        options,
      };
      const permissions = isJson(params.permissions) ? params.permissions : {};
      return {
        request,
        answer: ({ outcome }) => ({ permissions: outcome === "granted" ? permissions : {}, scope: "turn" }),
      };
    }
    default:
      return null;
  }
}

/**
 * Returns the fields that the person sees: the command and its folder, and everything that goes beyond the
 * sandbox, with its reason.
 */
function askedFor(params: Json): Json {
  return Object.fromEntries(
    Object.entries(params).filter(
      ([key, value]) => !NOT_SHOWN.has(key) && value !== null && value !== undefined,
    ),
  );
}

/** Fields that the person does not see: ids, and fields whose content is already in the options. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  "threadId",
  "turnId",
  "itemId",
  "approvalId",
  "startedAtMs",
  "availableDecisions",
  "commandActions",
  "environmentId",
  "kind",
  "proposedExecpolicyAmendment",
]);

/** Returns the refusal of a question that nobody can answer; `null` if the server accepts no refusal of this kind. */
export function refusalOf(method: string): Json | null {
  if (method === "mcpServer/elicitation/request") return { action: "decline", content: null };
  if (method === "item/tool/requestUserInput") return { answers: {} };
  return null;
}

export interface FormRequest {
  readonly form: Form;
  answer(answer: FormAnswer): Json;
}

/** `null` for a request that is not a form, and for a form that only Codex's own clients can show (0.171.0). */
export function toFormRequest({ method, params, call }: Omit<CodexQuestion, "id">): FormRequest | null {
  if (method === "item/tool/requestUserInput") {
    const fields = fieldsIn(params.questions);
    if (fields === null) return null;
    const form = formOf(fields.map(({ question }) => question).join("\n"), fields);
    return {
      form: call === undefined ? form : { ...form, toolCallId: call.toolCallId },
      answer: ({ content }) => ({
        answers: Object.fromEntries(
          fields.map((field) => [field.key, { answers: answersTo(field, content) }]),
        ),
      }),
    };
  }
  if (method !== "mcpServer/elicitation/request") return null;
  const { mode, requestedSchema, url, elicitationId } = params;
  // The person learns which server asks.
  const message = `${textField(params, "serverName") ?? ""}: ${textField(params, "message") ?? ""}`;
  const answer = ({ action, content }: FormAnswer): Json => ({
    action,
    content: action === "accept" && mode === "form" ? content : null,
  });
  if (mode === "form") return { form: { mode, message, requestedSchema }, answer };
  if (mode === "url") return { form: { mode, message, url, elicitationId }, answer };
  return null;
}

/** `null` if there is nothing to ask, or if an answer is secret: a form would show it. */
function fieldsIn(questions: unknown): readonly FormField[] | null {
  const asked = Array.isArray(questions) ? questions.filter(isJson) : [];
  if (asked.length === 0 || asked.some(({ isSecret }) => isSecret === true)) return null;
  return asked.map((one) => ({
    key: textField(one, "id") ?? "",
    title: textField(one, "header") ?? "",
    question: textField(one, "question") ?? "",
    choices: choicesIn(one.options),
    isMultiple: false,
    takesOther: one.isOther === true,
  }));
}

const DECLINE: PermissionOption = { id: "decline", name: "Decline", kind: "reject_once" };

const KNOWN: Readonly<Record<string, Omit<PermissionOption, "id">>> = {
  accept: { name: "Accept", kind: "allow_once" },
  acceptForSession: { name: "Accept for this session", kind: "allow_always" },
  acceptWithExecpolicyAmendment: { name: "Accept, and always accept such commands", kind: "allow_always" },
};

interface Decisions {
  readonly options: readonly PermissionOption[];
  /** The keys are ids of options; the values are sent. */
  readonly decisions: ReadonlyMap<string, unknown>;
}

/**
 * Always offers `decline`, which continues the turn. Codex accepts it even if it lists only `cancel`, which ends the
 * turn.
 */
function decisionsIn(available: unknown): Decisions {
  const options: PermissionOption[] = [];
  const decisions = new Map<string, unknown>([["decline", "decline"]]);
  for (const decision of Array.isArray(available) ? available : ["accept", "acceptForSession"]) {
    const id = isJson(decision) ? (Object.keys(decision)[0] ?? "") : String(decision);
    const known = entryOf(KNOWN, id);
    if (known === undefined) continue;
    options.push({ id, ...known, name: nameOf(known.name, decision) });
    decisions.set(id, decision);
  }
  return { options: [...options, DECLINE], decisions };
}

/** Adds the rule to the name: `Accept, and always accept such commands: npm run`. */
function nameOf(name: string, decision: unknown): string {
  if (!isJson(decision)) return name;
  const [value] = Object.values(decision);
  const rule = isJson(value) ? (Object.values(value)[0] ?? value) : value;
  return `${name}: ${Array.isArray(rule) ? rule.join(" ") : JSON.stringify(rule)}`;
}

function chosen(
  decision: PermissionDecision,
  { options }: PermissionRequest,
  decisions: ReadonlyMap<string, unknown>,
): unknown {
  if (decision.outcome === "cancelled") return "cancel";
  const option = optionFor(decision, options);
  return option === null ? "decline" : (decisions.get(option.id) ?? "decline");
}

/** Returns true if Codex reports that every part of the command only reads; `null` in all other cases. */
function onlyReads(actions: unknown): boolean | null {
  if (!Array.isArray(actions) || actions.length === 0) return null;
  const reads = ["read", "listFiles", "search"];
  return actions.every((action) => isJson(action) && reads.includes(String(action.type))) ? true : null;
}
