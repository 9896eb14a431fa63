/**
 * The conditions for recording the sound of the tab: the person switched it on, and no captions have the same words.
 * Pure.
 */

import { LIMITS } from "../limits.ts";
import type { SessionToOpen, Settings } from "../messages/messages.ts";
import type { Failure } from "../sending/view.ts";
import { isPlaying, type Position } from "../watching/position.ts";
import type { SourceCounts, SourceReport } from "../watching/source-report.ts";

export type TabSoundState =
  /** The browser cannot give the sound of a tab. */
  | "unavailable"
  | "off"
  | "listening"
  | "no-video"
  | "video-paused"
  | "other-tab"
  | "advertisement"
  | "captions"
  | "no-transcriber"
  /** The browser should recognise the language on this machine, and cannot. */
  | "no-language"
  | "no-whisper"
  /** The browser allows it only after the button was pressed in the tab. */
  | "unasked"
  | "no-permission"
  | "failed";

export interface TabSoundStatus {
  readonly state: TabSoundState;
  /** The reason, if the recording failed. */
  readonly failure: Failure | null;
}

export const TAB_SOUND_OFF: TabSoundStatus = { state: "off", failure: null };

/** Includes the speech of the last minute that the server stored. */
export interface TabSoundView extends TabSoundStatus, SourceCounts {}

export interface TabSoundInput {
  readonly settings: Settings | null;
  readonly recording: SessionToOpen | null;
  /** The position of the recorded video, and the report of its page. */
  readonly position: Position | null;
  readonly report: SourceReport | null;
  /** The tab that the person looks at; `null` while another program is in front. */
  readonly frontTab: number | null;
  readonly hasTranscriber: boolean;
  readonly hasWhisper: boolean;
  /** True if the browser recognises the language of the videos on this machine. */
  readonly isLocal: boolean;
  readonly nowMs: number;
}

/** The states that follow from conditions that a person can see. */
export type TabSoundChoice = Exclude<TabSoundState, "unavailable" | "unasked" | "no-permission" | "failed">;

export function tabSoundState(input: TabSoundInput): TabSoundChoice {
  const { settings, recording, position, report, frontTab, hasTranscriber, hasWhisper, isLocal, nowMs } =
    input;
  if (settings === null || settings.sources.tabSound === "off") return "off";
  const { tabTranscriber } = settings.sources;
  if (tabTranscriber === "browser" && !isLocal) return "no-language";
  if (tabTranscriber === "whisper" && !hasWhisper) return "no-whisper";
  if (tabTranscriber === "server" && !hasTranscriber) return "no-transcriber";
  if (recording === null || report === null) return "no-video";
  if (settings.sources.tabSound !== "always" && hasCaptions(input)) return "captions";
  if (report.isAd) return "advertisement";
  // A person who uses another program still watches, but a person who looks at another tab does not.
  if (frontTab !== null && frontTab !== recording.tabId) return "other-tab";
  return isPlaying(position, nowMs) ? "listening" : "video-paused";
}

/**
 * A text track counts from the start. The caption element of a platform also exists without captions, so only its shown
 * text counts.
 */
function hasCaptions({ settings, report, nowMs }: TabSoundInput): boolean {
  if (report === null || settings?.sources.captions !== true) return false;
  const { from, lastAtMs } = report.captions;
  return from === "track" || (lastAtMs !== null && nowMs - lastAtMs < LIMITS.freshMs);
}

/** True if the speech before the change counts: the video was paused, or another tab came to the front. */
export function keepsUnfinishedSound(next: TabSoundState): boolean {
  return next === "video-paused" || next === "other-tab";
}
