/** Records each piece of speech in a stream as one complete recording, which begins a short time before the speech. */

import { LIMITS } from "../limits.ts";
import { foldLoudness, loudnessOf, SILENT, type SpeechEvents, type Voice } from "./voice.ts";

interface Take {
  readonly recorder: MediaRecorder;
  readonly parts: Blob[];
  readonly startMs: number;
  readonly startedAtMs: number;
  isSpeech: boolean;
  /** The position before a jump of the video that ended the recording; `null` if there was none. */
  endMs: number | null;
}

const TYPE = "audio/webm;codecs=opus";

export interface RecorderOptions extends SpeechEvents {
  /** `heard`: the stream is also played, because the browser no longer plays a tab that is captured. */
  readonly playback: "heard" | "silent";
}

export class SpeechRecorder {
  readonly #events: RecorderOptions;
  readonly #stream: MediaStream;
  readonly #context: AudioContext;
  readonly #analyser: AnalyserNode;
  readonly #samples: Float32Array<ArrayBuffer>;
  readonly #timer: ReturnType<typeof setInterval>;
  #voice: Voice = SILENT;
  #lastMs: number;
  #take: Take;

  /** `close` also stops the stream. */
  constructor(stream: MediaStream, options: RecorderOptions) {
    this.#stream = stream;
    this.#events = options;
    this.#context = new AudioContext();
    this.#analyser = this.#context.createAnalyser();
    const source = this.#context.createMediaStreamSource(stream);
    source.connect(this.#analyser);
    if (options.playback === "heard") source.connect(this.#context.destination);
    this.#samples = new Float32Array(this.#analyser.fftSize);
    this.#lastMs = options.mediaTimeMs();
    this.#take = this.#record();
    this.#timer = setInterval(() => this.#listen(), LIMITS.loudnessEveryMs);
  }

  /** `discard` drops the present recording. */
  close(unfinished: "keep" | "discard"): void {
    clearInterval(this.#timer);
    if (unfinished === "discard") this.#take.isSpeech = false;
    finish(this.#take);
    void this.#context.close();
    for (const track of this.#stream.getTracks()) track.stop();
  }

  #listen(): void {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    const nowMs = Date.now();
    this.#followVideo();
    const { voice, event } = foldLoudness(this.#voice, loudnessOf(this.#samples), nowMs);
    this.#voice = voice;
    const isStale = !this.#take.isSpeech && nowMs - this.#take.startedAtMs >= LIMITS.leadMs;
    if (event === "begins") {
      this.#take.isSpeech = true;
      this.#events.began(this.#events.mediaTimeMs());
    } else if (event === "ends") {
      this.#events.ended(this.#events.mediaTimeMs());
      this.#next();
    } else if (isStale && voice.otherSinceMs === null) this.#next();
  }

  /** A recording has only one place in the video: a jump ends it at the position before the jump. */
  #followVideo(): void {
    const atMs = this.#events.mediaTimeMs();
    if (Math.abs(atMs - this.#lastMs) > LIMITS.jumpMs) {
      this.#take.endMs = this.#lastMs;
      if (this.#take.isSpeech) this.#events.ended(this.#lastMs);
      this.#voice = SILENT;
      this.#next();
    }
    this.#lastMs = atMs;
  }

  #next(): void {
    const done = this.#take;
    this.#take = this.#record();
    finish(done);
  }

  #record(): Take {
    const recorder = new MediaRecorder(this.#stream, { mimeType: TYPE });
    const startMs = this.#events.mediaTimeMs();
    const take: Take = {
      recorder,
      parts: [],
      startMs,
      startedAtMs: Date.now(),
      isSpeech: false,
      endMs: null,
    };
    recorder.ondataavailable = ({ data }) => take.parts.push(data);
    recorder.onstop = () => void this.#deliver(take);
    recorder.start();
    return take;
  }

  async #deliver({ parts, startMs, isSpeech, endMs }: Take): Promise<void> {
    const blob = new Blob(parts);
    if (!isSpeech || blob.size === 0 || blob.size > LIMITS.audioBytes) return;
    const lastMs = Math.max(startMs, endMs ?? this.#events.mediaTimeMs());
    const bytes = new Uint8Array(await blob.arrayBuffer());
    this.#events.recorded({ bytes, mediaType: "audio/webm", startMs, endMs: lastMs });
  }
}

function finish({ recorder }: Take): void {
  if (recorder.state !== "inactive") recorder.stop();
}
