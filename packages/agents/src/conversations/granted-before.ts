/** Finds the earlier grant of a call that asks again after its turn was cut off, so that the person can be told. */

import {
  canonicalJson,
  isEvent,
  type PermissionRequest,
  present,
  RUN_END_STATUSES,
  readAll,
} from "@continuo/core/model";
import type { AskPermission } from "../drivers/link/index.ts";
import type { AskingSession } from "./shared-questions.ts";

/**
 * Returns a function that asks the same questions. A question whose call may already have run says so in
 * `grantedBefore`.
 */
export function withGrantedBefore(
  ask: AskPermission,
  session: () => Promise<AskingSession | null>,
): AskPermission {
  return async (request, options) => {
    const asking = await session();
    const grantedBefore = asking === null ? undefined : await grantedBeforeIn(asking, request);
    return await ask({ ...request, ...present({ grantedBefore }) }, options);
  };
}

/** The newest granted question about the same call, if its run ended before the call had a result. */
async function grantedBeforeIn(
  { store, sessionId }: AskingSession,
  request: PermissionRequest,
): Promise<string | undefined> {
  const content = contentOf(request);
  const asked: { approvalId: string; toolCallId: string | undefined; runId: string }[] = [];
  for await (const event of readAll(store, sessionId, { types: ["approval_requested"] })) {
    if (!isEvent(event, "approval_requested") || event.runId === undefined) continue;
    const { approvalId, toolCallId } = event.data;
    if (contentOf(event.data) === content) asked.push({ approvalId, toolCallId, runId: event.runId });
  }
  for (const { approvalId, toolCallId, runId } of asked.toReversed()) {
    let isGranted = false;
    let hasResult = false;
    const types = ["approval_resolved", "tool_call_completed", "tool_call_failed"];
    for await (const event of readAll(store, sessionId, { runId, types })) {
      if (isEvent(event, "approval_resolved")) {
        isGranted ||= event.data.approvalId === approvalId && event.data.outcome === "granted";
      } else if (isEvent(event, "tool_call_completed") || isEvent(event, "tool_call_failed")) {
        hasResult ||= event.data.toolCallId === toolCallId;
      }
    }
    if (!isGranted) continue;
    const { status } = (await store.getRun(runId)) ?? {};
    const isCutOff = status !== undefined && status !== "completed" && RUN_END_STATUSES.includes(status);
    return isCutOff && !hasResult ? approvalId : undefined;
  }
  return undefined;
}

function contentOf({
  toolName,
  toolInput,
  title,
}: Pick<PermissionRequest, "toolName" | "toolInput" | "title">): string {
  return canonicalJson([toolName ?? null, toolInput ?? title ?? null]);
}
