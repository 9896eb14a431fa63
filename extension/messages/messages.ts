/**
 * Messages between the parts of the extension. Only parts of the extension can send these; values from a page's process
 * are still checked. Pure.
 */

import { cutText } from "@continuo/core/model";
import { LIMITS } from "../limits.ts";
import { isFields, isTime, type PageItem, parsePageItem } from "../sending/items.ts";
import type { SendingState } from "../sending/policy.ts";
import type { EndingSession, Video } from "../tabs/tabs.ts";
import type { Position } from "../watching/position.ts";
import type { SourceReport } from "../watching/source-report.ts";

export interface Sources {
  readonly captions: boolean;
  readonly frames: boolean;
  /** The server (`record`), the browser (`recognise`) or Whisper in the extension (`whisper`) transcribes the voice. */
  readonly microphone: "off" | "record" | "recognise" | "whisper";
  /** The person agreed that the browser sends the voice to a service of its maker. */
  readonly voiceMayLeave: boolean;
  /** The sound of the tab: if the video has no captions, or always. */
  readonly tabSound: "off" | "without-captions" | "always";
  /** The server transcribes recordings of the tab. The browser and Whisper transcribe only on this machine. */
  readonly tabTranscriber: "server" | "browser" | "whisper";
  /** The BCP 47 tag of the language of videos whose sound the browser recognises. */
  readonly filmLang: string;
  /** Text over the video that changes with it counts as captions. */
  readonly pageCaptions: boolean;
  /** The extension itself reads the text in frames. */
  readonly pictureText: boolean;
  readonly frameEveryMs: number;
  /** The BCP 47 tag of the language that the person speaks. */
  readonly lang: string;
}

export const SOURCES: Sources = {
  captions: true,
  frames: true,
  microphone: "off",
  voiceMayLeave: false,
  tabSound: "off",
  tabTranscriber: "server",
  filmLang: "",
  pageCaptions: false,
  pictureText: false,
  frameEveryMs: LIMITS.frameEveryMs,
  lang: "",
};

export const MICROPHONES: readonly Sources["microphone"][] = ["off", "record", "recognise", "whisper"];
export const TAB_TRANSCRIBERS: readonly Sources["tabTranscriber"][] = ["server", "browser", "whisper"];

export interface Server {
  readonly serverUrl: string;
  readonly token: string;
}

export interface Settings extends Server {
  /** The time of the last request for the microphone: after it, the engine tries again. */
  readonly microphoneAskedAtMs: number;
  /** The person paused the microphone; it stays paused until the button is pressed again. */
  readonly isMicrophonePaused: boolean;
  readonly sources: Sources;
}

export const SETTINGS: Settings = {
  serverUrl: "http://127.0.0.1:4747",
  token: "",
  sources: SOURCES,
  microphoneAskedAtMs: 0,
  isMicrophonePaused: false,
};

export interface SessionToOpen extends Video {
  readonly tabId: number;
  /** The iframe that has the video; 0 is the page itself. */
  readonly frameId: number;
  readonly key: string;
}

/** Everything that the engine needs to know; the worker sends it whenever it changes. */
export interface EngineConfig {
  readonly settings: Settings;
  readonly open: readonly SessionToOpen[];
  readonly ending: readonly EndingSession[];
  /** Sessions of former windows: their waiting items are sent, and they continue. */
  readonly away: readonly EndingSession[];
  readonly recording: number | null;
  /** The tab that the person looks at; `null` while another program is in front. */
  readonly frontTab: number | null;
  /**
   * The last time at which the person pressed the button or changed a permission: the sound of a tab may be allowed
   * since then.
   */
  readonly allowedAtMs: number;
}

/** The answer to a request for the sound of a tab; `unasked`: the button was not pressed in the tab. */
export type TabSoundAnswer =
  | { readonly streamId: string }
  | { readonly refusal: "no-permission" | "unasked" };

export type ToEngine =
  | { readonly to: "engine"; readonly type: "configure"; readonly config: EngineConfig }
  | { readonly to: "engine"; readonly type: "queued"; readonly key: string }
  | {
      readonly to: "engine";
      readonly type: "position";
      readonly position: Position;
      readonly report: SourceReport;
    };

export type ToWorker =
  /** Sent by a page. */
  | { readonly to: "worker"; readonly type: "hello"; readonly video: Video | null }
  | {
      readonly to: "worker";
      readonly type: "evidence";
      readonly videoId: string;
      readonly items: readonly PageItem[];
    }
  /** Sent by the engine. */
  | { readonly to: "worker"; readonly type: "ready" }
  | { readonly to: "worker"; readonly type: "ended"; readonly key: string }
  | {
      readonly to: "worker";
      readonly type: "standing";
      readonly key: string;
      readonly standing: SendingState;
    }
  | { readonly to: "worker"; readonly type: "capture"; readonly key: string }
  /** Answered with a `TabSoundAnswer`. */
  | { readonly to: "worker"; readonly type: "tab-sound"; readonly tabId: number }
  /** The session whose microphone is on. */
  | { readonly to: "worker"; readonly type: "listening"; readonly key: string | null }
  /** Sent by the side panel: the engine is needed. */
  | { readonly to: "worker"; readonly type: "wake" };

/** Sent to a page. */
export type ToPage =
  | {
      readonly to: "page";
      readonly type: "control";
      readonly isRecording: boolean;
      readonly captions: boolean;
      readonly pageCaptions: boolean;
      /** The time between two frames; `null` while no frames are captured at a rate. */
      readonly frameEveryMs: number | null;
      readonly frames: boolean;
    }
  | { readonly to: "page"; readonly type: "look" }
  /** Answered with the sites of iframes in the page that may have a video. */
  | { readonly to: "page"; readonly type: "frames" }
  /** Answered with a `CaptureResult`. */
  | {
      readonly to: "page";
      readonly type: "capture";
      /**
       * The person requested the frame, so it is captured even while frames are switched off. With `requestId`, the
       * frame answers a question.
       */
      readonly by?: "person";
      readonly requestId?: string;
    }
  | { readonly to: "page"; readonly type: "seek"; readonly mediaTimeMs: number };

/** `forbidden`: the video belongs to another site. `nothing`: there is no picture now. */
export type CaptureResult = "captured" | "forbidden" | "failed" | "nothing";

/** `stored`: the evidence is on disk. `moved`: the tab now shows another video. */
export type EvidenceAnswer = "stored" | "moved";

export function parseVideo(value: unknown): Video | null {
  if (!isFields(value)) return null;
  const { videoId, title } = value;
  if (typeof videoId !== "string" || videoId === "" || videoId.length > LIMITS.idChars) return null;
  if (!videoId.isWellFormed()) return null;
  return {
    videoId,
    title: typeof title === "string" ? cutText(title, LIMITS.titleChars) : "",
  };
}

/** Parses the origins of the iframes in a page. */
export function parseOrigins(value: unknown): readonly string[] {
  if (!Array.isArray(value)) return [];
  const origins = value
    .slice(0, LIMITS.framesPerPage)
    .flatMap((one) => (isServerUrl(one) && one.length <= LIMITS.urlChars ? [new URL(one).origin] : []));
  return [...new Set(origins)];
}

export function parseItems(value: unknown): readonly PageItem[] {
  if (!Array.isArray(value)) return [];
  return value.slice(0, LIMITS.itemsPerMessage).flatMap((one) => parsePageItem(one) ?? []);
}

export function parsePosition(value: unknown): Position | null {
  if (!isFields(value)) return null;
  const { mediaTimeMs, durationMs, playing, rate, atMs } = value;
  if (!isTime(mediaTimeMs) || !(durationMs === null || isTime(durationMs)) || !isTime(atMs)) return null;
  if (typeof playing !== "boolean" || typeof rate !== "number" || !(rate > 0 && rate <= 16)) return null;
  return { mediaTimeMs, durationMs, playing, rate, atMs };
}

export function parseSettings(value: unknown): Settings {
  if (!isFields(value)) return SETTINGS;
  const { serverUrl, token, microphoneAskedAtMs, isMicrophonePaused } = value;
  const sources = isFields(value.sources) ? value.sources : {};
  const { captions, frames, microphone, voiceMayLeave, tabSound, pageCaptions, pictureText } = sources;
  const { frameEveryMs, lang, tabTranscriber, filmLang } = sources;
  return {
    serverUrl: isServerUrl(serverUrl) ? serverUrl : SETTINGS.serverUrl,
    token: typeof token === "string" ? token : "",
    microphoneAskedAtMs: isTime(microphoneAskedAtMs) ? microphoneAskedAtMs : 0,
    isMicrophonePaused: isMicrophonePaused === true,
    sources: {
      captions: captions !== false,
      frames: frames !== false,
      microphone: MICROPHONES.find((one) => one === microphone) ?? "off",
      voiceMayLeave: voiceMayLeave === true,
      tabSound: tabSound === "without-captions" || tabSound === "always" ? tabSound : "off",
      tabTranscriber: TAB_TRANSCRIBERS.find((one) => one === tabTranscriber) ?? "server",
      filmLang: parseLang(filmLang),
      pageCaptions: pageCaptions === true,
      pictureText: pictureText === true,
      frameEveryMs: isTime(frameEveryMs)
        ? Math.max(LIMITS.shortestFrameEveryMs, frameEveryMs)
        : SOURCES.frameEveryMs,
      lang: parseLang(lang),
    },
  };
}

function parseLang(value: unknown): string {
  return typeof value === "string" && /^[\w-]{0,35}$/u.test(value) ? value : "";
}

export function isServerUrl(value: unknown): value is string {
  return typeof value === "string" && URL.canParse(value) && /^https?:$/u.test(new URL(value).protocol);
}
