/**
 * Reads evidence around a time of the medium, the most useful first. An index is used, so the cost does not grow
 * with the log.
 */

import {
  assertKnownOptions,
  type KnownOptions,
  present,
  type Store,
  type StoredEvent,
} from "@continuo/core/model";
import { type ContextWindowOptions, type EvidenceItem, isFields, LIMITS } from "../kit/index.ts";
import { AUDIO_KIND } from "../state/index.ts";
import { toItem } from "./sequences.ts";

const OPTIONS: KnownOptions<ContextWindowOptions> = {
  primaryWindowMs: true,
  secondaryWindowMs: true,
  tokenBudget: true,
  confidence: true,
  signal: true,
};

const TYPES: readonly string[] = ["transcript_added", "remark_added", "frame_captured", "evidence_added"];

/**
 * Yields the critical evidence of a window before its other evidence, the nearest to the time first. The second, wider
 * window is read if the confidence is low, or if the first window has little critical evidence. The result never
 * exceeds the token budget. Errors: those of the store.
 */
export async function* fetchContextWindow(
  store: Store,
  sessionId: string,
  timestampMs: number,
  options: ContextWindowOptions = {},
): AsyncGenerator<EvidenceItem, void, void> {
  assertKnownOptions("fetchContextWindow", options, OPTIONS);
  const { primaryWindowMs = LIMITS.primaryWindowMs, secondaryWindowMs = LIMITS.secondaryWindowMs } = options;
  const { tokenBudget = LIMITS.contextTokens, confidence, signal } = options;
  let tokens = 0;
  let critical = 0;
  const given = new Set<number>();
  for (const windowMs of [primaryWindowMs, secondaryWindowMs]) {
    const isSparse = critical < LIMITS.sparseCritical;
    if (given.size > 0 && !isSparse && (confidence?.() ?? 1) >= LIMITS.lowConfidence) return;
    for (const retention of ["critical", "supplementary"] as const) {
      const { events } = await store.readMedia(
        sessionId,
        present({
          fromMs: Math.max(0, timestampMs - windowMs),
          toMs: timestampMs + windowMs,
          nearMs: timestampMs,
          retention,
          types: TYPES,
          limit: LIMITS.contextEvents,
          signal,
        }),
      );
      for (const event of events) {
        if (given.has(event.sequence) || event.pruned !== undefined || isAudio(event)) continue;
        // An event that is too long is left out, because shorter ones may still fit.
        if (tokens + tokensOf(event) > tokenBudget) continue;
        tokens += tokensOf(event);
        given.add(event.sequence);
        if (retention === "critical") critical++;
        yield toItem(event);
      }
    }
  }
}

/** Audio itself is left out: its transcript is separate evidence. */
function isAudio({ type, data }: StoredEvent): boolean {
  return type === "evidence_added" && isFields(data) && data.kind === AUDIO_KIND;
}

/** Estimates 4 characters per token; a picture costs as much as its description. */
function tokensOf(event: StoredEvent): number {
  return Math.ceil(toItem(event).text.length / 4) + 1;
}
