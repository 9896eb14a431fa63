/**
 * The timeline of the video with its notes. It is drawn in the panel, because a page could read a timeline that is
 * drawn in the page.
 */

import type { Span } from "@continuo/core/wire";
import type { JSX } from "preact";
import type { Timeline as NotesTimeline } from "../sending/panel-view.ts";
import { mediaTimeAt, type Position } from "../watching/position.ts";
import { clock } from "./format.ts";

interface Props {
  readonly timeline: NotesTimeline;
  /** The watched parts, if they are known. */
  readonly watched: readonly Span[];
  readonly position: Position | null;
  readonly onSeek: (ms: number) => void;
}

export function Timeline({ timeline, watched, position, onSeek }: Props): JSX.Element | null {
  const { endMs, markers } = timeline;
  if (endMs === 0) return null;
  const share = (ms: number): string => `${Math.min(100, (ms / endMs) * 100)}%`;
  const nowMs = mediaTimeAt(position, Date.now());
  return (
    <fieldset class="timeline">
      <legend class="hidden">Notes on the timeline</legend>
      {watched.map(({ startMs, endMs: toMs }) => (
        <div
          key={startMs}
          class="watched"
          style={{ left: share(startMs), width: share(Math.max(0, toMs - startMs)) }}
        />
      ))}
      <div
        class="played"
        style={watched.length > 0 ? { left: share(nowMs), width: "2px" } : { width: share(nowMs) }}
      />
      {markers.map(({ noteId, startMs, text }) => (
        <button
          key={noteId}
          type="button"
          style={{ left: share(startMs) }}
          title={text}
          aria-label={`Go to ${clock(startMs)}: ${text}`}
          onClick={() => onSeek(startMs)}
        />
      ))}
    </fieldset>
  );
}
