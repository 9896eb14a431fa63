/** Reads from the log the calls that attempts at an input asked about, even those not stored as approvals. */

import { isEvent, type PermissionRequest, type Run, readAll, type Store } from "@continuo/core/model";

/**
 * Questions of earlier attempts whose process ended before they were stored as approvals: the next attempt asks them.
 *
 * @param stored the ids of the questions that are stored
 */
export async function unstoredQuestions(
  store: Store,
  { sessionId, runId }: Run,
  { root, stored }: { readonly root: string; readonly stored: ReadonlySet<string> },
): Promise<readonly PermissionRequest[]> {
  const attempts = new Set([root]);
  const questions = new Map<string, PermissionRequest>();
  const types = ["run_created", "approval_requested", "approval_resolved"];
  const first = await store.read(sessionId, { runId: root, types: ["run_created"], limit: 1 });
  for await (const event of readAll(store, sessionId, { after: first.events[0]?.sequence ?? 0, types })) {
    if (isEvent(event, "run_created") && event.data.metadata?.retryOf === root)
      attempts.add(event.data.runId);
    if (event.runId === undefined || event.runId === runId || !attempts.has(event.runId)) continue;
    if (isEvent(event, "approval_requested") && !stored.has(event.data.approvalId)) {
      questions.set(event.data.approvalId, event.data as PermissionRequest);
    }
    if (isEvent(event, "approval_resolved")) questions.delete(event.data.approvalId);
  }
  return [...questions.values()];
}

/**
 * True if the run asked a question that has no answer and that is not stored as an approval.
 *
 * @param stored the ids of the run's questions that are stored
 */
export async function hasUnstoredQuestion(
  store: Store,
  { sessionId, runId }: Run,
  stored: ReadonlySet<string>,
): Promise<boolean> {
  const open = new Set<string>();
  const types = ["approval_requested", "approval_resolved"];
  for await (const event of readAll(store, sessionId, { runId, types })) {
    if (isEvent(event, "approval_requested")) open.add(event.data.approvalId);
    if (isEvent(event, "approval_resolved")) open.delete(event.data.approvalId);
  }
  return !open.isSubsetOf(stored);
}

/** True for a permitted call of an earlier attempt that has no result: whether it took effect is not known. */
export async function mayHaveRun(
  store: Store,
  run: Run,
  { usedBy, request }: { readonly usedBy?: string; readonly request: PermissionRequest },
): Promise<boolean> {
  if (usedBy === undefined || usedBy === run.runId) return false;
  const { toolCallId } = request;
  if (toolCallId === undefined) return true;
  const types = ["tool_call_completed", "tool_call_failed"];
  for await (const event of readAll(store, run.sessionId, { runId: usedBy, types })) {
    const isResult = isEvent(event, "tool_call_completed") || isEvent(event, "tool_call_failed");
    if (isResult && event.data.toolCallId === toolCallId) return false;
  }
  return true;
}
