/** The video of another open tab that is related to the watched one, such as the next part of a talk. Pure. */

import { LIMITS } from "../limits.ts";
import type { SessionToOpen } from "../messages/messages.ts";

export type RelatedSession = Pick<SessionToOpen, "key" | "title">;

/**
 * Returns the other video whose title has the most words in common with the watched one; `null` if no title has enough.
 */
export function relatedTo(
  watched: Pick<SessionToOpen, "title" | "videoId">,
  others: readonly Pick<SessionToOpen, "key" | "title" | "videoId">[],
): RelatedSession | null {
  const words = wordsOf(watched.title);
  let best: RelatedSession | null = null;
  let most = 0;
  for (const { key, title, videoId } of others) {
    if (videoId === watched.videoId) continue;
    const theirs = wordsOf(title);
    const shared = [...words].filter((word) => theirs.has(word)).length;
    const share = shared / Math.max(1, Math.min(words.size, theirs.size));
    if (shared < LIMITS.relatedWords || share < LIMITS.relatedShare || shared <= most) continue;
    most = shared;
    best = { key, title };
  }
  return best;
}

/** A word of another script ends where an ideograph or kana begins; the prolonged sound mark belongs to the kana. */
const WORDS =
  /\p{Ideographic}|[[[\p{scx=Hira}\p{scx=Kana}]&&\p{L}]--\p{Ideographic}]+|[\p{L}--[\p{Ideographic}\p{scx=Hira}\p{scx=Kana}]]{3,}/gv;

/**
 * Finds words of at least three letters, runs of kana, and single ideographs. Numbers are left out, because parts of a
 * series differ only in their numbers.
 */
function wordsOf(title: string): ReadonlySet<string> {
  const plain = title.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return new Set(plain.match(WORDS) ?? []);
}
