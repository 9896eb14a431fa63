/** The part of a video that was watched: the listed captions that were heard. Pure. */

import type { ListedCue, Span } from "@continuo/core/wire";

/** True for each cue of which the person heard at least half. The cues are in the order of the medium. */
export function heardCues(cues: readonly ListedCue[], heard: readonly Span[]): readonly boolean[] {
  const parts = joined(heard);
  let first = 0;
  return cues.map(({ startMs, endMs }) => {
    while (first < parts.length && (parts[first]?.endMs ?? 0) < startMs) first++;
    let coveredMs = 0;
    for (let at = first; at < parts.length; at++) {
      const part = parts[at];
      if (part === undefined || part.startMs > endMs) break;
      // A cue without a length counts as heard if a heard span contains its time.
      coveredMs +=
        Math.min(part.endMs, endMs) - Math.max(part.startMs, startMs) + (startMs === endMs ? 1 : 0);
    }
    return coveredMs > 0 && coveredMs >= (endMs - startMs) / 2;
  });
}

/** Cues that follow each other and were all heard are one span, with the pauses between them. */
export function watchedSpans(cues: readonly ListedCue[], isHeard: readonly boolean[]): readonly Span[] {
  const spans: Span[] = [];
  for (const [at, { startMs, endMs }] of cues.entries()) {
    if (isHeard[at] !== true) continue;
    const last = isHeard[at - 1] === true ? spans.pop() : undefined;
    spans.push({ startMs: last?.startMs ?? startMs, endMs: Math.max(last?.endMs ?? 0, endMs) });
  }
  return joined(spans);
}

/** The share of the cues that begin in a span and were heard; 0 if none begins there. */
export function watchedShare(
  { startMs, endMs }: Span,
  { cues, isHeard }: { readonly cues: readonly ListedCue[]; readonly isHeard: readonly boolean[] },
): number {
  const own = cues.flatMap((cue, at) =>
    cue.startMs >= startMs && cue.startMs < endMs ? [isHeard[at] === true] : [],
  );
  return own.length === 0 ? 0 : own.filter((one) => one).length / own.length;
}

/** Joins spans that overlap or touch. Returns the spans in the order of the medium. */
function joined(spans: readonly Span[]): readonly Span[] {
  const parts: Span[] = [];
  for (const { startMs, endMs } of spans.toSorted((a, b) => a.startMs - b.startMs)) {
    const last = parts.at(-1);
    if (last === undefined || startMs > last.endMs) parts.push({ startMs, endMs });
    else parts[parts.length - 1] = { startMs: last.startMs, endMs: Math.max(last.endMs, endMs) };
  }
  return parts;
}
