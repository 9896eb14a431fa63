/** Speech as text by Whisper, where the extension has its files: recordings never leave this machine. */

import { cutText } from "@continuo/core/model";
import { LIMITS } from "../limits.ts";
import { type Item, newItemId } from "../sending/items.ts";
import type { Failure } from "../sending/view.ts";
import type { SpeechSegment } from "./voice.ts";
import { type SpeechQuestion, WHISPER_LIBRARY } from "./whisper-model.ts";
import { hasFile, type TextWorker, WorkerReader } from "./worker-reader.ts";

const SAMPLE_RATE = 16_000;

export interface Heard {
  readonly lang: string | null;
  readonly speaker: "viewer" | "film";
}

export class Whisper {
  readonly #reader: WorkerReader<SpeechQuestion>;
  #isThere = false;

  constructor(start: () => TextWorker<SpeechQuestion>) {
    const { whisperMs: timeMs, whisperIdleMs: idleMs } = LIMITS;
    this.#reader = new WorkerReader({ start, failure: "Whisper does not work", timeMs, idleMs });
    void hasWhisper().then((isThere) => {
      this.#isThere = isThere;
    });
  }

  /** The files of the extension do not change while it runs. */
  get isThere(): boolean {
    return this.#isThere;
  }

  /** Why the last recording has no words; `null` if it was understood. */
  get failure(): Failure | null {
    return this.#reader.failure;
  }

  /** `null` if nothing was said, or `failure` says why it is not known. */
  async transcribe(segment: SpeechSegment, { lang, speaker }: Heard): Promise<Item | null> {
    const samples = await samplesOf(segment.bytes);
    const text = await this.#reader.read({ samples, lang });
    if (text === "") return null;
    const { startMs, endMs } = segment;
    const said = cutText(text, LIMITS.textChars);
    const place = { id: newItemId(), mediaTimeMs: startMs, endMs };
    return { kind: "transcript", ...place, text: said, lang: lang ?? "", speaker };
  }
}

/** True if the person put the files of Whisper into the folder of the extension. */
export function hasWhisper(): Promise<boolean> {
  return hasFile(WHISPER_LIBRARY);
}

async function samplesOf(bytes: Uint8Array): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE);
  const audio = await context.decodeAudioData(new Uint8Array(bytes).buffer);
  return audio.getChannelData(0);
}
