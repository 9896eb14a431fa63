/** Drafts of a batch: asks the writer, and asks it again with more evidence about drafts that are not sure. */

import type { StoredEvent } from "@continuo/core/model";
import { fetchContextWindow } from "../evidence/index.ts";
import {
  type Draft,
  type EvidenceItem,
  isFields,
  LIMITS,
  type NoteRules,
  type NoteWriterResult,
  type UnsureDraft,
} from "../kit/index.ts";
import { type BatchRunOptions, runBatch } from "./batches.ts";
import { isUnsure } from "./decide.ts";

export interface WriteDraftsOptions extends BatchRunOptions {
  readonly rules: NoteRules;
}

/** Makes at most two runs. Errors: `agent_failed`, and those of the store. */
export async function writeDrafts(options: WriteDraftsOptions): Promise<NoteWriterResult> {
  const { rules } = options;
  const request = { ...options.request, unsureBelow: rules.confidence };
  const first = await runBatch({ ...options, request });
  const unsure: UnsureDraft[] = [];
  for (const draft of first.drafts.filter((draft) => isUnsure(draft, rules)).slice(0, LIMITS.widenedDrafts)) {
    const evidence = await widestContext(draft, options);
    if (evidence.length > 0) unsure.push({ draft, evidence });
  }
  if (unsure.length === 0) return first;
  const second = await runBatch({ ...options, request: { ...request, unsure } });
  return together(first, second, new Set(unsure.map(({ draft }) => draft.draftId)));
}

/** More evidence around the drafts, without the evidence that the writer already received. */
async function widestContext(
  { startMs, endMs }: Draft,
  { store, sessionId, request, rules, signal }: WriteDraftsOptions,
): Promise<readonly EvidenceItem[]> {
  const given = new Set(request.evidence.map(({ sequence }) => sequence));
  const window = {
    primaryWindowMs: LIMITS.widestWindowMs,
    secondaryWindowMs: LIMITS.widestWindowMs,
    tokenBudget: rules.questionTokens,
    signal,
  };
  const found: EvidenceItem[] = [];
  const middleMs = Math.round((startMs + endMs) / 2);
  for await (const item of fetchContextWindow(store, sessionId, middleMs, window)) {
    if (!given.has(item.sequence)) found.push(item);
  }
  return found;
}

/** A draft of the second answer replaces the unsure draft with the same id, and no other one. */
function together(
  first: NoteWriterResult,
  second: NoteWriterResult,
  unsureIds: ReadonlySet<string>,
): NoteWriterResult {
  const again = new Map(second.drafts.map((draft) => [draft.draftId, draft]));
  const ids = new Set(first.drafts.map(({ draftId }) => draftId));
  const more = second.drafts.filter(({ draftId }) => !unsureIds.has(draftId));
  const drafts = [
    ...first.drafts.map((draft) => (unsureIds.has(draft.draftId) ? again.get(draft.draftId) : null) ?? draft),
    ...more.map((draft) =>
      ids.has(draft.draftId) ? { ...draft, draftId: `${draft.draftId}/again` } : draft,
    ),
  ].slice(0, LIMITS.draftsPerBatch);
  const sum = (of: (result: NoteWriterResult) => number | undefined): number =>
    (of(first) ?? 0) + (of(second) ?? 0);
  return {
    ...first,
    ...second,
    drafts,
    modelCalls: sum((result) => result.modelCalls ?? (result.model === undefined ? 0 : 1)),
    usage: {
      inputTokens: sum(({ usage }) => usage?.inputTokens),
      outputTokens: sum(({ usage }) => usage?.outputTokens),
    },
    costUsd: sum(({ costUsd }) => costUsd),
  };
}

/** The draft that a `draft_written` or a `context_requested` holds; `null` for an event that was pruned. */
export function draftIn({ data }: Pick<StoredEvent, "data">): Draft | null {
  if (!isFields(data) || typeof data.draftId !== "string" || typeof data.text !== "string") return null;
  const { draftId, text, mediaTimeMs, endMs, confidence, evidence, question, videoId } = data;
  return {
    draftId,
    text,
    startMs: Number(mediaTimeMs ?? 0),
    endMs: Number(endMs ?? mediaTimeMs ?? 0),
    confidence: Number(confidence ?? 0),
    evidence: Array.isArray(evidence) ? evidence.filter((id) => typeof id === "string") : [],
    ...(typeof question === "string" ? { question } : {}),
    ...(typeof videoId === "string" ? { videoId } : {}),
  };
}
