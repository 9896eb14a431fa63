/** Reads the captions of a video element: the cues of a text track that were played. */

import { LIMITS } from "../limits.ts";
import { type Cue, fieldsOf, toCue, wholeMs } from "./captions.ts";
import type { TrackLook } from "./whole-captions.ts";

const KINDS = ["captions", "subtitles"];

export class TrackWatcher {
  readonly #onCue: (cue: Cue) => void;
  #video: HTMLVideoElement | null = null;
  #track: TextTrack | null = null;
  /** The time up to which cues were read, so that no cue is skipped if the page is slow or its captions arrive late. */
  #since = 0;
  readonly #changed = (): void => this.read();
  readonly #jumped = (): void => {
    this.#since = this.#video?.currentTime ?? 0;
  };

  constructor(onCue: (cue: Cue) => void) {
    this.#onCue = onCue;
  }

  get hasTrack(): boolean {
    return this.#track !== null;
  }

  /** The track with all its cues; `null` if there is no track. */
  get whole(): TrackLook | null {
    const [track, video] = [this.#track, this.#video];
    if (track === null || video === null) return null;
    const element = Array.from(video.getElementsByTagName("track")).find((one) => one.track === track);
    const { duration } = video;
    return {
      lang: track.language,
      label: track.label,
      cues: track.cues ?? [],
      isLoaded: element?.readyState === HTMLTrackElement.LOADED,
      durationMs: Number.isFinite(duration) ? wholeMs(duration) : null,
    };
  }

  /** Call it after a jump. Then, only cues after the present position are reported. */
  jump(): void {
    this.#jumped();
  }

  /** Follows the track that the person has switched on; otherwise the first track, which is loaded but not shown. */
  follow(video: HTMLVideoElement | null): void {
    if (video !== this.#video) {
      this.#video?.removeEventListener("seeking", this.#jumped);
      video?.addEventListener("seeking", this.#jumped);
      this.#video = video;
      this.#since = video === null ? 0 : playedFrom(video);
    }
    const tracks = Array.from(video?.textTracks ?? [])
      .slice(0, LIMITS.tracks)
      .filter(({ kind }) => KINDS.includes(kind));
    const former = tracks.find((track) => track === this.#track);
    const track = tracks.find(({ mode }) => mode === "showing") ?? former ?? tracks[0] ?? null;
    if (track !== this.#track) {
      this.#track?.removeEventListener("cuechange", this.#changed);
      track?.addEventListener("cuechange", this.#changed);
      this.#track = track;
    }
    if (track?.mode === "disabled") track.mode = "hidden";
  }

  /** Reports the cues that were shown after the last call; the same cue may be reported again. */
  read(): void {
    const [track, video] = [this.#track, this.#video];
    // Captions that are still loading are read as soon as they have loaded.
    if (video === null || track === null || (track.cues?.length ?? 0) === 0) return;
    const [since, now] = [this.#since, video.currentTime];
    this.#since = now;
    const shown = Array.from(track.cues ?? [])
      .slice(0, LIMITS.cuesPerTrack)
      .filter(({ startTime, endTime }) => startTime <= now && endTime > since);
    for (const cue of shown.slice(0, LIMITS.itemsPerMessage)) {
      const found = toCue(fieldsOf(cue), track.language);
      if (found !== null) this.#onCue(found);
    }
  }
}

/** Returns the beginning of the part that was played without a jump before this script ran. */
function playedFrom({ played, currentTime }: HTMLVideoElement): number {
  for (let at = 0; at < played.length; at++) {
    if (played.start(at) <= currentTime && currentTime <= played.end(at) + 1) return played.start(at);
  }
  return currentTime;
}
