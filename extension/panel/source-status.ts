/** Makes one line for each source, which says its state and the remedy for a problem. Pure. */

import { LIMITS } from "../limits.ts";
import type { Sources } from "../messages/messages.ts";
import type { Failure } from "../sending/view.ts";
import type { MicrophoneState, MicrophoneView } from "../sources/listening.ts";
import type { TabSoundState, TabSoundView } from "../sources/tab-sound-state.ts";
import { isPlaying, type Position } from "../watching/position.ts";
import type { SourceCounts, SourceReport } from "../watching/source-report.ts";

/** `good` is only for evidence from the last 30 s; `dim` is for a source that is off, or waits as expected. */
export type Tone = "good" | "dim" | "warn" | "bad";

/** The action of a button of the status. */
export type Remedy =
  | { readonly type: "settings"; readonly label: string }
  | { readonly type: "page-captions"; readonly label: string }
  | { readonly type: "open-file"; readonly label: string; readonly url: string }
  | { readonly type: "microphone"; readonly label: string };

export interface SourceStatus {
  readonly source: "Captions" | "Pictures" | "Tab sound" | "Microphone";
  readonly tone: Tone;
  readonly text: string;
  /** A longer explanation; empty if there is none. */
  readonly hint: string;
  readonly remedy: Remedy | null;
}

export interface SourceInput {
  readonly sources: Sources;
  readonly report: SourceReport | null;
  readonly position: Position | null;
  readonly microphone: MicrophoneView;
  readonly tabSound: TabSoundView;
  /** The reason why the text in pictures is not read; `null` if it is read, or not requested. */
  readonly textFailure: Failure | null;
  readonly nowMs: number;
}

export function sourceStatuses(input: SourceInput): readonly SourceStatus[] {
  const sound = input.tabSound.state === "unavailable" ? [] : [tabSoundStatus(input)];
  const all = [captionStatus(input), pictureStatus(input), ...sound, microphoneStatus(input)];
  // One button leads to the switches of all sources that are off.
  const last = all.findLast(isOff);
  return all.map((status) => (isOff(status) && status !== last ? { ...status, remedy: null } : status));
}

function isOff({ remedy }: SourceStatus): boolean {
  return remedy?.label === SWITCH_ON.label;
}

const SETTINGS: Remedy = { type: "settings", label: "Settings" };
const SWITCH_ON: Remedy = { type: "settings", label: "Switch on" };

/** Makes the line of one source; most have neither a hint nor a remedy. */
function linesOf(source: SourceStatus["source"]) {
  return (tone: Tone, text: string, more: Partial<SourceStatus> = {}): SourceStatus => ({
    source,
    tone,
    text,
    hint: "",
    remedy: null,
    ...more,
  });
}

function captionStatus(input: SourceInput): SourceStatus {
  const { sources, report, position, nowMs } = input;
  const status = linesOf("Captions");
  if (!sources.captions) return status("dim", "off", { remedy: SWITCH_ON });
  if (report === null) return status("dim", "not seen yet");
  const { captions } = report;
  if (report.isAd) return status("dim", "an advertisement is left out");
  if (isFresh(captions, input)) return status("good", rateOf(captions));
  if (captions.from === null) {
    return sources.pageCaptions
      ? status("warn", "none found on this page", {
          hint: "Switch captions on in the player, if it has some.",
        })
      : status("warn", "this video has none", {
          hint: "If you see some, the page draws them itself.",
          remedy: { type: "page-captions", label: "Look for them" },
        });
  }
  if (!isPlaying(position, nowMs)) return status("dim", "the video is paused");
  return status("warn", `none for ${sinceOf(captions, input)}`, {
    hint: captions.from === "track" ? "" : "Switch captions on in the player.",
  });
}

function pictureStatus(input: SourceInput): SourceStatus {
  const { sources, report, position, textFailure, nowMs } = input;
  const status = linesOf("Pictures");
  if (!sources.frames) return status("dim", "off", { remedy: SWITCH_ON });
  if (report === null) return status("dim", "not seen yet");
  const { pictures, file } = report;
  if (report.isAd) return status("dim", "an advertisement is left out");
  if (pictures.problem === "forbidden") {
    return status("warn", "none, this site forbids reading them", {
      remedy: file === null ? null : { type: "open-file", label: "Open the video by itself", url: file },
    });
  }
  if (pictures.problem === "failed") {
    return status("bad", "the browser could not read one", { hint: "Load the page again." });
  }
  if (textFailure !== null) return status("warn", textFailure.message, { hint: textFailure.hint });
  if (isFresh(pictures, input)) return status("good", rateOf(pictures));
  if (!isPlaying(position, nowMs)) return status("dim", "the video is paused");
  const isRead = pictures.readAtMs !== null && nowMs - pictures.readAtMs < LIMITS.freshMs;
  if (isRead) return status("dim", `the same one for ${sinceOf(pictures, input)}`);
  return status("warn", pictures.lastAtMs === null ? "none yet" : `none for ${sinceOf(pictures, input)}`);
}

const NO_TRANSCRIBER = "Set `live.transcriber` in continuo.yaml and start the server again";

type StateLine = Pick<SourceStatus, "tone" | "text" | "hint">;

const NO_WHISPER: StateLine = {
  tone: "bad",
  text: "your server has no files of Whisper",
  hint: "Put them into the folder `whisper` beside continuo.yaml of your server.",
};

const TAB_SOUND: Readonly<Record<TabSoundState, StateLine>> = {
  unavailable: { tone: "dim", text: "this browser has none", hint: "" },
  off: { tone: "dim", text: "off", hint: "" },
  listening: { tone: "dim", text: "listening, nothing was said yet", hint: "" },
  "no-video": { tone: "dim", text: "waits for a video", hint: "" },
  "video-paused": { tone: "dim", text: "waits, the video is paused", hint: "" },
  "other-tab": { tone: "dim", text: "waits, the video is not in front", hint: "" },
  advertisement: { tone: "dim", text: "an advertisement is left out", hint: "" },
  captions: { tone: "dim", text: "not needed, the video has captions", hint: "" },
  "no-transcriber": { tone: "bad", text: "no transcriber is set up", hint: `${NO_TRANSCRIBER}.` },
  "no-language": {
    tone: "warn",
    text: "the browser does not recognise this language on this machine",
    hint: "Get the language in Settings, or let your server transcribe the sound.",
  },
  "no-whisper": NO_WHISPER,
  unasked: {
    tone: "warn",
    text: "the browser waits for you",
    hint: "Press Continuo's button in the video's tab: only then may it hear the tab.",
  },
  "no-permission": {
    tone: "warn",
    text: "the browser does not allow it",
    hint: "Save it in Settings again, and allow it when the browser asks.",
  },
  failed: { tone: "bad", text: "it does not work", hint: "" },
};

function tabSoundStatus(input: SourceInput): SourceStatus {
  const { tabSound } = input;
  const { state, failure } = tabSound;
  const { tone, text, hint } = TAB_SOUND[state];
  const status = linesOf("Tab sound");
  if (failure !== null) return status(tone, failure.message, { hint: failure.hint });
  if (state === "listening" && isFresh(tabSound, input)) return status("good", rateOf(tabSound));
  if (state === "listening" && tabSound.lastAtMs !== null) return status("dim", silenceOf(tabSound, input));
  if (state === "off") return status(tone, text, { remedy: SWITCH_ON });
  const isMended =
    state === "no-permission" ||
    state === "no-transcriber" ||
    state === "no-language" ||
    state === "no-whisper";
  return status(tone, text, { hint, remedy: isMended ? SETTINGS : null });
}

const MICROPHONE: Readonly<Record<MicrophoneState, StateLine>> = {
  off: { tone: "dim", text: "off", hint: "" },
  listening: { tone: "dim", text: "listening, nothing was said yet", hint: "" },
  paused: { tone: "dim", text: "paused by you", hint: "" },
  "no-video": { tone: "dim", text: "waits for a video", hint: "" },
  "video-paused": { tone: "dim", text: "waits, the video is paused", hint: "" },
  "other-tab": { tone: "dim", text: "waits, the video is not in front", hint: "" },
  "panel-closed": { tone: "dim", text: "waits for the panel", hint: "" },
  "no-consent": {
    tone: "warn",
    text: "needs your consent",
    hint: "The browser would send your voice to a service of its maker.",
  },
  "no-transcriber": {
    tone: "bad",
    text: "no transcriber is set up",
    hint: `${NO_TRANSCRIBER}, or let the browser recognise speech.`,
  },
  "no-whisper": NO_WHISPER,
  failed: { tone: "bad", text: "it does not work", hint: "" },
};

function microphoneStatus(input: SourceInput): SourceStatus {
  const { microphone } = input;
  const { state, failure, lastAtMs } = microphone;
  const { tone, text, hint } = MICROPHONE[state];
  const status = linesOf("Microphone");
  const remedy = remedyOf(state);
  if (failure !== null) return status(tone, failure.message, { hint: failure.hint, remedy });
  if (state !== "listening" || lastAtMs === null) return status(tone, text, { hint, remedy });
  if (isFresh(microphone, input)) return status("good", `listening, ${rateOf(microphone)}`);
  return status("dim", silenceOf(microphone, input));
}

function remedyOf(state: MicrophoneState): Remedy | null {
  if (state === "off") return SWITCH_ON;
  if (state === "no-consent" || state === "no-transcriber" || state === "no-whisper") return SETTINGS;
  return state === "failed" ? { type: "microphone", label: "Try again" } : null;
}

function isFresh({ lastAtMs }: SourceCounts, { nowMs }: Pick<SourceInput, "nowMs">): boolean {
  return lastAtMs !== null && nowMs - lastAtMs < LIMITS.freshMs;
}

function rateOf({ perMinute }: SourceCounts): string {
  return `${perMinute} a minute`;
}

function silenceOf(given: SourceCounts, input: SourceInput): string {
  return `listening, nothing was said for ${sinceOf(given, input)}`;
}

function sinceOf({ lastAtMs }: SourceCounts, { nowMs }: Pick<SourceInput, "nowMs">): string {
  if (lastAtMs === null) return "now";
  const seconds = Math.round((nowMs - lastAtMs) / 1000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}
