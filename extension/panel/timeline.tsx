/** The time of the video with its notes. It is drawn here and not in the page, which could read it there. */

import type { JSX } from "preact";
import type { Note } from "../../src/wire/index.ts";
import { LIMITS } from "../limits.ts";
import { mediaTimeAt, type Position } from "../watching/position.ts";
import { clock, markersOf } from "./words.ts";

interface Props {
  readonly notes: readonly Note[];
  readonly position: Position | undefined;
  readonly onSeek: (ms: number) => void;
}

export function Timeline({ notes, position, onSeek }: Props): JSX.Element | null {
  const endMs = Math.max(position?.durationMs ?? 0, ...notes.map((note) => note.endMs));
  if (endMs === 0) return null;
  const share = (ms: number): string => `${Math.min(100, (ms / endMs) * 100)}%`;
  const nowMs = mediaTimeAt(position ?? null, Date.now());
  return (
    <fieldset class="timeline">
      <legend class="hidden">Notes on the timeline</legend>
      <div class="played" style={{ width: share(nowMs) }} />
      {markersOf(notes, endMs * LIMITS.markerShare).map(({ noteId, startMs, text }) => (
        <button
          key={noteId}
          type="button"
          style={{ left: share(startMs) }}
          title={text.slice(0, 80)}
          aria-label={`Go to ${clock(startMs)}: ${text.slice(0, 80)}`}
          onClick={() => onSeek(startMs)}
        />
      ))}
    </fieldset>
  );
}
