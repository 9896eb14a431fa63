/** A summary and chapters of the captions of the whole video, with the part that was watched. */

import type { LiveOutline, OutlineChapter } from "@continuo/core/wire";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { LIMITS } from "../limits.ts";
import { mediaTimeAt, type Position } from "../watching/position.ts";
import { clock } from "./format.ts";

interface Props {
  readonly outline: LiveOutline | null;
  readonly position: Position | null;
  /** True if the list is open at first; after that, the person opens and closes it. */
  readonly isOpen: boolean;
  readonly onSeek: (ms: number) => void;
}

export function Chapters({ outline, position, isOpen, onSeek }: Props): JSX.Element | null {
  const [isFirstOpen] = useState(isOpen);
  const { chapters = [], summary = [] } = outline ?? {};
  if (chapters.length === 0) return null;
  const now = chapterAt(chapters, mediaTimeAt(position, Date.now()));
  const seen = chapters.filter(({ watched }) => watched >= LIMITS.watchedShare).length;
  return (
    <details class="chapters" open={isFirstOpen}>
      <summary>
        {chapters.length} {chapters.length === 1 ? "chapter" : "chapters"}, {seen} watched
      </summary>
      <h3>Summary</h3>
      <p dir="auto">{summary.map(({ text }) => text).join(" ")}</p>
      <h3>Chapters</h3>
      <ol>
        {chapters.map((chapter, at) => (
          <li key={chapter.startMs} aria-current={at === now ? "true" : undefined}>
            <button type="button" class="time" onClick={() => onSeek(chapter.startMs)}>
              {clock(chapter.startMs)}
            </button>
            <span dir="auto" title={chapter.text}>
              {chapter.title}
            </span>
            <Watched share={chapter.watched} />
          </li>
        ))}
      </ol>
    </details>
  );
}

function Watched({ share }: { readonly share: number }): JSX.Element | null {
  if (share === 0) return null;
  if (share >= LIMITS.watchedShare) return <span class="mark accepted">watched</span>;
  return <span class="mark">{Math.max(1, Math.round(share * 100))} % watched</span>;
}

/** The chapter at a time of the video; -1 before the first. */
function chapterAt(chapters: readonly Pick<OutlineChapter, "startMs">[], ms: number): number {
  return chapters.findLastIndex(({ startMs }) => startMs <= ms);
}
