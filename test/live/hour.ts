/** The whole captions of an hour: talks of the corpus, one after the other. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ListedCue } from "@continuo/core/wire";
import { readTalk, type Talk } from "./captions/draw.ts";

const HOUR_MS = 3_600_000;
const PAUSE_MS = 3_000;

/** About a thousand cues in the order of the medium. */
export function hourOfCaptions(): readonly ListedCue[] {
  const talks = ["lighthouse", "bees", "panel"].map(talkInCues);
  const cues: ListedCue[] = [];
  for (let n = 0, fromMs = 0; fromMs < HOUR_MS; n++) {
    for (const { text, mediaTimeMs, endMs } of talks[n % talks.length]?.pieces ?? []) {
      cues.push({ startMs: fromMs + mediaTimeMs, endMs: fromMs + endMs, text });
    }
    fromMs = (cues.at(-1)?.endMs ?? 0) + PAUSE_MS;
  }
  return cues;
}

function talkInCues(name: string): Talk {
  const text = readFileSync(join(import.meta.dirname, `captions/tune/${name}.txt`), "utf8");
  return readTalk(name, text.replace(/^style: .*$/mu, "style: cues"));
}

/** The same captions as a WebVTT file. */
export function toVtt(cues: readonly ListedCue[]): string {
  const clock = (ms: number): string => new Date(ms).toISOString().slice(11, 23);
  const blocks = cues.map(({ startMs, endMs, text }) => `${clock(startMs)} --> ${clock(endMs)}\n${text}\n`);
  return `WEBVTT\n\n${blocks.join("\n")}`;
}
