/** Transcribes the chunks of audio of a session in order, and then removes each chunk, unless audio is kept. */

import { cutText, isContinuoError, type NewEvent, type Store, type StoredEvent } from "@continuo/core/model";
import {
  type AudioChunk,
  type Clock,
  isoOf,
  LIMITS,
  type LiveBudget,
  type TranscribedSegment,
  type Transcriber,
} from "../kit/index.ts";
import {
  acceptsInput,
  budgetOf,
  budgetState,
  type Follower,
  type PendingAudio,
  checkpointRetryMs as retryMs,
} from "../state/index.ts";

export interface AudioOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly newId: () => string;
  readonly transcriber: Transcriber | null;
  readonly keepAudio: boolean;
  readonly budget: LiveBudget | null;
  readonly follower: Follower;
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
  readonly append: (events: readonly NewEvent[]) => Promise<readonly StoredEvent[]>;
  /** Called when a chunk was done, or failed. */
  readonly onIdle: () => void;
}

export class AudioWork {
  readonly #options: AudioOptions;
  #running: Promise<"done" | "failed"> | null = null;
  #failures = 0;
  #retryAtMs = 0;

  constructor(options: AudioOptions) {
    this.#options = options;
  }

  get isBusy(): boolean {
    return this.#running !== null;
  }

  /** The time at which the next chunk is tried again; `null` if no failed chunk waits. */
  get nextMs(): number | null {
    return this.#running === null && this.#next() !== null && this.#failures > 0 ? this.#retryAtMs : null;
  }

  startIfDue(nowMs: number): void {
    const { follower, signal, onIdle } = this.#options;
    if (nowMs < this.#retryAtMs || follower.fault !== null || !acceptsInput(follower.fold.state)) return;
    if (this.#running !== null || this.#next() === null) return;
    void this.#start(signal).then(onIdle);
  }

  /** Transcribes all waiting chunks, until one fails or the signal aborts. */
  async flush(signal: AbortSignal): Promise<void> {
    const both = AbortSignal.any([signal, this.#options.signal]);
    while (!both.aborted && this.#next() !== null) if ((await this.#start(both)) === "failed") return;
  }

  #next(): PendingAudio | null {
    const { follower, transcriber, budget } = this.#options;
    const { audio, cost } = follower.fold;
    const limit = budgetOf(follower.fold, budget);
    const [next] = audio.values();
    if (next === undefined || transcriber === null) return null;
    return budgetState(cost, limit) === "spent" ? null : next;
  }

  #start(signal: AbortSignal): Promise<"done" | "failed"> {
    this.#running ??= this.#process(signal)
      .then(
        () => this.#ended("done"),
        (error: unknown) => this.#ended("failed", error),
      )
      .finally(() => {
        this.#running = null;
      });
    return this.#running;
  }

  #ended(outcome: "done" | "failed", error?: unknown): "done" | "failed" {
    const { clock, report, follower, signal } = this.#options;
    this.#failures = outcome === "done" ? 0 : this.#failures + 1;
    if (outcome === "failed") {
      this.#retryAtMs = clock.now() + retryMs(this.#failures);
      if (!signal.aborted) report(`live: no transcript of audio of ${follower.sessionId}: ${String(error)}`);
    }
    return outcome;
  }

  async #process(signal: AbortSignal): Promise<void> {
    const { store, append, newId, transcriber, keepAudio, follower } = this.#options;
    const next = this.#next();
    if (next === null || transcriber === null) return;
    const { sequence, audioId, hash } = next;
    const bytes = await bytesOf(store, hash, signal);
    const chunk = { ...next, bytes: bytes ?? new Uint8Array() };
    const { segments, lang } = bytes === null ? NOTHING : await transcriber.transcribe(chunk, { signal });
    const transcripts = segments
      .slice(0, LIMITS.segmentsPerAudio)
      .flatMap((segment) => transcriptOf(segment, chunk, { audioId, lang: lang ?? next.lang }));
    const decision = { decisionId: newId(), sequences: [], audio: [sequence] };
    // The id follows from the chunk: an append that is repeated because its result was lost stores the events once.
    await append([...transcripts, { type: "decision_made", id: `heard/${sequence}`, data: decision }]);
    const others = [...follower.fold.audio.values()].some((one) => one.hash === hash);
    if (others || bytes === null) return;
    await store.setBlobExpiry(hash, keepAudio ? NEVER : isoOf(0)).catch(ignoreGone);
  }
}

/** The expiry of audio that is kept: it is removed with its video. */
const NEVER = "9999-12-31T23:59:59.999Z";

const NOTHING: { readonly segments: readonly TranscribedSegment[]; readonly lang?: string } = {
  segments: [],
};

/** Returns `null` if the bytes were removed, because they would never arrive. */
async function bytesOf(store: Store, hash: string, signal: AbortSignal): Promise<Uint8Array | null> {
  try {
    const chunks: Uint8Array[] = [];
    for await (const chunk of (await store.openBlob(hash, { signal })).bytes) chunks.push(chunk);
    return Buffer.concat(chunks);
  } catch (error) {
    if (isContinuoError(error, "not_found")) return null;
    throw error;
  }
}

/** A transcriber's result comes from a model: its times are limited to the chunk, and its text is bounded. */
function transcriptOf(
  { text, startMs, endMs, confidence, speaker }: TranscribedSegment,
  chunk: AudioChunk,
  { audioId, lang }: { readonly audioId: string; readonly lang: string | undefined },
): readonly NewEvent[] {
  if (typeof text !== "string" || text.trim() === "") return [];
  const within = (ms: number, otherwise: number): number =>
    Math.max(chunk.startMs, Math.min(chunk.endMs, Number.isFinite(ms) ? Math.round(ms) : otherwise));
  const from = within(startMs, chunk.startMs);
  // The speaker that the page names is used first, because a transcriber can only guess it.
  const who = chunk.speaker ?? speaker;
  const isShare = typeof confidence === "number" && confidence >= 0 && confidence <= 1;
  const data = {
    text: cutText(text.trim(), LIMITS.textChars),
    mediaTimeMs: from,
    endMs: Math.max(from, within(endMs, chunk.endMs)),
    audioId,
    ...(lang === undefined ? {} : { lang: lang.slice(0, LIMITS.nameLength) }),
    ...(typeof who === "string" ? { speaker: cutText(who, LIMITS.nameLength) } : {}),
    ...(isShare ? { confidence } : {}),
    ...(chunk.videoId === undefined ? {} : { videoId: chunk.videoId }),
  };
  return [{ type: "transcript_added", data }];
}

function ignoreGone(error: unknown): void {
  if (!isContinuoError(error, "not_found")) throw error;
}
