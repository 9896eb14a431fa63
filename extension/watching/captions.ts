/** Captions as pieces of evidence: each cue once, and drawn text as its new words. Pure. */

import { LIMITS } from "../limits.ts";
import { digest } from "./adapters.ts";

export interface Cue {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  readonly lang: string;
}

export interface CueTimes {
  readonly startTime: number;
  readonly endTime: number;
}

export interface CueFields extends CueTimes {
  readonly text: string;
}

/** A cue that a script of the page made can have no text. */
export function fieldsOf(cue: CueTimes & { readonly text?: unknown }): CueFields {
  const { startTime, endTime, text = "" } = cue;
  return { startTime, endTime, text: String(text) };
}

/** Returns `null` for a cue without words or without valid times. */
export function toCue({ startTime, endTime, text }: CueFields, lang: string): Cue | null {
  const words = plainText(text);
  if (words === "" || !(startTime >= 0)) return null;
  const startMs = wholeMs(startTime);
  // A cue without an end stays until the video ends.
  const endMs = Number.isFinite(endTime) ? Math.max(startMs, wholeMs(endTime)) : startMs;
  return { startMs, endMs, text: words, lang: lang.slice(0, 35) };
}

/** The same cue of the same video has the same id after a reload. Videos that were joined share a session. */
export function cueId({ startMs, endMs, text, lang }: Cue, videoId: string): string {
  return `cue.${digest(videoId)}.${startMs}.${endMs}.${digest(`${lang}\n${text}`)}`;
}

/** Removes the tags of WebVTT, and cuts the text. */
export function plainText(text: string): string {
  return text
    .slice(0, LIMITS.textChars * 2)
    .replace(/<[^<>]*>/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .slice(0, LIMITS.textChars)
    .toWellFormed();
}

/**
 * Returns the words that a moving window added: captions that are drawn word by word repeat the words that are still
 * shown. Returns `""` if nothing is new.
 */
export function newWords(before: string, now: string): string {
  if (now === before || before === "") return now === before ? "" : now;
  const [old, next] = [before.split(" "), now.split(" ")];
  for (let overlap = Math.min(old.length, next.length); overlap > 0; overlap--) {
    if (old.slice(-overlap).join(" ") === next.slice(0, overlap).join(" "))
      return next.slice(overlap).join(" ");
  }
  return now;
}

export function wholeMs(seconds: number): number {
  return Number.isFinite(seconds) ? Math.max(0, Math.round(seconds * 1000)) : 0;
}
