/**
 * Decides when a batch begins. Each message restarts a window, which is shorter after a silence and longer in a burst
 * or if the messages have one topic; the batch begins when the window closes, or after the longest wait. Words after a
 * pause of the speaker close the window soon, because a thought may have ended. Pure; times are milliseconds.
 */

import { LIMITS } from "../kit/index.ts";
import { contentWords } from "../sentences/index.ts";

export interface WindowInput {
  readonly atMs: number;
  /**
   * Frames restart the window, but do not begin a batch; a frame that a person captured counts as a remark. A stop of
   * the video closes the window immediately.
   */
  readonly kind: "transcript" | "remark" | "note" | "frame" | "stop";
  readonly text?: string;
  readonly lang?: string;
  /** The times of the words of a transcript, by the clock of the video. */
  readonly startMs?: number;
  readonly endMs?: number;
}

export interface BatchWindow {
  readonly lastAtMs: number | null;
  /** Times of the messages of the last seconds. */
  readonly recent: readonly number[];
  /** Content words of the newest pending transcripts. */
  readonly topics: readonly (readonly string[])[];
  /** The time at which the oldest pending message that is not a frame arrived. */
  readonly oldestAtMs: number | null;
  readonly closesAtMs: number | null;
  /** The time at which the last words ended, by the clock of the video. */
  readonly spokenToMs: number | null;
  /** The latest time at which the window closes after a pause of the speaker. */
  readonly pausedUntilMs: number | null;
}

export const EMPTY_WINDOW: BatchWindow = {
  lastAtMs: null,
  recent: [],
  topics: [],
  oldestAtMs: null,
  closesAtMs: null,
  spokenToMs: null,
  pausedUntilMs: null,
};

export interface BatchingOptions {
  /** `fixed`: the window is 4 s times `stretch`, regardless of the input. */
  readonly mode: "adaptive" | "fixed";
  /**
   * `model`: each batch is one call of a model, so a pause of the speaker closes no window while the oldest pending
   * message is still new.
   */
  readonly writer?: "model" | "free";
  /** The factor by which windows and the longest wait are longer than usual; 1 by default. */
  readonly stretch?: number;
}

export function afterMessage(
  window: BatchWindow,
  message: WindowInput,
  { mode, writer = "free", stretch = 1 }: BatchingOptions = { mode: "adaptive" },
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
  const waitedMs = atMs - (oldestAtMs ?? atMs);
  const isSoon = writer === "model" && waitedMs < stretch * LIMITS.pauseEndsAfterMs;
  const isPaused = mode === "adaptive" && !isSoon && isAfterPause(window, message);
  const pausedUntilMs =
    kind === "stop"
      ? atMs
      : (window.pausedUntilMs ?? (isPaused ? atMs + stretch * LIMITS.quietWindowMs : null));
  return {
    lastAtMs: atMs,
    recent,
    topics,
    oldestAtMs,
    closesAtMs: Math.min(atMs + lengthMs, latest, pausedUntilMs ?? latest),
    spokenToMs: spokenTo(message) ?? window.spokenToMs,
    pausedUntilMs,
  };
}

function isAfterPause({ spokenToMs }: BatchWindow, { kind, startMs }: WindowInput): boolean {
  if (kind !== "transcript" || startMs === undefined || spokenToMs === null) return false;
  return startMs - spokenToMs >= LIMITS.speechPauseMs;
}

/** Returns the end of the words. It is estimated from their length for words that a page draws. */
function spokenTo({ kind, text = "", startMs, endMs = 0 }: WindowInput): number | null {
  if (kind !== "transcript" || startMs === undefined) return null;
  return endMs > startMs ? endMs : startMs + text.length * LIMITS.spokenCharMs;
}

/** Returns the window for the messages that remain after a batch took messages. */
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
    pausedUntilMs: null,
    closesAtMs:
      oldestAtMs === null || window.lastAtMs === null
        ? null
        : left.some(({ kind }) => kind === "stop")
          ? oldestAtMs
          : Math.min(
              window.lastAtMs + stretch * LIMITS.windowMs,
              oldestAtMs + stretch * LIMITS.longestWaitMs,
            ),
  };
}

/** Returns true if the window has closed. A window that has only frames begins no batch. */
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
