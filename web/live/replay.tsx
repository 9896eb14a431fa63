/** The controls for the shown position of the log: single steps, playback, or the end, which moves with the log. */

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { dateAndClock } from "../content/words.ts";
import { useKeys } from "../shell/keys.ts";
import { countAt, placeOfCount, stepFrom } from "./at.ts";
import type { LiveState } from "./live-state.ts";

/** The time between two items during playback. */
const STEP_MS = 500;

export function Replay({ state }: { state: LiveState }): VNode | null {
  const isPlaying = useSignal(false);
  const log = state.log.value;
  const at = state.at.value;
  const count = countAt(log, at);
  const total = log.items.length;
  const step = (by: 1 | -1): void => {
    state.at.value = stepFrom(state.log.value, state.at.value, by);
  };
  useEffect(() => {
    if (!isPlaying.value) return;
    const timer = setInterval(() => {
      step(1);
      if (state.at.value === null) isPlaying.value = false;
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [state, isPlaying.value]);
  const play = (): void => {
    // Playback from the end starts at the beginning.
    if (!isPlaying.value && state.at.value === null) state.at.value = 0;
    isPlaying.value = !isPlaying.value;
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    p: play,
    G: () => {
      isPlaying.value = false;
      state.at.value = null;
    },
  });
  if (total === 0) return null;
  const item = log.items[count - 1];
  const place = `${count.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return (
    <section class="replay" aria-label="Replay">
      <button type="button" aria-keyshortcuts="p" onClick={play}>
        {isPlaying.value ? "Pause" : "Play"}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Step back"
        aria-keyshortcuts="k"
        onClick={() => step(-1)}
      >
        Back
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Next step"
        aria-keyshortcuts="j"
        onClick={() => step(1)}
      >
        Next
      </button>
      <input
        type="range"
        min={0}
        max={total}
        value={count}
        aria-label="Place in the log"
        aria-valuetext={item === undefined ? `0 of ${total}` : `${place}, ${dateAndClock(item.at)}`}
        onInput={({ currentTarget }) => {
          isPlaying.value = false;
          state.at.value = placeOfCount(state.log.value, Number(currentTarget.value));
        }}
      />
      <output>{place}</output>
      <button
        type="button"
        class="quiet"
        disabled={at === null}
        onClick={() => {
          isPlaying.value = false;
          state.at.value = null;
        }}
      >
        Newest
      </button>
    </section>
  );
}
