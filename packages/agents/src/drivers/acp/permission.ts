/** `session/request_permission` as a request of Continuo, and its decision as the answer. Pure. */

import {
  type PermissionDecision,
  type PermissionOption,
  type PermissionRequest,
  present,
} from "@continuo/core/model";
import { entryOf, isJson, type Json } from "@continuo/files";
import { optionFor } from "../link/index.ts";

/**
 * True for a kind of tool that only reads, false for one that changes something. `fetch` has no value: it reads, but
 * its request may disclose much.
 */
const READS: Readonly<Record<string, boolean>> = {
  read: true,
  search: true,
  think: true,
  edit: false,
  delete: false,
  move: false,
  execute: false,
};

export function toPermissionRequest(params: Json, approvalId: string): PermissionRequest {
  const subject = isJson(params.subject) ? params.subject : {};
  const call = [params.toolCall, subject.toolCall, subject].find(isJson) ?? {};
  const { toolCallId, name, title, kind, rawInput, content } = call;
  const shown = typeof params.title === "string" ? params.title : title;
  return {
    approvalId,
    ...(typeof toolCallId === "string" ? { toolCallId } : {}),
    ...(typeof name === "string" ? { toolName: name } : {}),
    ...present({ toolInput: rawInput }),
    ...(typeof shown === "string" ? { title: shown } : {}),
    ...(Array.isArray(content) && content.length > 0 ? { content } : {}),
    readOnly: typeof kind === "string" ? (entryOf(READS, kind) ?? null) : null,
    options: optionsIn(params.options),
  };
}

function optionsIn(options: unknown): readonly PermissionOption[] {
  return (Array.isArray(options) ? options : []).flatMap((option) => {
    if (!isJson(option) || typeof option.optionId !== "string") return [];
    const kind = KINDS.find((known) => known === option.kind);
    const name = typeof option.name === "string" ? option.name : option.optionId;
    return kind === undefined ? [] : [{ id: option.optionId, name, kind }];
  });
}

const KINDS = ["allow_once", "allow_always", "reject_once", "reject_always"] as const;

/** If the agent offers no option for the decision, its question is cancelled, which grants nothing. */
export function toOutcome(decision: PermissionDecision, { options }: PermissionRequest): Json {
  const option = optionFor(decision, options);
  return option === null ? { outcome: "cancelled" } : { outcome: "selected", optionId: option.id };
}
