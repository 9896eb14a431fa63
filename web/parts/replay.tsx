/** The controls for the shown position of the log: single steps, playback, or the end, which moves with the log. */

import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useEffect } from "preact/hooks";
import { dateAndClock } from "../content/words.ts";
import { keyHint, useKeys } from "../shell/keys.ts";

/** A log that is shown up to a place. */
export interface ReplayedLog {
  /** `null` for the end, which moves with the log. */
  readonly at: ReadonlySignal<number | null>;
  readonly latest: ReadonlySignal<number>;
  readonly isAtEnd: boolean;
  step(by: 1 | -1): Promise<void>;
  goTo(place: number | null): Promise<void>;
}

/** The time between two items during playback. */
const STEP_MS = 500;

interface ReplayProps {
  readonly state: ReplayedLog;
  /** The time of the last shown item. */
  readonly time: string | null;
}

export function Replay({ state, time }: ReplayProps): VNode | null {
  const isPlaying = useSignal(false);
  const at = state.at.value;
  const latest = state.latest.value;
  const place = at ?? latest;
  useEffect(() => {
    if (!isPlaying.value) return;
    let isStepping = false;
    const timer = setInterval(async () => {
      // The step before may still be loading.
      if (isStepping) return;
      isStepping = true;
      await state.step(1);
      isStepping = false;
      if (state.isAtEnd) isPlaying.value = false;
    }, STEP_MS);
    return () => clearInterval(timer);
  }, [state, isPlaying.value]);
  const play = async (): Promise<void> => {
    const wasPlaying = isPlaying.value;
    // Playback from the end starts at the beginning.
    if (!wasPlaying && state.at.value === null) await state.goTo(0);
    isPlaying.value = !wasPlaying;
  };
  const goTo = (to: number | null): void => {
    isPlaying.value = false;
    void state.goTo(to);
  };
  useKeys({
    j: () => void state.step(1),
    k: () => void state.step(-1),
    p: () => void play(),
    G: () => goTo(null),
  });
  if (latest === 0) return null;
  const words = `${place.toLocaleString("en")} of ${latest.toLocaleString("en")}`;
  return (
    <section class="replay" aria-label="Replay">
      <button type="button" {...keyHint("p")} onClick={() => void play()}>
        {isPlaying.value ? "Pause" : "Play"}
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Step back"
        {...keyHint("k")}
        onClick={() => void state.step(-1)}
      >
        Back
      </button>
      <button
        type="button"
        class="quiet"
        aria-label="Next step"
        {...keyHint("j")}
        onClick={() => void state.step(1)}
      >
        Next
      </button>
      <input
        type="range"
        min={0}
        max={latest}
        value={place}
        aria-label="Place in the log"
        aria-valuetext={time === null ? words : `${words}, ${dateAndClock(time)}`}
        onInput={({ currentTarget }) => {
          const to = Number(currentTarget.value);
          goTo(to >= latest ? null : to);
        }}
      />
      <output>{words}</output>
      <button type="button" class="quiet" disabled={state.isAtEnd} onClick={() => goTo(null)}>
        Newest
      </button>
    </section>
  );
}
