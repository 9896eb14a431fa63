/**
 * The state of the microphone. It listens only while all conditions are met, and the panel shows a condition that is
 * not. Pure.
 */

import type { SessionToOpen, Settings } from "../messages/messages.ts";
import type { Failure } from "../sending/view.ts";
import { isPlaying, type Position } from "../watching/position.ts";
import type { SourceCounts } from "../watching/source-report.ts";

export type MicrophoneState =
  | "off"
  | "listening"
  | "paused"
  | "no-video"
  | "video-paused"
  | "other-tab"
  | "panel-closed"
  | "no-consent"
  | "no-transcriber"
  | "no-whisper"
  | "failed";

export interface MicrophoneStatus {
  readonly state: MicrophoneState;
  /** The reason, if the microphone failed. */
  readonly failure: Failure | null;
}

/** Includes the speech of the last minute that the server stored. */
export interface MicrophoneView extends MicrophoneStatus, SourceCounts {}

export const MICROPHONE_OFF: MicrophoneStatus = { state: "off", failure: null };

export interface ListeningInput {
  readonly settings: Settings | null;
  readonly recording: SessionToOpen | null;
  /** The position of the recorded video. */
  readonly position: Position | null;
  /** The tab that the person looks at; `null` while another program is in front. */
  readonly frontTab: number | null;
  /** Side panels that are open. */
  readonly panels: number;
  /** True if the browser recognises speech on this machine. */
  readonly isLocal: boolean;
  readonly hasTranscriber: boolean;
  readonly hasWhisper: boolean;
  readonly nowMs: number;
}

export function microphoneState(input: ListeningInput): Exclude<MicrophoneState, "failed"> {
  const { settings, recording, position, frontTab, panels, isLocal, hasTranscriber, hasWhisper, nowMs } =
    input;
  const { microphone = "off", voiceMayLeave = false } = settings?.sources ?? {};
  if (settings === null || microphone === "off") return "off";
  if (settings.isMicrophonePaused) return "paused";
  if (microphone === "recognise" && !isLocal && !voiceMayLeave) return "no-consent";
  if (microphone === "record" && !hasTranscriber) return "no-transcriber";
  if (microphone === "whisper" && !hasWhisper) return "no-whisper";
  if (panels === 0) return "panel-closed";
  if (recording === null) return "no-video";
  if (frontTab !== recording.tabId) return "other-tab";
  return isPlaying(position, nowMs) ? "listening" : "video-paused";
}

/** Speech from before a pause of the video counts; an unfinished recording that ends in any other way is discarded. */
export function keepsUnfinished(next: MicrophoneState): boolean {
  return next === "video-paused";
}
