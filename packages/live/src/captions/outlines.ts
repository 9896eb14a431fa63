/** The outlines of videos. An outline is made once for the same captions, and remembered. */

import type { Store } from "@continuo/core/model";
import type { LiveOutline } from "@continuo/core/wire";
import { LIMITS, runSteps } from "../kit/index.ts";
import { type OutlineItem, outlineSteps } from "../outline/index.ts";
import { type ListedCaptions, outlinePlace, readHeard, readListed } from "./read-captions.ts";
import { heardCues, watchedShare, watchedSpans } from "./watched-cues.ts";

export class Outlines {
  readonly #kept = new Map<string, Promise<readonly OutlineItem[]>>();

  /** `videoId` names the video of a tab that joined the session of another video. Errors: those of the store. */
  async of(store: Store, sessionId: string, videoId?: string): Promise<LiveOutline> {
    const place = await outlinePlace(store, sessionId, videoId);
    const listed = await readListed(store, place);
    const { lang, cues } = listed;
    if (cues.length === 0) return { cues: 0, lang, summary: [], chapters: [], watched: [] };
    const items = await this.#keptItems(listed);
    const isHeard = heardCues(cues, await readHeard(store, place));
    return {
      cues: cues.length,
      lang,
      summary: items
        .filter(({ kind }) => kind === "summary")
        .map(({ text, startMs, endMs }) => ({ text, startMs, endMs })),
      chapters: items
        .filter(({ kind }) => kind === "chapter")
        .map(({ title, text, startMs, endMs }) => {
          const watched = watchedShare({ startMs, endMs }, { cues, isHeard });
          return { title: title ?? "", text, startMs, endMs, watched };
        }),
      watched: watchedSpans(cues, isHeard),
    };
  }

  #keptItems(listed: ListedCaptions): Promise<readonly OutlineItem[]> {
    const known = this.#kept.get(listed.version);
    if (known !== undefined) return known;
    const made = itemsOf(listed);
    this.#kept.set(listed.version, made);
    made.catch(() => this.#kept.delete(listed.version));
    for (const version of this.#kept.keys()) {
      if (this.#kept.size <= LIMITS.keptOutlines) break;
      this.#kept.delete(version);
    }
    return made;
  }
}

/** Lets other work run every few milliseconds. */
async function itemsOf({ cues, lang }: ListedCaptions): Promise<readonly OutlineItem[]> {
  const pieces = cues.map((cue, at) => ({ ...cue, sequence: at + 1, ...(lang === "" ? {} : { lang }) }));
  return runSteps(outlineSteps(pieces));
}
