/** Open requests for permission of the current run, and the last decision: a field of the transcript's metadata. */

import { type EventEntry, type Fields, isFields, textField } from "../events/index.ts";
import { setState, type TranscriptDraft } from "./draft.ts";

/**
 * Records the open request for permission, and the last decision. A request is not a message: the outcome of a call is
 * in its result.
 */
export function approvalRequested(draft: TranscriptDraft, _entry: EventEntry, payload: Fields): void {
  const id = textField(payload, "approvalId") ?? "";
  const { open, last } = approvalsOf(draft);
  const what = textField(payload, "title") ?? textField(payload, "toolCallId") ?? "";
  setState(draft, "approvals", { open: { ...open, [id]: what }, ...(last === undefined ? {} : { last }) });
}

export function approvalResolved(draft: TranscriptDraft, _entry: EventEntry, payload: Fields): void {
  const id = textField(payload, "approvalId") ?? "";
  const { [id]: _, ...open } = approvalsOf(draft).open;
  setState(draft, "approvals", { open, last: payload });
}

/** Nobody can answer the requests of a run that has ended. */
export function closeApprovals(draft: TranscriptDraft): void {
  const { open, ...decided } = approvalsOf(draft);
  if (Object.keys(open).length > 0) setState(draft, "approvals", { open: {}, ...decided });
}

function approvalsOf(draft: TranscriptDraft): { readonly open: Fields; readonly last?: Fields } {
  const { approvals } = draft.facts.state;
  const { open, last } = isFields(approvals) ? approvals : {};
  return { open: isFields(open) ? open : {}, ...(isFields(last) ? { last } : {}) };
}
