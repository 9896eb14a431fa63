/** Detects speech by the loudness of a microphone, or of the sound of a tab. Pure. */

import { LIMITS } from "../limits.ts";

export interface SpeechSegment {
  readonly bytes: Uint8Array;
  readonly mediaType: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface SpeechEvents {
  /** The position of the video. */
  mediaTimeMs(): number;
  began(mediaTimeMs: number): void;
  ended(mediaTimeMs: number): void;
  recorded(recording: SpeechSegment): void;
}

export interface Voice {
  readonly state: "silent" | "speaking";
  /** The time since which the loudness has fitted the other state without interruption; `null` if it does not. */
  readonly otherSinceMs: number | null;
  /** The start of this speech. */
  readonly beganAtMs: number | null;
}

export const SILENT: Voice = { state: "silent", otherSinceMs: null, beganAtMs: null };

export interface VoiceResult {
  readonly voice: Voice;
  readonly event: "begins" | "ends" | null;
}

/**
 * `loudness` is the root mean square of samples from -1 to 1. A click does not count as speech, and a breath does not
 * end it.
 */
export function foldLoudness(voice: Voice, loudness: number, nowMs: number): VoiceResult {
  const isLoud = loudness >= LIMITS.speechLevel;
  const isTooLong = voice.beganAtMs !== null && nowMs - voice.beganAtMs >= LIMITS.longestSpeechMs;
  if (isTooLong) return { voice: SILENT, event: "ends" };
  if (isLoud !== (voice.state === "silent")) return { voice: { ...voice, otherSinceMs: null }, event: null };
  const otherSinceMs = voice.otherSinceMs ?? nowMs;
  const needed = isLoud ? LIMITS.shortestSpeechMs : LIMITS.silenceMs;
  if (nowMs - otherSinceMs < needed) return { voice: { ...voice, otherSinceMs }, event: null };
  if (!isLoud) return { voice: SILENT, event: "ends" };
  return { voice: { state: "speaking", otherSinceMs: null, beganAtMs: otherSinceMs }, event: "begins" };
}

export function loudnessOf(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < samples.length; at++) sum += (samples[at] ?? 0) ** 2;
  return samples.length === 0 ? 0 : Math.sqrt(sum / samples.length);
}
