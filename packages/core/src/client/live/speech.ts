/** Speech waits in the outbox until the server stored it, and is sent in order. */

import { ContinuoError } from "../../model/index.ts";
import type { Acknowledgement } from "../../wire/index.ts";
import { LIMITS } from "./limits.ts";
import type { AudioRecording, RecordingBox, StoredRecording } from "./recordings.ts";

export interface SpeechOptions {
  /** `null`: recordings wait in memory. */
  readonly box: RecordingBox | null;
  /** The recordings that a former client did not send. */
  readonly left: readonly StoredRecording[];
  /** Tries until the server stored it. Errors: a refusal; `unavailable` when the client is closed. */
  readonly send: (recording: StoredRecording) => Promise<Acknowledgement>;
  /** Returns true if the recording stays for the next client after this error of `send`. */
  readonly isKept: (error: unknown) => boolean;
}

export class Speech {
  readonly #options: SpeechOptions;
  #turn: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(options: SpeechOptions) {
    this.#options = options;
    for (const recording of options.left) this.#inTurn(() => this.#send(recording)).catch(() => undefined);
  }

  /** Resolves when no recording waits. */
  async flushed(): Promise<void> {
    while (this.#waiting > 0) await this.#turn;
  }

  /** Errors: `too_large` if too many recordings wait; those of `send` and of the box. */
  async add(recording: AudioRecording): Promise<Acknowledgement> {
    const limit = LIMITS.waitingRecordings;
    if (this.#waiting >= limit) {
      throw new ContinuoError("too_large", "too many recordings wait for the server", { details: { limit } });
    }
    const stored = { ...recording, id: recording.id ?? crypto.randomUUID() };
    const kept = this.#options.box?.add(stored);
    // The caller that waits for its turn receives the error there.
    kept?.catch(() => undefined);
    return this.#inTurn(async () => {
      await kept;
      return this.#send(stored);
    });
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waiting++;
    const done = this.#turn.then(work).finally(() => void this.#waiting--);
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #send(recording: StoredRecording): Promise<Acknowledgement> {
    const { box, send, isKept } = this.#options;
    try {
      const acknowledged = await send(recording);
      await box?.remove(recording.id);
      return acknowledged;
    } catch (error) {
      if (!isKept(error)) await box?.remove(recording.id);
      throw error;
    }
  }
}
