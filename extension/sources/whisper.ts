/**
 * Converts speech to text with Whisper, if the extension or the person's server has its files. Recordings never leave
 * this machine.
 */

import { cutText } from "@continuo/core/model";
import { LIMITS } from "../limits.ts";
import type { Server } from "../messages/messages.ts";
import { type Item, newItemId } from "../sending/items.ts";
import type { Failure } from "../sending/view.ts";
import type { SpeechSegment } from "./voice.ts";
import { hasServerFile } from "./whisper-files.ts";
import { ownFile, type SpeechQuestion, WHISPER_LIBRARY } from "./whisper-model.ts";
import { hasFile, type TextWorker, WorkerReader } from "./worker-reader.ts";

const SAMPLE_RATE = 16_000;

export interface SpeechLabel {
  readonly lang: string | null;
  readonly speaker: "viewer" | "film";
}

/** The files are in the folder of the extension, or on the server of the person. */
export type WhisperPlace = "extension" | "server";

/** Starts the worker with the files of the extension, or with those of a server. */
export interface WhisperWorkers {
  readonly own: () => TextWorker<SpeechQuestion>;
  readonly sealed: (server: Server) => TextWorker<SpeechQuestion>;
}

export class Whisper {
  readonly #reader: WorkerReader<SpeechQuestion>;
  #server: Server | null = null;
  #place: WhisperPlace | null = null;
  #lookedAtMs = Number.NEGATIVE_INFINITY;

  constructor({ own, sealed }: WhisperWorkers) {
    const { whisperMs: timeMs, whisperIdleMs: idleMs } = LIMITS;
    const start = (): TextWorker<SpeechQuestion> =>
      this.#place === "server" && this.#server !== null ? sealed(this.#server) : own();
    this.#reader = new WorkerReader({ start, failure: "Whisper does not work", timeMs, idleMs });
  }

  /** Sets the server that may have the files. */
  use({ serverUrl, token }: Server): void {
    if (this.#server?.serverUrl === serverUrl && this.#server.token === token) return;
    this.#server = { serverUrl, token };
    this.#place = null;
    this.#lookedAtMs = Number.NEGATIVE_INFINITY;
    // Another server can have another program.
    this.#reader.close();
    this.#look();
  }

  /** The files of the extension do not change while it runs; a server may get them later, or become available again. */
  get isThere(): boolean {
    this.#look();
    return this.#place !== null;
  }

  #look(): void {
    const server = this.#server;
    // No address is asked before the person connected the extension.
    if (server === null || server.token === "" || this.#place !== null) return;
    if (performance.now() - this.#lookedAtMs < LIMITS.whisperLookMs) return;
    this.#lookedAtMs = performance.now();
    void whisperPlace(server).then((place) => {
      if (server === this.#server) this.#place = place;
    });
  }

  /** The reason why the last recording has no words; `null` if it was understood. */
  get failure(): Failure | null {
    return this.#reader.failure;
  }

  /** `null` if nothing was said, or if `failure` has the reason why it is not known. */
  async transcribe(segment: SpeechSegment, { lang, speaker }: SpeechLabel): Promise<Item | null> {
    const samples = await samplesOf(segment.bytes);
    const text = await this.#reader.read({ samples, lang });
    if (text === "") return null;
    const { startMs, endMs } = segment;
    const said = cutText(text, LIMITS.textChars);
    const place = { id: newItemId(), mediaTimeMs: startMs, endMs };
    return { kind: "transcript", ...place, text: said, lang: lang ?? "", speaker };
  }
}

/** The place into which the person put the files of Whisper. The folder of the extension takes precedence. */
export async function whisperPlace(server: Server): Promise<WhisperPlace | null> {
  if (await hasFile(ownFile(WHISPER_LIBRARY))) return "extension";
  return (await hasServerFile(server, WHISPER_LIBRARY)) ? "server" : null;
}

async function samplesOf(bytes: Uint8Array): Promise<Float32Array> {
  const context = new OfflineAudioContext(1, 1, SAMPLE_RATE);
  const audio = await context.decodeAudioData(new Uint8Array(bytes).buffer);
  return audio.getChannelData(0);
}
