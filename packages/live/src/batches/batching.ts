/**
 * When a batch begins. Each message restarts a window, which is shorter after a silence and longer in a burst or on one
 * topic; the batch begins when the window closes, or after the longest wait. Pure; times are milliseconds.
 */

import { LIMITS } from "../kit/index.ts";
import { contentWords } from "../sentences/index.ts";

export interface WindowInput {
  readonly atMs: number;
  /** Frames restart the window, but do not begin a batch; one that a person captured counts as a remark. */
  readonly kind: "transcript" | "remark" | "note" | "frame";
  readonly text?: string;
  readonly lang?: string;
}

export interface BatchWindow {
  readonly lastAtMs: number | null;
  /** Times of the messages of the last seconds. */
  readonly recent: readonly number[];
  /** Content words of the newest pending transcripts. */
  readonly topics: readonly (readonly string[])[];
  /** When the oldest pending message that is not a frame arrived. */
  readonly oldestAtMs: number | null;
  readonly closesAtMs: number | null;
}

export const EMPTY_WINDOW: BatchWindow = {
  lastAtMs: null,
  recent: [],
  topics: [],
  oldestAtMs: null,
  closesAtMs: null,
};

export interface BatchingOptions {
  /** `fixed`: the window is 4 s times `stretch`, however the input comes. */
  readonly mode: "adaptive" | "fixed";
  /** The factor by which windows and the longest wait are longer than usual; 1 by default. */
  readonly stretch?: number;
}

export function afterMessage(
  window: BatchWindow,
  message: WindowInput,
  { mode, stretch = 1 }: BatchingOptions = { mode: "adaptive" },
): BatchWindow {
  const { atMs, kind, text, lang } = message;
  // Messages beyond a burst are not counted, because many pieces of evidence can be waiting.
  const recent = [...window.recent.filter((at) => atMs - at < LIMITS.burstMs), atMs].slice(
    -(LIMITS.burstMessages + 1),
  );
  const topics =
    kind === "transcript"
      ? [...window.topics, contentWords(text ?? "", lang)].slice(-LIMITS.topicTranscripts)
      : window.topics;
  const oldestAtMs = window.oldestAtMs ?? (kind === "frame" ? null : atMs);
  const lengthMs =
    stretch * (mode === "fixed" ? LIMITS.windowMs : lengthOf({ ...window, recent, topics }, atMs));
  const latest = oldestAtMs === null ? Number.POSITIVE_INFINITY : oldestAtMs + stretch * LIMITS.longestWaitMs;
  return { lastAtMs: atMs, recent, topics, oldestAtMs, closesAtMs: Math.min(atMs + lengthMs, latest) };
}

/** The window after a batch took messages, for the messages that remain. */
export function afterBatch(
  window: BatchWindow,
  left: readonly WindowInput[],
  { stretch = 1 }: Pick<BatchingOptions, "stretch"> = {},
): BatchWindow {
  const transcripts = left.filter(({ kind }) => kind === "transcript");
  const oldestAtMs = left.find(({ kind }) => kind !== "frame")?.atMs ?? null;
  return {
    ...window,
    topics: transcripts
      .slice(-LIMITS.topicTranscripts)
      .map(({ text, lang }) => contentWords(text ?? "", lang)),
    oldestAtMs,
    closesAtMs:
      oldestAtMs === null || window.lastAtMs === null
        ? null
        : Math.min(window.lastAtMs + stretch * LIMITS.windowMs, oldestAtMs + stretch * LIMITS.longestWaitMs),
  };
}

/** True if the window has closed. A window that has only frames begins no batch. */
export function isDue({ oldestAtMs, closesAtMs }: BatchWindow, nowMs: number): boolean {
  return oldestAtMs !== null && closesAtMs !== null && nowMs >= closesAtMs;
}

function lengthOf({ lastAtMs, recent, topics }: BatchWindow, atMs: number): number {
  if (lastAtMs === null) return LIMITS.windowMs;
  if (atMs - lastAtMs > LIMITS.quietAfterMs) return LIMITS.quietWindowMs;
  if (recent.length > LIMITS.burstMessages || isOneTopic(topics)) return LIMITS.burstWindowMs;
  return LIMITS.windowMs;
}

function isOneTopic(topics: BatchWindow["topics"]): boolean {
  const mentions = new Map<string, number>();
  for (const word of topics.flat()) {
    const count = (mentions.get(word) ?? 0) + 1;
    if (count >= LIMITS.topicMentions) return true;
    mentions.set(word, count);
  }
  return false;
}
