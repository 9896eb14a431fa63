/** Opens and ends all sessions of the browser, and answers the side panel's requests. */

import { LIMITS } from "../limits.ts";
import type { EngineConfig, SessionToOpen } from "../messages/messages.ts";
import { MICROPHONE_OFF, type MicrophoneStatus, type MicrophoneView } from "../sources/listening.ts";
import { TAB_SOUND_OFF, type TabSoundStatus, type TabSoundView } from "../sources/tab-sound-state.ts";
import type { TextQuestion } from "../sources/tesseract.ts";
import type { SpeechSegment } from "../sources/voice.ts";
import type { SpeechLabel, Whisper } from "../sources/whisper.ts";
import type { WorkerReader } from "../sources/worker-reader.ts";
import { fromBase64 } from "../watching/base64.ts";
import { mediaTimeAt, type Position } from "../watching/position.ts";
import { givenOf, type SourceReport } from "../watching/source-report.ts";
import type { Item } from "./items.ts";
import { type PanelSession, toPanelSession } from "./panel-view.ts";
import type { SendingState } from "./policy.ts";
import { type RelatedSession, relatedTo } from "./related.ts";
import { SessionSender } from "./session.ts";
import { enqueue, keysWaiting } from "./storage.ts";
import type { Failure } from "./view.ts";

/** Callbacks of the engine to the rest of the extension. */
export interface EngineHost {
  /** `null` in a browser that has no reader. */
  readonly pictureText: WorkerReader<TextQuestion> | null;
  readonly whisper: Whisper | null;
  ended(key: string): void;
  standing(key: string, standing: SendingState): void;
}

/** Facts of the engine that decide about the use of the microphone and of the sound of the tab. */
export interface ListeningFacts {
  readonly position: Position | null;
  readonly report: SourceReport | null;
  readonly frontTab: number | null;
  readonly panels: number;
  readonly hasTranscriber: boolean;
  /** True if the extension or the server has the files of Whisper. */
  readonly hasWhisper: boolean;
}

export interface EngineView {
  /** The session that records. */
  readonly session: PanelSession | null;
  /** The position of its video. */
  readonly position: Position | null;
  /** The tab of its video, and the iframe in the tab; 0 is the page itself. */
  readonly place: Pick<SessionToOpen, "tabId" | "frameId"> | null;
  /** The report of the page about its sources; `null` before its first report. */
  readonly report: SourceReport | null;
  readonly microphone: MicrophoneView;
  readonly tabSound: TabSoundView;
  /** The reason why the text of the last picture was not read; `null` if it was read, or not requested. */
  readonly textFailure: Failure | null;
  /** The keys of the sessions of all tabs. */
  readonly open: readonly string[];
  /** The session of another tab that the person may want to join; `null` if there is none. */
  readonly related: RelatedSession | null;
  /** The used share of the browser's storage for the extension. */
  readonly quota: number;
}

export class Engine {
  readonly #host: EngineHost;
  #config: EngineConfig | null = null;
  readonly #senders = new Map<string, SessionSender>();
  readonly #standings = new Map<string, SendingState>();
  /** The positions of videos; the keys name the tab and the iframe (see `placeName`). */
  readonly #positions = new Map<string, Position>();
  readonly #reports = new Map<string, SourceReport>();
  #microphone = MICROPHONE_OFF;
  #tabSound = TAB_SOUND_OFF;
  #panels = 0;
  /** Sessions that this engine ended, until the worker has recorded that. */
  readonly #ended = new Set<string>();
  /** Keys that are about to get another session. */
  readonly #moving = new Set<string>();
  readonly #watchers = new Set<() => void>();
  #quota = 0;

  constructor(host: EngineHost) {
    this.#host = host;
    setInterval(() => void this.#measure(), LIMITS.quotaEveryMs);
    addEventListener("online", () => this.#pokeAll());
  }

  get config(): EngineConfig | null {
    return this.#config;
  }

  /** Calls `changed` after each change of the view, until the returned function is called. */
  watch(changed: () => void): () => void {
    this.#watchers.add(changed);
    void this.#measure();
    return () => this.#watchers.delete(changed);
  }

  /** Returns the view with this number of the newest notes. */
  view(notes: number): EngineView {
    const { recording } = this;
    const position = this.#positionOf(recording);
    const sender = this.#senders.get(recording?.key ?? "");
    const room = { notes, durationMs: position?.durationMs ?? null };
    return {
      session: sender === undefined ? null : toPanelSession(sender.view, room),
      position,
      report: this.#reports.get(placeName(recording)) ?? null,
      microphone: { ...this.#microphone, ...givenOf(sender?.view.viewerTimes ?? [], Date.now()) },
      tabSound: { ...this.#tabSound, ...givenOf(sender?.view.filmTimes ?? [], Date.now()) },
      textFailure: this.#pictureText()?.failure ?? null,
      place: recording === null ? null : { tabId: recording.tabId, frameId: recording.frameId },
      related: this.#related(sender?.view.sessionId ?? null),
      open: (this.#config?.open ?? []).map((one) => one.key).filter((one) => this.#senders.has(one)),
      quota: this.#quota,
    };
  }

  get listening(): ListeningFacts {
    const { recording } = this;
    return {
      position: this.#positionOf(recording),
      report: this.#reports.get(placeName(recording)) ?? null,
      frontTab: this.#config?.frontTab ?? null,
      panels: this.#panels,
      hasTranscriber: this.#senders.get(recording?.key ?? "")?.view.hasTranscriber ?? true,
      hasWhisper: this.#host.whisper?.isThere === true,
    };
  }

  /** Counts a side panel as open until the result is disposed. */
  openPanel(): Disposable {
    this.#panels++;
    this.#changed();
    return {
      [Symbol.dispose]: () => {
        this.#panels--;
        this.#changed();
      },
    };
  }

  /**
   * Adds the words that Whisper recognises on this machine. Returns `null`, or the reason why the recognition failed.
   */
  async transcribe(key: string, segment: SpeechSegment, heard: SpeechLabel): Promise<Failure | null> {
    const { whisper } = this.#host;
    const item = (await whisper?.transcribe(segment, heard)) ?? null;
    if (item !== null) await this.add(key, item);
    return item === null ? (whisper?.failure ?? null) : null;
  }

  setMicrophone(status: MicrophoneStatus): void {
    const { state, failure } = this.#microphone;
    if (status.state === state && status.failure === failure) return;
    this.#microphone = status;
    this.#changed();
  }

  get tabSound(): TabSoundStatus {
    return this.#tabSound;
  }

  setTabSound(status: TabSoundStatus): void {
    const { state, failure } = this.#tabSound;
    if (status.state === state && status.failure === failure) return;
    this.#tabSound = status;
    this.#changed();
  }

  get recording(): SessionToOpen | null {
    return this.#config?.open.find(({ tabId }) => tabId === this.#config?.recording) ?? null;
  }

  sender(key: string): SessionSender | null {
    return this.#senders.get(key) ?? null;
  }

  async configure(config: EngineConfig): Promise<void> {
    const before = this.#config?.settings;
    const { serverUrl, token } = config.settings;
    this.#config = config;
    this.#host.whisper?.use(config.settings);
    if (before !== undefined && (before.serverUrl !== serverUrl || before.token !== token)) this.#closeAll();
    await this.#reconcile();
    this.#changed();
  }

  /** Returns the position of a session's video now, in milliseconds. */
  mediaTimeMs(key: string): number {
    return mediaTimeAt(this.#positionOf(this.#config?.open.find((one) => one.key === key)), Date.now());
  }

  #pictureText(): WorkerReader<TextQuestion> | null {
    return this.#config?.settings.sources.pictureText === true ? this.#host.pictureText : null;
  }

  #related(sessionId: string | null): RelatedSession | null {
    const { recording } = this;
    if (recording === null || sessionId === null) return null;
    const others = (this.#config?.open ?? []).filter(({ key }) => {
      const other = this.#senders.get(key)?.view.sessionId ?? null;
      return key !== recording.key && other !== null && other !== sessionId;
    });
    return relatedTo(recording, others);
  }

  #positionOf(open: SessionToOpen | null | undefined): Position | null {
    return this.#positions.get(placeName(open)) ?? null;
  }

  moved(
    place: Pick<SessionToOpen, "tabId" | "frameId">,
    position: Position,
    report: SourceReport | null,
  ): void {
    this.#positions.set(placeName(place), position);
    if (report !== null) this.#reports.set(placeName(place), report);
    this.#changed();
  }

  queued(key: string): void {
    this.#senders.get(key)?.poke();
  }

  /** Shows the failure of a source of a session. */
  report(key: string, error: unknown): void {
    this.#senders.get(key)?.report(error);
  }

  /** Sends nothing for the key while `act` gives the key another session, and then opens that session. */
  async moveKey(key: string, act: () => Promise<void>): Promise<void> {
    this.#moving.add(key);
    this.#senders.get(key)?.close();
    this.#senders.delete(key);
    try {
      await act();
    } finally {
      this.#moving.delete(key);
      await this.#reconcile();
      this.#changed();
    }
  }

  async add(key: string, item: Item): Promise<void> {
    await enqueue(key, [item]);
    this.queued(key);
  }

  async #reconcile(): Promise<void> {
    const config = this.#config;
    if (config === null || config.settings.token === "") return this.#closeAll();
    const waiting = new Set(config.away.length === 0 ? [] : await keysWaiting());
    if (config !== this.#config) return;
    const away = config.away.filter(({ key }) => waiting.has(key));
    for (const { key } of config.open) this.#ended.delete(key);
    const wanted = [...config.ending, ...config.open, ...away];
    for (const [key, sender] of this.#senders) {
      if (wanted.some((one) => one.key === key)) continue;
      sender.close();
      this.#senders.delete(key);
    }
    for (const { key, videoId, title } of wanted) {
      if (this.#senders.has(key) || this.#ended.has(key) || this.#moving.has(key)) continue;
      const sender = new SessionSender({
        key,
        videoId,
        title,
        server: config.settings,
        textOf: async (picture) =>
          (await this.#pictureText()?.read({ bytes: fromBase64(picture.data) })) ?? "",
        onChange: () => this.#onSender(key),
      });
      this.#senders.set(key, sender);
    }
    for (const { key } of config.ending) void this.#finish(key);
  }

  async #finish(key: string): Promise<void> {
    if (this.#ended.has(key)) return this.#host.ended(key);
    const sender = this.#senders.get(key);
    await sender?.end();
    if (sender === undefined || this.#senders.get(key) !== sender) return;
    this.#senders.delete(key);
    this.#ended.add(key);
    this.#standings.delete(key);
    this.#host.ended(key);
  }

  #onSender(key: string): void {
    const standing = this.#senders.get(key)?.view.standing;
    if (standing !== undefined && standing !== this.#standings.get(key)) {
      this.#standings.set(key, standing);
      this.#host.standing(key, standing);
    }
    this.#changed();
  }

  #pokeAll(): void {
    for (const sender of this.#senders.values()) sender.poke();
  }

  #closeAll(): void {
    for (const sender of this.#senders.values()) sender.close();
    this.#senders.clear();
    this.#standings.clear();
  }

  #changed(): void {
    for (const watcher of this.#watchers) watcher();
  }

  async #measure(): Promise<void> {
    const { usage = 0, quota = 0 } = await navigator.storage.estimate();
    this.#quota = quota === 0 ? 0 : usage / quota;
    this.#changed();
  }
}

function placeName(place: Pick<SessionToOpen, "tabId" | "frameId"> | null | undefined): string {
  return `${place?.tabId}/${place?.frameId}`;
}
