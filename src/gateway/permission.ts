/** Converts a question of an agent to a question to the editor, and the answer to a decision of Continuo. Pure. */

import type {
  RequestPermissionRequest,
  RequestPermissionResponse,
  ToolCallContent,
} from "@agentclientprotocol/sdk/unstable";
import type { PermissionDecision, PermissionOption, PermissionRequest } from "@continuo/core/model";
import { contentOfCall, diffsOf, inputOf, kindOf, locationsOf, patchDiffsOf, titleOfCall } from "./calls.ts";

/** The options for an agent that offers none. */
const OWN_OPTIONS: readonly PermissionOption[] = [
  { id: "allow", name: "Allow", kind: "allow_once" },
  { id: "deny", name: "Deny", kind: "reject_once" },
];

function optionsOf({ options }: PermissionRequest): readonly PermissionOption[] {
  return options.length === 0 ? OWN_OPTIONS : options;
}

/** `toolCallId`: the id by which the editor knows the call. */
export function toQuestion(
  request: PermissionRequest,
  { sessionId, toolCallId }: { readonly sessionId: string; readonly toolCallId: string },
): RequestPermissionRequest {
  const { toolName = "tool", toolInput, title, content, grantedBefore } = request;
  const diffs = diffsOf(toolInput, content);
  const parts = diffs.length > 0 ? diffs : contentOfCall(content);
  const changes = diffs.length > 0 ? [] : patchDiffsOf(toolInput);
  const shown = [...(grantedBefore === undefined ? [] : [MAY_HAVE_RUN]), ...changes, ...parts];
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title: title ?? titleOfCall(toolName, toolInput),
      kind: kindOf(toolName),
      status: "pending",
      rawInput: inputOf(toolInput),
      locations: locationsOf(toolInput),
      ...(shown.length === 0 ? {} : { content: shown }),
    },
    options: optionsOf(request).map(({ id, name, kind }) => ({ optionId: id, name, kind })),
  };
}

const MAY_HAVE_RUN: ToolCallContent = {
  type: "content",
  content: {
    type: "text",
    text: "The same call was allowed in an earlier turn that was cut off: it may already have run.",
  },
};

/** An option that was not offered grants nothing. */
export function toDecision(
  { outcome }: RequestPermissionResponse,
  request: PermissionRequest,
): PermissionDecision {
  if (outcome.outcome === "cancelled") return { outcome: "cancelled", by: "person" };
  const chosen = optionsOf(request).find(({ id }) => id === outcome.optionId);
  if (chosen === undefined) {
    return { outcome: "denied", by: "policy", reason: "the editor chose an option that was not offered" };
  }
  const isGranted = chosen.kind === "allow_once" || chosen.kind === "allow_always";
  const decided = { outcome: isGranted ? "granted" : "denied", by: "person" } as const;
  return request.options.length === 0 ? decided : { ...decided, optionId: chosen.id };
}
