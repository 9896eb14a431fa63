/** The microphone: one complete recording for each piece of speech, with a little of what came before it. */

import { LIMITS } from "../limits.ts";
import { foldLoudness, loudnessOf, SILENT, type SpeechEvents, type Voice } from "./voice.ts";

interface Take {
  readonly recorder: MediaRecorder;
  readonly parts: Blob[];
  readonly startMs: number;
  readonly startedAtMs: number;
  isSpeech: boolean;
}

const TYPE = "audio/webm;codecs=opus";

export class Microphone {
  readonly #events: SpeechEvents;
  readonly #stream: MediaStream;
  readonly #context: AudioContext;
  readonly #analyser: AnalyserNode;
  readonly #samples: Float32Array<ArrayBuffer>;
  readonly #timer: ReturnType<typeof setInterval>;
  #voice: Voice = SILENT;
  #take: Take;

  /** Errors: `NotAllowedError` (a `DOMException`) while the person did not allow the microphone. */
  static async open(events: SpeechEvents): Promise<Microphone> {
    return new Microphone(await navigator.mediaDevices.getUserMedia({ audio: true }), events);
  }

  private constructor(stream: MediaStream, events: SpeechEvents) {
    this.#stream = stream;
    this.#events = events;
    this.#context = new AudioContext();
    this.#analyser = this.#context.createAnalyser();
    this.#context.createMediaStreamSource(stream).connect(this.#analyser);
    this.#samples = new Float32Array(this.#analyser.fftSize);
    this.#take = this.#record();
    this.#timer = setInterval(() => this.#listen(), LIMITS.loudnessEveryMs);
  }

  /** `discard` throws away what is recorded just now. */
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

  #next(): void {
    const done = this.#take;
    this.#take = this.#record();
    finish(done);
  }

  #record(): Take {
    const recorder = new MediaRecorder(this.#stream, { mimeType: TYPE });
    const startMs = this.#events.mediaTimeMs();
    const take: Take = { recorder, parts: [], startMs, startedAtMs: Date.now(), isSpeech: false };
    recorder.ondataavailable = ({ data }) => take.parts.push(data);
    recorder.onstop = () => void this.#deliver(take);
    recorder.start();
    return take;
  }

  async #deliver({ parts, startMs, isSpeech }: Take): Promise<void> {
    const blob = new Blob(parts);
    if (!isSpeech || blob.size === 0 || blob.size > LIMITS.audioBytes) return;
    const endMs = Math.max(startMs, this.#events.mediaTimeMs());
    const bytes = new Uint8Array(await blob.arrayBuffer());
    this.#events.recorded({ bytes, mediaType: "audio/webm", startMs, endMs });
  }
}

function finish({ recorder }: Take): void {
  if (recorder.state !== "inactive") recorder.stop();
}
