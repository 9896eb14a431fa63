/** One continuous session: a window of its log, which grows on both sides, and the shown position in it. */

import {
  type LiveServerFrame,
  type LiveSession,
  type LiveWatch,
  watchLive,
} from "@continuo/core/client/live";
import type { ExpiringPictures, LiveHistory, LivePage, NoteHistory, WireEvent } from "@continuo/core/wire";
import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { passSecret } from "../state/pass.ts";
import { proveServer } from "../state/prove-server.ts";
import { ask, isAbort, request, ServerError, sayError, toError } from "../state/server.ts";
import {
  EMPTY_PART,
  foldNotes,
  foldWindow,
  type Item,
  type LivePart,
  type Notes,
  type NoteVersion,
  notesAfter,
  withNewer,
} from "./fold.ts";
import { livePath } from "./paths.ts";
import type { FrameItem } from "./picture.tsx";
import { hasPlace, itemsAt, shownNotes, stepFrom } from "./position.ts";

/** Events of one window. */
const WINDOW = 200;
/** Events that arrive within this time are drawn together. */
const GATHER_MS = 50;
/** The facts of the session are requested once, this long after a change. */
const FACTS_MS = 500;
/** If the page missed more events than this, it reads the end again instead of all of them. */
const MOST_MISSED = 1_000;
const AGAIN_MS = 2_000;

/** The place to which the timeline scrolls. */
export type Goal = { readonly to: "end" } | { readonly to: "line"; readonly name: string };

export class LiveState {
  readonly key: string;
  readonly session: Signal<LiveSession | null> = signal(null);
  readonly part: Signal<LivePart> = signal(EMPTY_PART);
  /** The newest event of the log that the page knows. */
  readonly latest: Signal<number> = signal(0);
  /** The shown position of the log; `null` is the end. */
  readonly at: Signal<number | null> = signal(null);
  /** The id of the chosen item of the timeline, or of the chosen note. */
  readonly chosen: Signal<string | null> = signal(null);
  readonly goal: Signal<Goal | null> = signal(null);
  readonly connection: Signal<"connecting" | "open" | "lost" | "over"> = signal("connecting");
  readonly failure: Signal<string | null> = signal(null);
  /** Counts the changes of the page of the session. */
  readonly pageChanges: Signal<number> = signal(0);
  /** Counts the changes of the pictures that will soon be removed. */
  readonly expiringChanges: Signal<number> = signal(0);
  /** True when the first window was loaded. */
  readonly isReady: Signal<boolean> = signal(false);
  readonly items: ReadonlySignal<readonly Item[]>;
  readonly itemById: ReadonlySignal<ReadonlyMap<string, Item>>;
  /** The loaded frames that have a picture. */
  readonly frames: ReadonlySignal<readonly FrameItem[]>;
  readonly notes: ReadonlySignal<readonly NoteVersion[]>;
  /** The notes as they are at the end of the log, even if the loaded part ends before it. */
  readonly #newest: Signal<Notes> = signal(new Map());
  /** The notes as they are at the shown position, while the loaded part does not include this position. */
  readonly #kept: Signal<Notes> = signal(new Map());
  readonly #over = new AbortController();
  #sessionId: string | null = null;
  #watching: LiveWatch | null = null;
  #isLoading = false;
  /** Counts the jumps of the reader. */
  #moves = 0;
  #gathered: WireEvent[] = [];
  /** The newest events, which may be missing in a window that was requested before they arrived. */
  #recent: readonly WireEvent[] = [];
  /** The sequence after which these events are complete. */
  #recentFrom = 0;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #asking: ReturnType<typeof setTimeout> | undefined;
  #joining: ReturnType<typeof setTimeout> | undefined;

  constructor(key: string) {
    this.key = key;
    this.items = computed(() => itemsAt(this.part.value, this.at.value));
    this.itemById = computed(() => new Map(this.part.value.items.map((item) => [item.id, item])));
    this.frames = computed(() =>
      this.part.value.items.flatMap((item) => (item.type === "frame" && item.picture !== null ? [item] : [])),
    );
    this.notes = computed(() => shownNotes(this.#notesAt(this.at.value)));
  }

  /** True if the newest events are shown, and later ones will be shown too. */
  get isAtEnd(): boolean {
    return this.at.value === null && !this.part.value.hasNewer;
  }

  /** Shows the session and follows its log; the returned function ends this. */
  follow(at: number | null): () => void {
    void this.#askFacts();
    void this.#join(at);
    return () => {
      this.#over.abort();
      for (const timer of [this.#drawing, this.#asking, this.#joining]) clearTimeout(timer);
      this.#watching?.close();
    };
  }

  /** Shows the session as it was at a position, or with `null` its end. */
  async goTo(at: number | null): Promise<void> {
    if (!this.isReady.value) return;
    const move = ++this.#moves;
    const part = this.part.value;
    const isLoaded = at === null ? !part.hasNewer : hasPlace(part, at);
    const other = isLoaded ? null : await this.#readPart(at === null ? "" : `&around=sequence:${at}`);
    if (move !== this.#moves || (other === null && !isLoaded)) return;
    batch(() => {
      this.at.value = at;
      if (other !== null) this.#show(this.#withRecent(other));
      this.goal.value = { to: "end" };
    });
  }

  /** Moves one line forward or back, also beyond the loaded part. */
  async step(by: 1 | -1): Promise<void> {
    const at = this.at.value;
    if (at !== null && !hasPlace(this.part.value, at)) await this.goTo(at);
    const next = stepFrom(this.part.value, this.at.value, by);
    if (next === "older" || next === "newer") {
      const before = this.part.value;
      if (next === "older") await this.loadOlder();
      else if (at === null) await this.goTo(null);
      else await this.loadNewer();
      if (this.part.value !== before && at === this.at.value) await this.step(by);
    } else if (next !== at) await this.goTo(next);
  }

  async loadOlder(): Promise<void> {
    const { from, hasOlder } = this.part.value;
    if (hasOlder) await this.#grow(`notes=changed&before=${from + 1}`, "older");
  }

  async loadNewer(): Promise<void> {
    const { to, hasNewer } = this.part.value;
    if (hasNewer) await this.#grow(`after=${to}`, "newer");
  }

  /** Chooses a line of the timeline by the id of its event, and loads the part around it if necessary. */
  async showEvent(id: string): Promise<void> {
    if (!this.itemById.value.has(id)) {
      const move = ++this.#moves;
      const other = await this.#readPart(`&around=${encodeURIComponent(id)}`);
      if (other === null || move !== this.#moves) return;
      this.#show(this.#withRecent(other));
    }
    batch(() => {
      this.chosen.value = id;
      this.goal.value = { to: "line", name: id };
    });
  }

  /** The versions of a note up to this one, and the notes from which it was made; `null` if they cannot be read. */
  async historyOf({ noteId, sequence }: NoteVersion): Promise<NoteHistory | null> {
    const path = livePath(this.key, `/notes/${encodeURIComponent(noteId)}/history?at=${sequence}`);
    return await this.#guarded(() => ask<NoteHistory>(path, { signal: this.#over.signal }));
  }

  /** The present page of the session; `null` if there is none yet, or if it cannot be read. */
  async readPage(): Promise<LivePage | null> {
    const path = livePath(this.key, "/page");
    const signal = this.#over.signal;
    return (
      (await this.#guarded(() => ask<{ readonly page: LivePage | null }>(path, { signal })))?.page ?? null
    );
  }

  /** The pictures that are removed within a day; `null` if they cannot be read. */
  async readExpiring(): Promise<ExpiringPictures | null> {
    const signal = this.#over.signal;
    return await this.#guarded(() => ask<ExpiringPictures>(livePath(this.key, "/expiring"), { signal }));
  }

  /** Keeps pictures beyond their time. */
  async keep(hashes: readonly string[]): Promise<void> {
    await this.#guarded(async () => {
      for (const hash of hashes) {
        const path = livePath(this.key, `/blobs/${encodeURIComponent(hash)}/keep`);
        // A server accepts no change whose content type is not JSON.
        const headers = { "content-type": "application/json" };
        const response = await request(path, { method: "POST", body: "{}", headers });
        if (!response.ok) throw await toError(response);
      }
      this.expiringChanges.value += 1;
    });
  }

  #notesAt(at: number | null): Notes {
    if (at === null) return this.#newest.value;
    return hasPlace(this.part.value, at) ? notesAfter(this.part.value, at) : this.#kept.value;
  }

  /** The notes of the shown position stay, even if another part is loaded. */
  #show(part: LivePart): void {
    const at = this.at.value;
    if (at !== null && !hasPlace(part, at) && hasPlace(this.part.value, at))
      this.#kept.value = notesAfter(this.part.value, at);
    if (!part.hasNewer) this.#newest.value = notesAfter(part, null);
    this.part.value = part;
  }

  async #grow(query: string, place: "older" | "newer"): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    const window = await this.#read(query);
    this.#isLoading = false;
    if (window === null) return;
    batch(() => this.#show(this.#withRecent(foldWindow(this.part.value, window, place))));
  }

  /** Adds events that arrived after the window was read. */
  #withRecent(part: LivePart): LivePart {
    if (part.hasNewer) return part;
    if (part.to < this.#recentFrom) return { ...part, hasNewer: true };
    const fresh = this.#recent.filter(({ sequence }) => sequence > part.to);
    const last = fresh.at(-1);
    return last === undefined ? part : withNewer(part, fresh, { to: last.sequence, hasNewer: false });
  }

  /** Reads another part, which replaces the present one; `null` if it cannot be read. */
  async #readPart(place: string): Promise<LivePart | null> {
    const window = await this.#read(`notes=all${place}`);
    return window === null ? null : foldWindow(EMPTY_PART, window, "instead");
  }

  async #read(query: string): Promise<LiveHistory | null> {
    const path = livePath(this.key, `/history?limit=${WINDOW}&${query}`);
    const window = await this.#guarded(() => ask<LiveHistory>(path, { signal: this.#over.signal }));
    if (window === null) return null;
    if (this.#sessionId !== null && window.sessionId !== this.#sessionId) {
      this.#joinAnew();
      return null;
    }
    this.latest.value = Math.max(this.latest.value, window.latestSequence);
    return window;
  }

  async #guarded<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      const result = await work();
      this.failure.value = null;
      return result;
    } catch (error) {
      if (!isAbort(error)) this.failure.value = sayError(error);
      return null;
    }
  }

  /** Reads the end, or the part around a position, and follows the log. */
  async #join(at: number | null): Promise<void> {
    const place = at === null ? "" : `&around=sequence:${at}`;
    const path = livePath(this.key, `/history?limit=${WINDOW}&notes=all${place}`);
    try {
      const window = await ask<LiveHistory>(path, { signal: this.#over.signal });
      batch(() => {
        this.failure.value = null;
        this.#sessionId = window.sessionId;
        this.latest.value = window.latestSequence;
        this.#recent = [];
        this.#recentFrom = window.latestSequence;
        this.at.value = at;
        this.#show(foldWindow(EMPTY_PART, window, "instead"));
        this.isReady.value = true;
        this.goal.value = { to: "end" };
      });
      if (!this.#over.signal.aborted) this.#watch(window);
    } catch (error) {
      if (this.#over.signal.aborted) return;
      this.isReady.value = true;
      const code = error instanceof ServerError ? error.code : "";
      // The link names a place that the session of this key does not have.
      if (code === "out_of_range" && at !== null) return await this.#join(null);
      this.failure.value = sayError(error);
      if (END_CODES.includes(code)) this.connection.value = "over";
      else this.#joining = setTimeout(() => void this.#join(at), AGAIN_MS);
    }
  }

  #watch({ sessionId, latestSequence: after }: LiveHistory): void {
    const watching = watchLive({
      serverUrl: location.origin,
      token: passSecret(),
      key: this.key,
      sessionId,
      after,
      onFrame: (frame) => {
        if (watching === this.#watching) this.#take(frame);
      },
      onConnection: (connection) => {
        if (connection === "open") void proveServer();
        if (watching === this.#watching && this.connection.value !== "over")
          this.connection.value = connection;
      },
      onRefused: (error) => {
        this.failure.value = sayError(error);
      },
    });
    this.#watching = watching;
  }

  /** Joins again, for a new session of the key and after a long absence. */
  #joinAnew(): void {
    this.#watching?.close();
    this.#watching = null;
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    this.#gathered = [];
    this.#moves += 1;
    this.#askSoon();
    void this.#join(null);
  }

  #take(frame: LiveServerFrame): void {
    switch (frame.type) {
      case "hello": {
        const isFar = frame.latestSequence - this.latest.value > MOST_MISSED;
        if (frame.sessionId !== this.#sessionId || isFar) this.#joinAnew();
        return;
      }
      case "event":
        this.#gathered.push(frame.event);
        this.#drawing ??= setTimeout(() => this.#draw(), GATHER_MS);
        if (frame.event.type === "session_state_changed") this.#askSoon();
        if (frame.event.type.startsWith("page_")) this.pageChanges.value += 1;
        return;
      case "ready":
        this.#draw();
        return;
      case "purge_warning":
        this.expiringChanges.value += 1;
        return;
      case "backpressure":
      case "degraded":
        this.#askSoon();
        return;
      case "error":
        this.#draw();
        // The end of a session is not a failure.
        if (frame.error.code !== "log_closed") this.failure.value = frame.error.message;
        if (END_CODES.includes(frame.error.code)) {
          this.connection.value = "over";
          this.#watching?.close();
        }
        return;
      default:
        return;
    }
  }

  #draw(): void {
    clearTimeout(this.#drawing);
    this.#drawing = undefined;
    const known = this.#recent.at(-1)?.sequence ?? this.#recentFrom;
    const events = this.#gathered.filter(({ sequence }) => sequence > known);
    this.#gathered = [];
    const last = events.at(-1)?.sequence;
    if (last === undefined) return;
    this.#recent = [...this.#recent, ...events];
    batch(() => {
      this.latest.value = Math.max(this.latest.value, last);
      this.#newest.value = foldNotes(this.#newest.value, events);
      this.#show(this.#withRecent(this.part.value));
    });
    const left = this.#recent.slice(0, -MOST_MISSED).at(-1);
    if (left === undefined) return;
    this.#recentFrom = left.sequence;
    this.#recent = this.#recent.slice(-MOST_MISSED);
  }

  #askSoon(): void {
    this.#asking ??= setTimeout(() => {
      this.#asking = undefined;
      void this.#askFacts();
    }, FACTS_MS);
  }

  async #askFacts(): Promise<void> {
    const path = livePath(this.key);
    const session = await this.#guarded(() => ask<LiveSession>(path, { signal: this.#over.signal }));
    if (session !== null) this.session.value = session;
  }
}

const END_CODES: readonly string[] = ["log_closed", "not_found", "forbidden", "unauthorized"];
