/** One session of the server, from the browser's side: sends the waiting items in order, and shows what happens. */

import {
  type BlobPointer,
  type LiveClient,
  type LiveServerFrame,
  openLive,
} from "@continuo/core/client/live";
import { isContinuoError, present } from "@continuo/core/model";
import { LIMITS } from "../limits.ts";
import type { Server } from "../messages/messages.ts";
import type { Video } from "../tabs/tabs.ts";
import { fromBase64 } from "../watching/base64.ts";
import { COLOURS_VERSION } from "../watching/colours.ts";
import { type FrameItem, type Picture, toEvidence } from "./items.ts";
import { frameRoom } from "./policy.ts";
import {
  countWaiting,
  forget,
  nextItems,
  outboxOf,
  removeItems,
  type StoredItem,
  trimFrames,
  waitingRemarks,
} from "./storage.ts";
import {
  changesNotes,
  changesPage,
  type Failure,
  foldFrame,
  newView,
  type Remark,
  type SessionView,
} from "./view.ts";

export interface SessionOptions extends Video {
  readonly key: string;
  readonly server: Server;
  /** The text in a picture; empty if it has none, or if it was not requested. It never fails. */
  readonly textOf: (picture: Picture) => Promise<string>;
  readonly onChange: () => void;
}

export class SessionSender {
  readonly #options: SessionOptions;
  readonly #over = new AbortController();
  #view: SessionView;
  #client: LiveClient | null = null;
  #wake: () => void = () => undefined;
  #isWoken = false;
  #purpose: "record" | "end" = "record";
  /** The time at which the last part of the captions of the whole video was stored. */
  #listedAtMs = 0;
  readonly #refreshSoon = oneAtATime(() => this.#refresh());
  readonly #outlineSoon = oneAtATime(() => this.#readOutline());
  readonly #pageSoon = oneAtATime(() => this.#readPage());
  readonly #trimSoon = oneAtATime(() => this.#trim().catch((error: unknown) => this.#fail(error)));
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#view = newView(options);
    void this.#run().catch((error: unknown) => this.#fail(error));
    void waitingRemarks(options.key).then(
      (remarks) => this.remarked(...remarks),
      (error: unknown) => this.#fail(error),
    );
  }

  get view(): SessionView {
    return this.#view;
  }

  /** `null` until the server answered. */
  get client(): LiveClient | null {
    return this.#client;
  }

  /** Shows a failure from outside the session. */
  report(error: unknown): void {
    this.#fail(error);
  }

  /** Removes the warning about a picture, because the server keeps it. */
  kept(hash: string): void {
    this.#set({ purges: this.#view.purges.filter((one) => one.hash !== hash) });
  }

  /** Shows a person's remark before it is sent. */
  remarked(...remarks: readonly Remark[]): void {
    const known = new Set([...this.#view.remarks, ...this.#view.evidence].map(({ id }) => id));
    const fresh = remarks.filter(({ id }) => !known.has(id));
    if (fresh.length > 0) this.#set({ remarks: [...this.#view.remarks, ...fresh] });
  }

  /**
   * Called when an item waits, or may be sent now. Frames are dropped to make room even while a batch takes a long
   * time.
   */
  poke(): void {
    this.#isWoken = true;
    this.#wake();
    this.#trimSoon();
  }

  /** Sends the waiting items, and removes the tab from the session, which ends with its last tab. */
  end(): Promise<void> {
    this.#purpose = "end";
    this.poke();
    return this.#ended.promise;
  }

  /** Leaves without ending the session. */
  close(): void {
    this.#over.abort();
    this.#client?.close();
    this.#wake();
  }

  async #run(): Promise<void> {
    const client = await this.#open();
    while (client !== null && !this.#over.signal.aborted) {
      const items = await this.#next();
      if (items.length > 0) await this.#send(client, items);
      else if (this.#purpose === "end" && this.#view.waiting === 0) return await this.#end(client);
      else await this.#sleep();
    }
  }

  /** Tries until the server answers. */
  async #open(): Promise<LiveClient | null> {
    const { key, videoId, title, server } = this.#options;
    for (let tries = 0; !this.#over.signal.aborted; tries++) {
      try {
        const client = await openLive({
          // The stored settings have more fields than the client knows.
          serverUrl: server.serverUrl,
          token: server.token,
          key,
          videoId,
          title,
          continues: "video",
          outbox: outboxOf(key),
          onFrame: (frame) => this.#take(frame),
          onConnection: (connection) => this.#connected(connection),
          onRefused: (error) => this.#fail(error),
        });
        this.#client = client;
        this.#set({ sessionId: client.sessionId, failure: null });
        // Items that the previous engine had begun to send come first.
        await client.flushed();
        return client;
      } catch (error) {
        this.#fail(error);
        await this.#trim();
        await this.#sleep(Math.min(LIMITS.longestRetryMs, LIMITS.firstRetryMs * 2 ** tries));
      }
    }
    return null;
  }

  async #next(): Promise<readonly StoredItem[]> {
    const items = await nextItems(this.#options.key, this.#view.standing);
    await this.#trim();
    return items;
  }

  async #trim(): Promise<void> {
    if (this.#over.signal.aborted) return;
    const { key } = this.#options;
    const waiting = await countWaiting(key);
    const removed = waiting > frameRoom(this.#view.standing) ? await trimFrames(key, this.#view.standing) : 0;
    const framesLeftOut = this.#view.framesLeftOut + removed;
    if (waiting - removed !== this.#view.waiting || removed > 0) {
      this.#set({ waiting: waiting - removed, framesLeftOut });
    }
  }

  async #send(client: LiveClient, stored: readonly StoredItem[]): Promise<void> {
    try {
      const [first] = stored;
      const { videoId } = this.#options;
      const otherVideo = client.sessionVideoId === videoId ? undefined : videoId;
      if (first?.item.kind === "audio") {
        const { mediaTimeMs, lang, speaker, id, bytes, mediaType, endMs } = first.item;
        const recording = { id, bytes, mediaType, speaker, startMs: mediaTimeMs, endMs };
        await client.addAudio({ ...recording, ...present({ lang: lang ?? undefined, videoId: otherVideo }) });
        if (!this.#view.hasTranscriber) this.#set({ hasTranscriber: true });
        await removeItems([first.order]);
      } else if (first?.item.kind === "frame") await this.#sendFrame(client, first.item, otherVideo);
      else {
        const evidence = stored.flatMap(({ item }) =>
          item.kind === "audio" || item.kind === "frame" ? [] : [toEvidence(item, otherVideo)],
        );
        await client.add(...evidence);
        if (first?.kind === "captions") {
          this.#listedAtMs = Date.now();
          this.#outlineSoon();
        }
      }
      if (this.#view.failure !== null) this.#set({ failure: null });
    } catch (error) {
      await this.#notSent(stored, error);
    }
  }

  async #sendFrame(
    client: LiveClient,
    { id, mediaTimeMs, full, thumbnail, colours, asked, requestId }: FrameItem,
    videoId: string | undefined,
  ): Promise<void> {
    const upload = ({ data, mediaType }: Picture): Promise<BlobPointer> =>
      client.addPicture(fromBase64(data), mediaType);
    // If many frames wait, their texts are not read.
    const isLate = this.#view.waiting > LIMITS.readTextWaiting;
    const text = isLate ? "" : await this.#options.textOf(full);
    const pointers = { full: await upload(full), thumbnail: await upload(thumbnail) };
    const seen = { embedding: colours, embeddingVersion: COLOURS_VERSION };
    const more = present({ asked, requestId, videoId, description: text === "" ? undefined : text });
    await client.add({ type: "frame_captured", id, mediaTimeMs, ...pointers, ...seen, ...more });
  }

  async #notSent(stored: readonly StoredItem[], error: unknown): Promise<void> {
    if (this.#over.signal.aborted) return;
    const isAudio = stored[0]?.item.kind === "audio";
    // A missing transcriber has its own status, with its own remedy.
    if (isAudio && isContinuoError(error, "unsupported")) this.#set({ hasTranscriber: false });
    else this.#fail(error);
    const isUseless = ["invalid", "too_large", "unsupported"].some((code) =>
      isContinuoError(error, code as "invalid"),
    );
    if (isUseless) {
      const refused = new Set(stored.map(({ item }) => item.id));
      this.#set({ remarks: this.#view.remarks.filter(({ id }) => !refused.has(id)) });
      return await removeItems(stored.map(({ order }) => order));
    }
    await this.#sleep(LIMITS.longestRetryMs);
  }

  async #end(client: LiveClient): Promise<void> {
    for (;;) {
      try {
        await client.end();
        break;
      } catch (error) {
        if (this.#over.signal.aborted) return;
        if (isContinuoError(error, "log_closed") || isContinuoError(error, "not_found")) break;
        this.#fail(error);
        await this.#sleep(LIMITS.longestRetryMs);
      }
    }
    await forget(this.#options.key);
    this.close();
    this.#ended.resolve();
  }

  #take(frame: LiveServerFrame): void {
    const before = this.#view.standing;
    this.#set(foldFrame(this.#view, frame));
    if (this.#view.standing !== before) this.poke();
    if (frame.type === "error" && frame.error.code !== "log_closed") {
      this.#set({ failure: { message: frame.error.message, hint: frame.error.hint ?? "" } });
    }
    if (changesNotes(frame)) this.#refreshSoon();
    if (changesPage(frame)) this.#pageSoon();
    const isHeard = frame.type === "event" && frame.event.type === "transcript_added";
    if (frame.type === "ready" || (isHeard && (this.#view.outline?.cues ?? 0) > 0)) this.#outlineSoon();
  }

  #connected(connection: "open" | "lost"): void {
    const { standing } = this.#view;
    this.#set({ standing: { ...standing, connection: connection === "open" ? "open" : "offline" } });
    this.poke();
  }

  /** Reads notes, cost and health again. */
  async #refresh(): Promise<void> {
    try {
      const [notes, session] = await Promise.all([this.#client?.notes(), this.#client?.session()]);
      this.#set({ notes: (notes ?? []).slice(-LIMITS.shownNotes), session: session ?? null });
    } catch (error) {
      this.#fail(error);
    }
    await this.#pause(LIMITS.viewEveryMs);
  }

  async #readPage(): Promise<void> {
    try {
      this.#set({ page: (await this.#client?.page()) ?? null });
    } catch (error) {
      // A server of an earlier version has no pages of sessions.
      if (!isContinuoError(error, "not_found")) this.#fail(error);
    }
    await this.#pause(LIMITS.viewEveryMs);
  }

  /** Reads the chapters again, with the watched part. */
  async #readOutline(): Promise<void> {
    try {
      this.#set({ outline: (await this.#client?.outline()) ?? null });
    } catch (error) {
      // A server of an earlier version makes no outlines.
      if (!isContinuoError(error, "not_found")) this.#fail(error);
    }
    // A long list comes in parts, so the outline is read again soon.
    const isComing = Date.now() - this.#listedAtMs < LIMITS.outlineEveryMs;
    const isThere = (this.#view.outline?.cues ?? 0) > 0;
    await this.#pause(isThere && !isComing ? LIMITS.outlineEveryMs : LIMITS.outlineSoonMs);
  }

  #fail(error: unknown): void {
    if (this.#over.signal.aborted) return;
    this.#set({ failure: failureOf(error) });
  }

  #set(part: Partial<SessionView>): void {
    this.#view = { ...this.#view, ...part };
    this.#options.onChange();
  }

  /** Waits until something may be sent, at most for this time. */
  async #sleep(ms?: number): Promise<void> {
    if (this.#over.signal.aborted) return;
    await new Promise<void>((resolve) => {
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#isWoken && ms === undefined) this.#wake();
    });
    this.#isWoken = false;
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, ms));
  }
}

/** Calls during a run of `act` cause one more run after it, however many they are. */
function oneAtATime(act: () => Promise<void>): () => void {
  let state: "idle" | "running" | "again" = "idle";
  const run = async (): Promise<void> => {
    do {
      state = "running";
      await act();
    } while ((state as string) === "again");
    state = "idle";
  };
  return () => {
    if (state === "idle") void run();
    else state = "again";
  };
}

export function failureOf(error: unknown): Failure {
  if (error instanceof DOMException && error.name === "NotAllowedError") {
    return { message: "the browser does not allow the microphone", hint: "Allow it for this extension." };
  }
  if (isContinuoError(error, "unauthorized")) {
    return {
      message: "the server does not know the token of this extension",
      hint: "It has expired, was revoked, or is of another server.",
      isAccess: true,
    };
  }
  if (error instanceof DOMException && error.name === "NotFoundError") {
    return {
      message: "there is no microphone",
      hint: "Plug one in, or choose it in the settings of the browser.",
    };
  }
  // The message of the server would name the note by its id.
  if (isContinuoError(error, "conflict") && error.details.noteId !== undefined) {
    return {
      message: "somebody else changed this note meanwhile",
      hint: "Your text is still in the editor: the other one appears below it.",
    };
  }
  if (!isContinuoError(error)) return { message: "something went wrong in the browser", hint: String(error) };
  return { message: error.message, hint: error.hint ?? "" };
}
