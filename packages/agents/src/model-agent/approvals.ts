/**
 * Asks for approval of tool calls, and records question and answer as events of the run and as a message for the model.
 */

import type {
  AskPermission,
  ExecuteOptions,
  PermissionDecision,
  PermissionRequest,
} from "@continuo/core/model";
import { messageOf } from "@continuo/core/model";
import type { ToolModelMessage, ToolSet, TypedToolCall } from "ai";

/** A call that must not begin before a person permits it. */
export interface HeldCall {
  readonly request: PermissionRequest;
  readonly toolCallId: string;
}

export interface AskOptions {
  readonly onPermission: AskPermission | undefined;
  readonly onEvent: ExecuteOptions["onEvent"];
  readonly signal: AbortSignal;
  /** Functions, by the id of their call, to call before a permitted call begins, or after a denial is stored. */
  readonly starts: Map<string, () => Promise<void>>;
}

const OPTIONS: PermissionRequest["options"] = [
  { id: "allow", name: "Allow", kind: "allow_once" },
  { id: "deny", name: "Deny", kind: "reject_once" },
];

export function callOf({
  approvalId,
  toolCall,
}: {
  readonly approvalId: string;
  readonly toolCall: TypedToolCall<ToolSet>;
}): HeldCall {
  const { toolCallId, toolName, input } = toolCall;
  const request: PermissionRequest = {
    approvalId,
    toolCallId,
    toolName,
    toolInput: input,
    title: toolName,
    readOnly: null,
    options: OPTIONS,
    readsReason: true,
  };
  return { request, toolCallId };
}

/** Asks for all calls at the same time, and returns the message that lets the permitted ones begin. */
export async function askForCalls(calls: readonly HeldCall[], asking: AskOptions): Promise<ToolModelMessage> {
  const answers = await Promise.all(
    calls.map(async ({ request, toolCallId }) => {
      await asking.onEvent({ type: "permission_request", ...request });
      const { onStart, ...decision } = await decide(request, asking);
      if (onStart !== undefined) asking.starts.set(toolCallId, onStart);
      const { approvalId } = request;
      await asking.onEvent({ type: "permission_decision", approvalId, ...decision });
      const { outcome, reason } = decision;
      const approved = outcome === "granted";
      return {
        type: "tool-approval-response" as const,
        approvalId,
        approved,
        ...(reason === undefined ? {} : { reason }),
      };
    }),
  );
  return { role: "tool", content: answers };
}

/** Throws only if the turn has ended: a handler that fails denies the permission. */
async function decide(
  request: PermissionRequest,
  { onPermission, signal }: AskOptions,
): Promise<PermissionDecision> {
  if (onPermission === undefined) {
    return { outcome: "denied", by: "policy", reason: "nobody is there to be asked" };
  }
  const over = Promise.withResolvers<never>();
  const stop = (): void => over.reject(signal.reason);
  over.promise.catch(() => undefined);
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([over.promise, onPermission(request, { signal, reportsStart: true })]);
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: "denied", by: "policy", reason: `asking failed: ${messageOf(error)}` };
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
