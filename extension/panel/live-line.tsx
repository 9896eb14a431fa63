/** The newest sentences that were heard; the present one is marked. */

import type { JSX } from "preact";
import { type LineSentence, saidAt } from "../sending/live-line.ts";
import { mediaTimeAt, type Position } from "../watching/position.ts";

interface Props {
  readonly sentences: readonly LineSentence[];
  readonly position: Position | null;
  readonly onSeek: (ms: number) => void;
}

export function LiveLine({ sentences, position, onSeek }: Props): JSX.Element | null {
  if (sentences.length === 0) return null;
  const now = saidAt(sentences, mediaTimeAt(position, Date.now()));
  return (
    <section class="line" aria-label="What is heard">
      <div>
        {sentences.map(({ startMs, text }, at) => (
          <button
            key={startMs}
            type="button"
            dir="auto"
            class={at === now ? "now" : undefined}
            aria-current={at === now ? "true" : undefined}
            onClick={() => onSeek(startMs)}
          >
            {text}
          </button>
        ))}
      </div>
    </section>
  );
}
