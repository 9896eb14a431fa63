/**
 * A page that the person allowed: its video, captions and frames. The extension accepts no messages from the page,
 * sends it none, and adds nothing to it.
 */

import { cutText, present } from "@continuo/core/model";
import { browser } from "wxt/browser";
import { LIMITS } from "../limits.ts";
import type { CaptureResult, EvidenceAnswer, ToEngine, ToPage, ToWorker } from "../messages/messages.ts";
import { newItemId, type PageItem, type PlaybackItem } from "../sending/items.ts";
import { type Adapter, recognise } from "./adapters.ts";
import { type Cue, cueId, newWords, plainText, wholeMs } from "./captions.ts";
import { similarity } from "./colours.ts";
import { captureFrame } from "./frames.ts";
import { captionsIn, foldTexts, playerOf, type TextPlaces, textsOver } from "./page-captions.ts";
import { PageOutbox } from "./page-outbox.ts";
import { counted, givenOf, type SourceReport } from "./source-report.ts";
import { TextChanges } from "./text-changes.ts";
import { TrackWatcher } from "./tracks.ts";
import { admit, chooseVideo, look, NO_CHOICE } from "./video-choice.ts";
import { CaptionLister } from "./whole-captions.ts";

type Control = Extract<ToPage, { type: "control" }>;
type Capture = Extract<ToPage, { type: "capture" }>;

const OFF: Control = {
  to: "page",
  type: "control",
  isRecording: false,
  captions: false,
  pageCaptions: false,
  frames: false,
  frameEveryMs: null,
};

/** Classes that show that a player runs an advertisement: YouTube, Video.js, JW Player, Plyr. */
const ADVERTISEMENT = ".ad-showing, .vjs-ad-playing, .jw-flag-ads, .plyr--ad-playing";

const MOVES = ["play", "pause", "seeked", "ratechange", "durationchange"] as const;

export class PageWatcher {
  #video: HTMLVideoElement | null = null;
  #adapter: Adapter | null = null;
  #steady = NO_CHOICE;
  #control = OFF;
  #isKnown = false;
  #isAsking = false;
  #drawn = "";
  #isAd = false;
  /** The video and the title in the last `hello`, and the time from which on the page has shown another video. */
  #greeted: { readonly videoId: string | null; readonly title: string } = { videoId: null, title: "" };
  #otherSinceMs: number | null = null;
  readonly #cuesSeen = new Set<string>();
  #admitted: readonly number[] = [];
  #colours: readonly number[] = [];
  #framed = { atMs: 0, running: false };
  #positionAtMs = 0;
  /** The time of the video up to which it has played since its last stop; `null` if it has not played since. */
  #playedTo: number | null = null;
  /** True while the video is stopped. In this case a jump is reported although the video has not played since. */
  #isStopped = false;
  #texts: TextPlaces = new Map();
  #captionTimes: readonly number[] = [];
  #pictureTimes: readonly number[] = [];
  #pictures: Pick<SourceReport["pictures"], "readAtMs" | "problem"> = { readAtMs: null, problem: null };
  readonly #tracks = new TrackWatcher((cue) => this.#onCue(cue));
  readonly #changes = new TextChanges(() => this.#onChange());
  readonly #lister = new CaptionLister();
  readonly #outbox = new PageOutbox((items) => this.#store(items));
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #listeners: readonly (readonly [string, () => void])[] = [
    ...MOVES.map((type) => [type, () => this.#sendPosition()] as const),
    ["pause", () => this.#stopped(this.#video?.ended === true ? "ended" : "paused")],
    ["seeking", () => this.#stopped("moved")],
    // A video that plays for less than the time between two examinations has also played.
    ["playing", () => this.#played()],
    ["timeupdate", () => this.#played()],
  ];

  constructor() {
    this.#timer = setInterval(() => this.#look(), LIMITS.lookMs);
    browser.runtime.onMessage.addListener((message: ToPage, sender, respond) => {
      if (sender.id !== browser.runtime.id || message?.to !== "page") return;
      if (message.type === "frames") respond(sitesOfFrames());
      else if (message.type !== "capture") this.#receive(message);
      else {
        void this.#capture(message).then(respond);
        return true;
      }
      return;
    });
    this.#look();
    // A page without a video also sends `hello`, because its tab may have shown a video before.
    if (this.#steady.value === null && self === top) void this.#hello();
  }

  #receive(message: Exclude<ToPage, Capture>): void {
    switch (message.type) {
      case "control":
        // The captions up to now belong to the session that was recording.
        if (this.#control.isRecording) this.#tracks.read();
        this.#control = message;
        if (!this.#isKnown && !(message.isRecording && message.captions)) {
          this.#outbox.clear();
          this.#cuesSeen.clear();
        }
        this.#isKnown = true;
        break;
      case "look":
        void this.#hello();
        break;
      case "seek":
        if (this.#video !== null) this.#video.currentTime = message.mediaTimeMs / 1000;
    }
  }

  #look(): void {
    if (browser.runtime?.id === undefined) this.#stop();
    else this.#watch();
  }

  #watch(): void {
    const videos = Array.from(document.getElementsByTagName("video")).slice(0, LIMITS.videosPerPage);
    const chosen = videos[chooseVideo(videos.map(sizeOf))] ?? null;
    // An advertisement has its own file and times; the video continues after it.
    if (this.#isAdvertisement(chosen)) return;
    const found = chosen === null ? null : recognise(location.href, chosen.currentSrc);
    this.#steady = look(this.#steady, found?.videoId ?? null);
    const isSteady = this.#steady.value === (found?.videoId ?? null);
    if (isSteady) this.#attach(chosen, found?.adapter ?? null);
    const isUnanswered = this.#steady.value !== null && !this.#isKnown && !this.#isAsking;
    const isOther = this.#steady.value !== this.#greeted.videoId;
    this.#otherSinceMs = isOther ? (this.#otherSinceMs ?? Date.now()) : null;
    if ((isOther || isUnanswered) && !this.#hasOldTitle()) void this.#hello();
    this.#changes.follow(isSteady ? this.#drawingPlayer() : null);
    if (this.#video === null || !isSteady) return;
    this.#tracks.read();
    this.#readDrawn();
    this.#listCaptions();
    if (!this.#video.paused && Date.now() - this.#positionAtMs >= LIMITS.positionMs) this.#sendPosition();
    if (this.#isFrameDue()) void this.#capture(null);
  }

  #isAdvertisement(chosen: HTMLVideoElement | null): boolean {
    const isAd = chosen !== null && chosen === this.#video && chosen.closest(ADVERTISEMENT) !== null;
    if (isAd !== this.#isAd) {
      if (isAd) this.#stopped("paused");
      // The video continues where it was interrupted, even if the player must seek to that place.
      this.#isStopped = false;
      this.#isAd = isAd;
      this.#drawn = "";
      // The times of an advertisement are not those of the video.
      this.#tracks.jump();
      this.#sendPosition();
    }
    return isAd;
  }

  /** True while a page that moved from one video to another still has the title of the first. */
  #hasOldTitle(): boolean {
    if (this.#greeted.videoId === null || this.#steady.value === null || this.#otherSinceMs === null)
      return false;
    return titleNow() === this.#greeted.title && Date.now() - this.#otherSinceMs < LIMITS.titleMs;
  }

  #attach(video: HTMLVideoElement | null, adapter: Adapter | null): void {
    this.#adapter = adapter;
    if (video !== this.#video) {
      for (const [type, listener] of this.#listeners) {
        this.#video?.removeEventListener(type, listener);
        video?.addEventListener(type, listener);
      }
      this.#playedTo = null;
      this.#isStopped = false;
      this.#video = video;
      if (video !== null) this.#sendPosition();
    }
    this.#tracks.follow(this.#control.captions || !this.#isKnown ? video : null);
  }

  async #hello(): Promise<void> {
    const videoId = this.#steady.value;
    const title = titleNow();
    this.#greeted = { videoId, title };
    const video = videoId === null ? null : { videoId, title };
    this.#isAsking = true;
    const answer = (await send({ to: "worker", type: "hello", video })) as Control | null;
    this.#isAsking = false;
    if (answer === null || videoId !== this.#steady.value) return;
    this.#receive(answer);
    this.#outbox.flush();
    this.#sendPosition();
  }

  #onCue(cue: Cue): void {
    // Captions are kept until the worker has told whether this tab records.
    if (this.#isAd || (this.#isKnown && !(this.#control.isRecording && this.#control.captions))) return;
    const { startMs, endMs, text, lang } = cue;
    const id = cueId(cue, this.#steady.value ?? "");
    // A cue is read at each examination while it is shown, and sent only once.
    if (this.#cuesSeen.has(id)) return;
    if (this.#cuesSeen.size >= LIMITS.heardCues) this.#cuesSeen.clear();
    this.#cuesSeen.add(id);
    this.#captionTimes = counted(this.#captionTimes, Date.now());
    this.#add({
      kind: "transcript",
      id,
      mediaTimeMs: startMs,
      endMs,
      text,
      lang: /^[\w-]*$/u.test(lang) ? lang : "",
      speaker: null,
    });
  }

  #played(): void {
    const video = this.#video;
    // The times of an advertisement, which the next examination finds, are not those of the video.
    if (video === null || video.paused || video.seeking || video.closest(ADVERTISEMENT) !== null) return;
    this.#playedTo = wholeMs(video.currentTime);
  }

  /**
   * Reports a stop, which ends the open thought. A stop is reported once, even if a person seeks several times before
   * the video plays.
   */
  #stopped(state: PlaybackItem["state"]): void {
    const { isRecording } = this.#control;
    const isReported =
      state === "moved" ? this.#isStopped || this.#playedTo !== null : this.#playedTo !== null;
    const mediaTimeMs = this.#playedTo;
    this.#isStopped = state !== "moved";
    this.#playedTo = null;
    if (!isReported || this.#isAd || !this.#isKnown || !isRecording) return;
    // The last words before the stop are read first. After a jump, the video is not at the place of these words.
    if (state !== "moved") {
      this.#tracks.read();
      this.#readDrawn();
    }
    const place = mediaTimeMs ?? wholeMs(this.#video?.currentTime ?? 0);
    this.#add({ kind: "playback", id: newItemId(), state, mediaTimeMs: place });
  }

  /** Sends the captions of the whole video, if the page has them. */
  #listCaptions(): void {
    const videoId = this.#steady.value;
    const { isRecording, captions } = this.#control;
    if (videoId === null || !this.#isKnown || !isRecording || !captions) return;
    const track = this.#tracks.whole;
    if (track === null) return;
    for (const part of this.#lister.look(videoId, track)) this.#outbox.add(part);
  }

  /** The player that draws captions, or may draw some; `null` if they are not read. */
  #drawingPlayer(): Element | null {
    const isPlatform = this.#adapter?.captions !== undefined;
    const isRead = this.#control.captions || !this.#isKnown;
    const isDrawing = isPlatform || this.#readsPage();
    return this.#video === null || !isRead || !isDrawing ? null : playerOf(this.#video);
  }

  /**
   * True if text over the video is read as captions: the person switched it on, and the video has no other captions.
   */
  #readsPage(): boolean {
    return this.#control.pageCaptions && !this.#tracks.hasTrack;
  }

  /** Reads captions that have just changed: their time is the present time of the video. */
  #onChange(): void {
    // Nothing is read during an advertisement; the next examination reports it.
    if (this.#video?.closest(ADVERTISEMENT) === null) this.#readDrawn();
  }

  /** Reads captions that the platform or the page draws. */
  #readDrawn(): void {
    if (this.#video === null || !this.#control.captions) return;
    const text = this.#drawnText(this.#video);
    if (text === null) return;
    const added = newWords(this.#drawn, text);
    this.#drawn = text;
    const startMs = wholeMs(this.#video.currentTime);
    if (added !== "") this.#onCue({ startMs, endMs: startMs, text: added, lang: "" });
  }

  /** The text of the captions that the page draws; `null` if such captions are not read now. */
  #drawnText(video: HTMLVideoElement): string | null {
    const { captions } = this.#adapter ?? {};
    if (captions !== undefined) {
      const lines = Array.from(document.querySelectorAll(captions)).slice(0, 20);
      return plainText(
        lines.map(({ textContent }) => textContent?.slice(0, LIMITS.textChars) ?? "").join(" "),
      );
    }
    if (!this.#readsPage() || video.paused) return null;
    this.#texts = foldTexts(this.#texts, textsOver(video), Date.now());
    return captionsIn(this.#texts);
  }

  #add(item: PageItem): void {
    const admitted = admit(this.#admitted, Date.now(), LIMITS.captionsPerTenSeconds);
    if (admitted === null) return;
    this.#admitted = admitted;
    this.#outbox.add(item);
  }

  #isFrameDue(): boolean {
    const { isRecording, frames, frameEveryMs } = this.#control;
    const isWatched = this.#video?.paused === false && document.visibilityState === "visible";
    return (
      isRecording &&
      frames &&
      isWatched &&
      frameEveryMs !== null &&
      Date.now() - this.#framed.atMs >= frameEveryMs
    );
  }

  /**
   * Captures a frame. A frame that shows the same as the previous one is left out, unless `asked` requests it; `null`
   * means at the usual rate.
   */
  async #capture(asked: Capture | null): Promise<CaptureResult> {
    const video = this.#video;
    const { isRecording, frames } = this.#control;
    const isPerson = asked?.by === "person";
    // If a frame at the usual rate is being captured, the person's frame waits for it.
    for (let looks = 0; isPerson && this.#framed.running && looks < LIMITS.captureLooks; looks++) {
      await new Promise((resolve) => setTimeout(resolve, LIMITS.captureLookMs));
    }
    if (video === null || this.#isAd || this.#framed.running || !isRecording) return "nothing";
    if (!frames && !isPerson) return "nothing";
    this.#framed = { atMs: Date.now(), running: true };
    try {
      const frame = await captureFrame(video);
      if (video !== this.#video || frame === null) return "nothing";
      if (frame === "forbidden") {
        this.#pictures = { ...this.#pictures, problem: "forbidden" };
        return "forbidden";
      }
      this.#pictures = { readAtMs: Date.now(), problem: null };
      const isSame = similarity(frame.colours, this.#colours) >= LIMITS.sameFrame;
      if (asked === null && isSame) return "nothing";
      this.#colours = frame.colours;
      this.#pictureTimes = counted(this.#pictureTimes, Date.now());
      const { requestId } = asked ?? {};
      this.#add({ ...frame, ...(isPerson ? present({ asked: true as const, requestId }) : {}) });
      return "captured";
    } catch {
      // The panel shows the problem together with the other sources.
      this.#pictures = { ...this.#pictures, problem: "failed" };
      return "failed";
    } finally {
      this.#framed = { ...this.#framed, running: false };
    }
  }

  async #store(items: readonly PageItem[]): Promise<EvidenceAnswer | null> {
    const videoId = this.#steady.value;
    if (videoId === null || !this.#isKnown) return "moved";
    return (await send({ to: "worker", type: "evidence", videoId, items })) as EvidenceAnswer | null;
  }

  #sendPosition(): void {
    const video = this.#video;
    if (video === null) return;
    this.#positionAtMs = Date.now();
    const position = {
      mediaTimeMs: wholeMs(video.currentTime),
      durationMs: Number.isFinite(video.duration) ? wholeMs(video.duration) : null,
      playing: !video.paused && !video.ended && !this.#isAd,
      rate: Math.min(16, Math.max(0.0625, video.playbackRate)),
      atMs: this.#positionAtMs,
    };
    void browser.runtime
      .sendMessage({
        to: "engine",
        type: "position",
        position,
        report: this.#report(video),
      } satisfies ToEngine)
      .catch(() => undefined);
  }

  #report(video: HTMLVideoElement): SourceReport {
    const nowMs = Date.now();
    const drawn =
      this.#adapter?.captions === undefined ? (captionsIn(this.#texts) === "" ? null : "page") : "platform";
    return {
      captions: { ...givenOf(this.#captionTimes, nowMs), from: this.#tracks.hasTrack ? "track" : drawn },
      pictures: { ...givenOf(this.#pictureTimes, nowMs), ...this.#pictures },
      isAd: this.#isAd,
      file: /^https?:/u.test(video.currentSrc) ? video.currentSrc : null,
    };
  }

  /** Stops this script after the extension was updated or removed. */
  #stop(): void {
    clearInterval(this.#timer);
    this.#changes.close();
    this.#outbox.close();
  }
}

function titleNow(): string {
  return cutText(plainText(document.title), LIMITS.titleChars);
}

function sizeOf(video: HTMLVideoElement): Parameters<typeof chooseVideo>[0][number] {
  return {
    width: video.clientWidth,
    height: video.clientHeight,
    isPlaying: !video.paused && !video.ended,
    isReady: video.readyState >= HTMLMediaElement.HAVE_METADATA,
  };
}

/** The other sites whose iframes in this page are large enough for a video, the largest first. */
function sitesOfFrames(): readonly string[] {
  const frames = Array.from(document.getElementsByTagName("iframe")).slice(0, LIMITS.videosPerPage);
  const found = frames
    .filter(
      ({ clientWidth, clientHeight }) =>
        clientWidth >= LIMITS.frameWidth && clientHeight >= LIMITS.frameHeight,
    )
    .toSorted((a, b) => b.clientWidth * b.clientHeight - a.clientWidth * a.clientHeight)
    .flatMap(({ src }) => (URL.canParse(src) ? [new URL(src).origin] : []));
  return [...new Set(found)].filter((origin) => origin !== location.origin).slice(0, LIMITS.framesPerPage);
}

/** Sends a message to the worker and returns its answer; `null` without an answer. */
async function send(message: ToWorker): Promise<unknown> {
  try {
    return (await browser.runtime.sendMessage(message)) ?? null;
  } catch {
    return null;
  }
}
