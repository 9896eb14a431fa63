/** The report of a page says how much evidence each of its sources gave. Pure. */

import { LIMITS } from "../limits.ts";
import { isFields, isTime } from "../sending/items.ts";

export interface SourceCounts {
  /** The number of items of the last minute. `lastAtMs` is the time of the newest item; `null` before the first. */
  readonly perMinute: number;
  readonly lastAtMs: number | null;
}

export interface SourceReport {
  /** A text track, the known caption element of the platform, or text that was found over the video. */
  readonly captions: SourceCounts & { readonly from: "track" | "platform" | "page" | null };
  readonly pictures: SourceCounts & {
    /** The time of the last read of a picture, even of one that showed nothing new. */
    readonly readAtMs: number | null;
    readonly problem: "forbidden" | "failed" | null;
  };
  /** The player shows an advertisement, which is left out. */
  readonly isAd: boolean;
  /** The address of the video's own file; `null` for a stream. */
  readonly file: string | null;
}

const FROM = ["track", "platform", "page"] as const;
const PROBLEMS = ["forbidden", "failed"] as const;

/** The times of the last minute, with a new one. */
export function counted(times: readonly number[], nowMs: number): readonly number[] {
  return [...times.filter((time) => nowMs - time < LIMITS.countedMs), nowMs];
}

export function givenOf(times: readonly number[], nowMs: number): SourceCounts {
  const recent = times.filter((time) => nowMs - time < LIMITS.countedMs);
  return { perMinute: recent.length, lastAtMs: times.at(-1) ?? null };
}

/** Returns `null` for a value that is not a report, because the process of a page may send any value. */
export function parseReport(value: unknown): SourceReport | null {
  if (!isFields(value) || !isFields(value.captions) || !isFields(value.pictures)) return null;
  const { captions, pictures, file } = value;
  const [heard, seen] = [parseGiven(captions), parseGiven(pictures)];
  if (heard === null || seen === null) return null;
  const isAddress = typeof file === "string" && file.length <= LIMITS.urlChars && /^https?:\/\//u.test(file);
  return {
    captions: { ...heard, from: FROM.find((one) => one === captions.from) ?? null },
    pictures: {
      ...seen,
      readAtMs: isTime(pictures.readAtMs) ? pictures.readAtMs : null,
      problem: PROBLEMS.find((one) => one === pictures.problem) ?? null,
    },
    isAd: value.isAd === true,
    file: isAddress ? file : null,
  };
}

function parseGiven({ perMinute, lastAtMs }: Readonly<Record<string, unknown>>): SourceCounts | null {
  if (!isTime(perMinute) || !(lastAtMs === null || isTime(lastAtMs))) return null;
  return { perMinute, lastAtMs };
}
