/** The position of a video between two reports of its page. Pure. */

import { LIMITS } from "../limits.ts";

export interface Position {
  readonly mediaTimeMs: number;
  readonly durationMs: number | null;
  readonly playing: boolean;
  readonly rate: number;
  /** The time of the machine's clock. */
  readonly atMs: number;
}

/** True if the video plays, and its page still reports: a page that no longer reports has closed, or does not run. */
export function isPlaying(position: Position | null, nowMs: number): boolean {
  return position?.playing === true && nowMs - position.atMs < LIMITS.stalePositionMs;
}

export function mediaTimeAt(position: Position | null, nowMs: number): number {
  if (position === null) return 0;
  const { mediaTimeMs, durationMs, playing, rate, atMs } = position;
  const moved = playing ? Math.max(0, nowMs - atMs) * rate : 0;
  return Math.round(Math.max(0, Math.min(mediaTimeMs + moved, durationMs ?? Number.MAX_SAFE_INTEGER)));
}
