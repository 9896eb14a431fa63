/**
 * `openLive()`: one continuous session of a page, which survives lost connections, reloads, and sessions that ended in
 * the meantime.
 */

import {
  assertKnownOptions,
  ContinuoError,
  isContinuoError,
  type KnownOptions,
  present,
} from "../../model/index.ts";
import type {
  Acknowledgement,
  BlobPointer,
  EvidenceInput,
  LiveAnswer,
  LiveOutline,
  LivePage,
  LiveServerFrame,
  LiveSession,
  LiveSessionRequest,
  Note,
  NoteOperation,
  OpenedLiveSession,
} from "../../wire/index.ts";
import { Feed } from "./feed.ts";
import { LIMITS } from "./limits.ts";
import { memoryOutbox, type Outbox, type OutboxBatch, type OutboxState } from "./outbox.ts";
import { type AudioRecording, audioPath, type StoredRecording } from "./recordings.ts";
import { Bytes, call, pathOf, type ServerAddress } from "./requests.ts";
import { Speech } from "./speech.ts";

export interface OpenLiveOptions extends ServerAddress, LiveSessionRequest {
  readonly key: string;
  /** Holds the evidence that was not acknowledged; in memory by default. */
  readonly outbox?: Outbox;
  /** Called with each frame of the server except heartbeats, such as events, levels and questions of the agent. */
  readonly onFrame?: (frame: LiveServerFrame) => void;
  /** Called with `open` when the server answered, and with `lost` when the connection broke or did not open. */
  readonly onConnection?: (connection: "open" | "lost") => void;
  /**
   * Called if the server does not accept the token, or not for this session (`unauthorized`, `forbidden`). Items that
   * wait stay in the outbox; they are sent after `useToken`, or when the server accepts the token again. Also called
   * with `unsupported` if a proxy passes no WebSockets, so that no frames come.
   */
  readonly onRefused?: (error: ContinuoError) => void;
}

const OPEN_OPTIONS: KnownOptions<OpenLiveOptions> = {
  serverUrl: true,
  token: true,
  key: true,
  videoId: true,
  title: true,
  ephemeral: true,
  lanes: true,
  noteWriter: true,
  continues: true,
  budget: true,
  outbox: true,
  onFrame: true,
  onConnection: true,
  onRefused: true,
};

interface PendingSend {
  readonly resolve: (acknowledged: Acknowledgement) => void;
  readonly reject: (error: unknown) => void;
}

interface StoredOutbox {
  readonly outbox: Outbox;
  readonly state: OutboxState;
  readonly recordings: readonly StoredRecording[];
  readonly sessionVideoId: string;
}

export class LiveClient {
  #options: OpenLiveOptions;
  readonly #outbox: Outbox;
  readonly #over = new AbortController();
  readonly #waiting = new Map<OutboxBatch, PendingSend>();
  #state: OutboxState;
  #batches: OutboxBatch[];
  #feed: Feed;
  #sending: Promise<void> | null = null;
  #adding: Promise<void> = Promise.resolve();
  readonly #speech: Speech;
  #sessionVideoId: string;
  /** Ends pauses before another try. */
  #hurry = new AbortController();
  readonly #ping: ReturnType<typeof setInterval>;

  constructor(options: OpenLiveOptions, { outbox, state, recordings, sessionVideoId }: StoredOutbox) {
    this.#options = options;
    this.#outbox = outbox;
    this.#state = state;
    this.#sessionVideoId = sessionVideoId;
    this.#batches = [...state.batches];
    this.#feed = new Feed({ ...options, onFrame: (frame) => this.#take(frame) });
    this.#ping = setInterval(() => {
      void this.#call("POST", "/ping").catch(() => undefined);
    }, LIMITS.pingMs);
    this.#speech = new Speech({
      box: outbox.recordings ?? null,
      left: recordings,
      send: (recording) => this.#sendAudio(recording),
      isKept: () => this.#over.signal.aborted,
    });
    this.#sendSoon();
  }

  /** Replaces the token, and immediately sends the waiting evidence with the new one. */
  useToken(token: string): void {
    this.#options = { ...this.#options, token };
    this.#feed.useToken(token);
    this.#sendNow();
  }

  /** It changes when the session ended and evidence came after that. */
  get sessionId(): string {
    return this.#state.sessionId;
  }

  /**
   * The video of the session; it differs from the one in the options if the key joined the session of another video.
   */
  get sessionVideoId(): string {
    return this.#sessionVideoId;
  }

  /** Batches that the server did not acknowledge yet. */
  get waiting(): number {
    return this.#batches.length;
  }

  /**
   * Keeps the evidence in the outbox and sends it, in order. Resolves when the server stored it, even after a lost
   * connection, a repair or another token. Errors: `too_large` for a full outbox, `invalid` for evidence that the
   * server refuses, `unavailable` when the client is closed.
   */
  add(...evidence: readonly EvidenceInput[]): Promise<Acknowledgement> {
    if (this.#over.signal.aborted) return Promise.reject(closed());
    if (this.#batches.length >= LIMITS.outboxBatches) {
      return Promise.reject(
        new ContinuoError("too_large", "too much evidence waits for the server", {
          details: { limit: LIMITS.outboxBatches },
        }),
      );
    }
    return new Promise((resolve, reject) => {
      this.#adding = this.#adding.then(async () => {
        const batch: OutboxBatch = { sequence: this.#state.nextSequence, evidence };
        try {
          await this.#outbox.add(batch);
        } catch (error) {
          reject(error);
          return;
        }
        this.#state = { ...this.#state, nextSequence: batch.sequence + 1 };
        this.#batches.push(batch);
        // The client was closed while the outbox stored the batch: the next client sends it.
        if (this.#over.signal.aborted) {
          reject(closed());
          return;
        }
        this.#waiting.set(batch, { resolve, reject });
        this.#sendSoon();
      });
    });
  }

  /**
   * Keeps speech in the outbox and sends it, after the recordings before it; an outbox without `recordings` keeps it in
   * the memory of the page. Resolves when the server stored it, even after a lost connection, a repair, another token,
   * and in the next session of the key. Errors: `too_large`, `invalid`, `unsupported` if the server makes no
   * transcripts, `unavailable` when the client is closed.
   */
  addAudio(recording: AudioRecording): Promise<Acknowledgement> {
    return this.#over.signal.aborted ? Promise.reject(closed()) : this.#speech.add(recording);
  }

  /** Stores a picture for a `frame_captured`, as its `full` or `thumbnail`. Errors: `too_large`, `unavailable`. */
  async addPicture(bytes: Uint8Array | Blob, mediaType: string): Promise<BlobPointer> {
    const { signal } = this.#over;
    const body = new Bytes(bytes, mediaType);
    return (await call(this.#options, "/v1/blobs", { method: "POST", body, signal })) as BlobPointer;
  }

  /** Keeps a picture that a `purge_warning` names. Errors: `not_found` for one that was removed. */
  async keep(hash: string): Promise<void> {
    await this.#call("POST", `/blobs/${encodeURIComponent(hash)}/keep`);
  }

  session(): Promise<LiveSession> {
    return this.#call("GET", "") as Promise<LiveSession>;
  }

  async notes(): Promise<readonly Note[]> {
    return ((await this.#call("GET", "/notes")) as { readonly notes: readonly Note[] }).notes;
  }

  /**
   * The page of the session; while it has none, the page of the session that it continues; `null` if neither has one.
   */
  async page(): Promise<LivePage | null> {
    return ((await this.#call("GET", "/page")) as { readonly page: LivePage | null }).page;
  }

  /** Chapters and a summary of the listed captions (`captions_listed`) of this video, and the part that was watched. */
  outline(): Promise<LiveOutline> {
    const { videoId } = this.#options;
    const isOwn = videoId === this.#sessionVideoId;
    const query = isOwn ? "" : `?videoId=${encodeURIComponent(videoId)}`;
    return this.#call("GET", `/outline${query}`) as Promise<LiveOutline>;
  }

  /** Errors: `not_found`, `conflict`, `degraded`, `log_closed`. */
  operate(noteId: string, operation: NoteOperation): Promise<Acknowledgement> {
    return this.#call("POST", `/notes/${encodeURIComponent(noteId)}`, operation) as Promise<Acknowledgement>;
  }

  /** Asks about the video. Errors: `agent_failed`. */
  ask(question: string, mediaTimeMs?: number): Promise<LiveAnswer> {
    const body = present({ question, mediaTimeMs });
    return this.#call("POST", "/ask", body) as Promise<LiveAnswer>;
  }

  /** Answers a `context_request`. */
  answer(
    requestId: string,
    answer: { readonly text: string; readonly mediaTimeMs: number },
  ): Promise<Acknowledgement> {
    return this.#call(
      "POST",
      `/context/${encodeURIComponent(requestId)}`,
      answer,
    ) as Promise<Acknowledgement>;
  }

  /** Waits until all evidence is stored, and ends the session. */
  async end(): Promise<LiveSession> {
    await this.flushed();
    return (await this.#call("DELETE", "")) as LiveSession;
  }

  /** Resolves when no evidence and no speech waits, and also when the client is closed. */
  async flushed(): Promise<void> {
    await this.#adding;
    await this.#speech.flushed();
    while (this.#batches.length > 0 && !this.#over.signal.aborted) {
      this.#sendSoon();
      await this.#sending;
    }
  }

  /** Leaves; the session continues, and the next client that opens it sends the items of the outbox. */
  close(): void {
    this.#over.abort();
    clearInterval(this.#ping);
    this.#feed.close();
    for (const { reject } of this.#waiting.values()) reject(closed());
    this.#waiting.clear();
  }

  #call(method: "GET" | "POST" | "DELETE", rest: string, body?: unknown): Promise<unknown> {
    const { signal } = this.#over;
    return call(this.#options, pathOf(this.#options.key, rest), { method, body, signal });
  }

  #take(frame: LiveServerFrame): void {
    // A repaired session accepts the evidence that it refused before.
    if (frame.type === "backpressure") this.#sendNow();
    this.#options.onFrame?.(frame);
  }

  /** Ends the pause after an error, and tries again immediately. */
  #sendNow(): void {
    this.#hurry.abort();
    this.#hurry = new AbortController();
    this.#sendSoon();
  }

  #sendSoon(): void {
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
    });
  }

  async #sendAll(): Promise<void> {
    for (let tries = 0; ; ) {
      const [batch] = this.#batches;
      if (batch === undefined || this.#over.signal.aborted) return;
      try {
        await this.#send(batch);
        tries = 0;
      } catch (error) {
        if (this.#over.signal.aborted) return;
        if (isContinuoError(error, "log_closed")) await this.#moveOn();
        else if (isRefusal(error)) {
          await this.#settle(batch, (waiting) => waiting.reject(error));
          // The number of the refused batch was not used: a producer without gaps continues.
          await this.#renumber(this.sessionId);
        } else if (isContinuoError(error, "sequence_gap")) await this.#renumber(this.sessionId);
        else await this.#pauseAfter(error, tries++);
      }
    }
  }

  async #send(batch: OutboxBatch): Promise<void> {
    const { producerId, sessionId } = this.#state;
    const body = { producerId, epoch: 0, sequence: batch.sequence, evidence: batch.evidence, sessionId };
    const acknowledged = (await this.#call("POST", "/evidence", body)) as Acknowledgement;
    await this.#settle(batch, (waiting) => waiting.resolve(acknowledged));
  }

  async #sendAudio(recording: StoredRecording): Promise<Acknowledgement> {
    // Each try uses the same id.
    const path = audioPath(recording);
    const body = new Bytes(recording.bytes, recording.mediaType);
    for (let tries = 0; ; ) {
      if (this.#over.signal.aborted) throw closed();
      try {
        return (await this.#call("POST", path, body)) as Acknowledgement;
      } catch (error) {
        if (this.#over.signal.aborted) throw closed();
        if (isRefusal(error) || isContinuoError(error, "unsupported")) throw error;
        if (isContinuoError(error, "log_closed"))
          await requestLiveSession(this.#options).catch(() => undefined);
        await this.#pauseAfter(error, tries++);
      }
    }
  }

  async #settle(batch: OutboxBatch, act: (waiting: PendingSend) => void): Promise<void> {
    await this.#outbox.remove(batch.sequence);
    this.#batches.shift();
    const waiting = this.#waiting.get(batch);
    this.#waiting.delete(batch);
    if (waiting !== undefined) act(waiting);
  }

  /** The session ended: its waiting batches are sent to the next session of the key, under a new producer. */
  async #moveOn(): Promise<void> {
    let opened: OpenedLiveSession;
    try {
      opened = await requestLiveSession(this.#options);
    } catch (error) {
      return this.#pauseAfter(error, 0);
    }
    this.#sessionVideoId = opened.videoId ?? this.#options.videoId;
    await this.#renumber(opened.sessionId);
    this.#feed.restart();
  }

  /** Numbers the waiting batches again from 0, as those of a new producer. */
  async #renumber(sessionId: string): Promise<void> {
    const moved = this.#adding.then(async () => {
      // The outbox of a closed client belongs to the next one.
      if (this.#over.signal.aborted) return;
      const batches = this.#batches.map(({ evidence }, sequence): OutboxBatch => ({ sequence, evidence }));
      const next = emptyOutboxState(sessionId, batches);
      await this.#outbox.reset(next);
      for (const [n, old] of this.#batches.entries()) {
        const waiting = this.#waiting.get(old);
        const batch = batches[n];
        this.#waiting.delete(old);
        if (waiting !== undefined && batch !== undefined) this.#waiting.set(batch, waiting);
      }
      this.#state = next;
      this.#batches = batches;
    });
    this.#adding = moved.catch(() => undefined);
    await moved.catch(() => this.#pause(0));
  }

  /** A client with a refused token tries rarely: frequent tries look like guesses. */
  #pauseAfter(error: unknown, tries: number): Promise<void> {
    if (!isContinuoError(error, "unauthorized") && !isContinuoError(error, "forbidden")) {
      return this.#pause(tries);
    }
    this.#options.onRefused?.(error);
    return this.#pause(Number.POSITIVE_INFINITY);
  }

  #pause(tries: number): Promise<void> {
    const ms = Math.min(LIMITS.longestRetryMs, LIMITS.firstRetryMs * 2 ** tries);
    const signal = AbortSignal.any([this.#over.signal, this.#hurry.signal]);
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", done);
        resolve();
      };
      const timer = setTimeout(done, ms * (0.5 + Math.random() / 2));
      signal.addEventListener("abort", done, { once: true });
      if (signal.aborted) done();
    });
  }
}

/** True for an error that another try would get again. */
function isRefusal(error: unknown): boolean {
  return isContinuoError(error, "invalid") || isContinuoError(error, "too_large");
}

function closed(): ContinuoError {
  return new ContinuoError("unavailable", "the client is closed", { hint: "Open the session again." });
}

function emptyOutboxState(sessionId: string, batches: readonly OutboxBatch[] = []): OutboxState {
  return { producerId: crypto.randomUUID(), sessionId, nextSequence: batches.length, batches };
}

async function requestLiveSession(options: OpenLiveOptions): Promise<OpenedLiveSession> {
  const { key, videoId, title, ephemeral, lanes, noteWriter, continues, budget } = options;
  const body = { videoId, title, ephemeral, lanes, noteWriter, continues, budget };
  return (await call(options, pathOf(key), { method: "PUT", body })) as OpenedLiveSession;
}

/**
 * Gets or creates the session of the key, and sends what a former client left in the outbox. Errors: `unauthorized`,
 * `forbidden`, `invalid`, `unavailable`.
 */
export async function openLive(options: OpenLiveOptions): Promise<LiveClient> {
  assertKnownOptions("openLive", options, OPEN_OPTIONS);
  assertKnownOptions("budget", options.budget ?? {}, { maxTokens: true, maxCostUsd: true });
  const outbox = options.outbox ?? memoryOutbox();
  // A server of an earlier version does not name the video.
  const { sessionId, videoId: sessionVideoId = options.videoId } = await requestLiveSession(options);
  let state = await outbox.load();
  if (state === null || (state.batches.length === 0 && state.sessionId !== sessionId)) {
    state = emptyOutboxState(sessionId);
    await outbox.reset(state);
  }
  const recordings = (await outbox.recordings?.load()) ?? [];
  return new LiveClient(options, { outbox, state, recordings, sessionVideoId });
}
