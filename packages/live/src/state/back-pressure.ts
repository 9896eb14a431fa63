/**
 * Back-pressure: the level of a session by its depth, and the evidence that the model does not receive under load. A
 * level ends only at a depth much smaller than the depth at which it began, so that the level does not change all the
 * time. Pure.
 */

import { LEVEL_DEPTHS, type Level, type LevelDepths, LIMITS } from "../kit/index.ts";

export interface ShedCandidate {
  readonly sequence: number;
  readonly type: string;
  /** For `voice_activity`: `speaking` or `silent`. */
  readonly activity?: string;
}

export interface SheddingResult<Item> {
  readonly given: readonly Item[];
  readonly dropped: readonly Item[];
}

/** Leaves out the oldest frames if there are more than 20, and voice activity that repeats the one before it. */
export function shed<Item extends ShedCandidate>(pending: readonly Item[]): SheddingResult<Item> {
  const frames = pending.filter(({ type }) => type === "frame_captured").length;
  let tooMany = Math.max(0, frames - LIMITS.pendingFrames);
  let activity: string | undefined;
  const given: Item[] = [];
  const dropped: Item[] = [];
  for (const item of pending) {
    const isOld = item.type === "frame_captured" && tooMany > 0;
    if (isOld) tooMany--;
    const isRepeated = item.type === "voice_activity" && item.activity === activity;
    if (item.type === "voice_activity") activity = item.activity;
    (isOld || isRepeated ? dropped : given).push(item);
  }
  return { given, dropped };
}

export function countsByType(items: readonly ShedCandidate[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { type } of items) counts[type] = (counts[type] ?? 0) + 1;
  return counts;
}

/** True if telemetry is still stored at this depth. */
export function storesTelemetry(depth: number): boolean {
  return depth <= LIMITS.telemetryDepth;
}

export function nextLevel(level: Level, depth: number, levels: LevelDepths = LEVEL_DEPTHS): Level {
  if (depth < levels.normal) return "normal";
  if (depth >= levels.critical) return "critical";
  if (depth >= levels.warning && level === "normal") return "warning";
  return level;
}
