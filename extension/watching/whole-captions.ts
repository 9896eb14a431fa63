/** Lists the captions that a page has for the whole video: once for each video and track, before they are played. */

import { cutText } from "@continuo/core/model";
import { LIMITS } from "../limits.ts";
import type { CaptionsItem } from "../sending/items.ts";
import { digest } from "./adapters.ts";
import { type CueTimes, fieldsOf, toCue } from "./captions.ts";

/** A text track of a video, as it is now. */
export interface TrackLook {
  readonly lang: string;
  readonly label: string;
  readonly cues: ArrayLike<CueTimes>;
  /** True if the browser has loaded the file of the track. */
  readonly isLoaded: boolean;
  /** `null` if the length of the video is not known, for example of a live one. */
  readonly durationMs: number | null;
}

export class CaptionLister {
  readonly #listed = new Set<string>();
  #before = { name: "", count: 0 };

  /** Returns the captions of the track in parts; none if they are not complete, or were listed before. */
  look(videoId: string, track: TrackLook): readonly CaptionsItem[] {
    const name = [videoId, track.lang, track.label].join("\n");
    const count = track.cues.length;
    // A track that a script fills grows from one examination to the next.
    const isSteady = name === this.#before.name && count === this.#before.count;
    this.#before = { name, count };
    if (!isSteady || this.#listed.has(name) || !isComplete(track)) return [];
    this.#listed.add(name);
    return partsOf(videoId, track);
  }
}

/** A file is complete when it is loaded; a track that a script fills is complete if it nearly reaches the end. */
function isComplete({ cues, isLoaded, durationMs }: TrackLook): boolean {
  if (cues.length === 0) return false;
  if (isLoaded) return true;
  const endMs = (cues[cues.length - 1]?.endTime ?? 0) * 1_000;
  return durationMs !== null && durationMs > 0 && endMs >= durationMs * LIMITS.completeShare;
}

function partsOf(videoId: string, { lang, cues }: TrackLook): readonly CaptionsItem[] {
  const found = Array.from(cues)
    .slice(0, LIMITS.listedCues)
    .flatMap((cue) => toCue(fieldsOf(cue), lang) ?? []);
  const parts: CaptionsItem[] = [];
  for (let at = 0; at < found.length; at += LIMITS.cuesPerItem) {
    const part = found
      .slice(at, at + LIMITS.cuesPerItem)
      .map(({ startMs, endMs, text }) => ({ startMs, endMs, text: cutText(text, LIMITS.listedChars) }));
    const id = `captions.${digest(videoId)}.${at}.${digest(`${lang}\n${JSON.stringify(part)}`)}`;
    parts.push({ kind: "captions", id, mediaTimeMs: 0, lang: found[at]?.lang ?? "", cues: part });
  }
  return parts;
}
