/**
 * Decides when a page shows another video: only after it was seen several times in a row, so that a page cannot switch
 * back and forth. Pure.
 */

import { LIMITS } from "../limits.ts";

export interface VideoChoice {
  /** The chosen video. */
  readonly value: string | null;
  readonly candidate: string | null;
  readonly looks: number;
}

export const NO_CHOICE: VideoChoice = { value: null, candidate: null, looks: 0 };

/** The first video counts immediately. Another video, or no video, counts only if it stays. */
export function look(before: VideoChoice, seen: string | null): VideoChoice {
  if (seen === before.value) return { value: seen, candidate: seen, looks: 0 };
  const looks = seen === before.candidate ? before.looks + 1 : 1;
  const isSettled = looks >= LIMITS.steadyLooks || (before.value === null && before.looks === 0);
  return isSettled ? { value: seen, candidate: seen, looks: 0 } : { ...before, candidate: seen, looks };
}

export interface VideoSize {
  readonly width: number;
  readonly height: number;
  readonly isPlaying: boolean;
  readonly isReady: boolean;
}

/** Returns the index of the watched video: the largest that plays, otherwise the largest; -1 if there is none. */
export function chooseVideo(videos: readonly VideoSize[]): number {
  let best = -1;
  let most = 0;
  for (const [at, { width, height, isPlaying, isReady }] of videos.slice(0, LIMITS.videosPerPage).entries()) {
    if (!isReady) continue;
    const weight = 1 + width * height + (isPlaying ? 1e9 : 0);
    if (weight > most) [best, most] = [at, weight];
  }
  return best;
}

/** Admits at most `limit` calls in ten seconds. Returns the times that still count, or `null` if there are too many. */
export function admit(times: readonly number[], nowMs: number, limit: number): readonly number[] | null {
  const recent = times.filter((time) => nowMs - time < 10_000);
  return recent.length >= limit ? null : [...recent, nowMs];
}
