/** Items to send to the server: evidence, frames with pictures, and pieces of audio. Checks items from pages. Pure. */

import type { EvidenceInput, ListedCue, PlaybackInput } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";

export type ItemKind = "transcript" | "remark" | "frame" | "audio" | "voice" | "playback" | "captions";

interface Base {
  /** Stays the same when the item is sent again. */
  readonly id: string;
  readonly mediaTimeMs: number;
}

export interface TranscriptItem extends Base {
  readonly kind: "transcript";
  readonly text: string;
  readonly endMs: number;
  readonly lang: string;
  readonly speaker: string | null;
}

export interface RemarkItem extends Base {
  readonly kind: "remark";
  readonly text: string;
}

export interface Picture {
  readonly mediaType: "image/jpeg" | "image/webp" | "image/png";
  /** Base64. */
  readonly data: string;
}

export interface FrameItem extends Base {
  readonly kind: "frame";
  readonly full: Picture;
  readonly thumbnail: Picture;
  readonly colours: readonly number[];
  /** A person requested the frame; with `requestId`, the frame answers a question of the session. */
  readonly asked?: true;
  readonly requestId?: string;
}

export interface AudioItem extends Base {
  readonly kind: "audio";
  readonly endMs: number;
  readonly lang: string | null;
  /** `viewer`: the person; `film`: the sound of the tab. */
  readonly speaker: "viewer" | "film";
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

export interface VoiceItem extends Base {
  readonly kind: "voice";
  readonly activity: "speaking" | "silent";
}

/** The video was paused, moved to another place or ended, after it had played up to the time of the item. */
export interface PlaybackItem extends Base {
  readonly kind: "playback";
  readonly state: PlaybackInput["state"];
}

/** Captions of the whole video, at most `LIMITS.cuesPerItem`. */
export interface CaptionsItem extends Base {
  readonly kind: "captions";
  readonly lang: string;
  readonly cues: readonly ListedCue[];
}

export type Item =
  | TranscriptItem
  | RemarkItem
  | FrameItem
  | AudioItem
  | VoiceItem
  | PlaybackItem
  | CaptionsItem;

/** Items that a page may send. */
export type PageItem = TranscriptItem | FrameItem | PlaybackItem | CaptionsItem;

/** A random id. It does not use `crypto.randomUUID`, which pages on plain http do not have. */
export function newItemId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The count of the numbers in a colour vector. */
const COLOURS = 64;

type Fields = Readonly<Record<string, unknown>>;

/** Returns `null` if the value is not an item that a page may send. */
export function parsePageItem(value: unknown): PageItem | null {
  if (!isFields(value) || !isItemId(value.id) || !isTime(value.mediaTimeMs)) return null;
  const base = { id: value.id, mediaTimeMs: value.mediaTimeMs };
  if (value.kind === "transcript") {
    const { text, endMs, lang } = value;
    if (!isText(text) || !isTime(endMs) || endMs < base.mediaTimeMs || !isLang(lang)) return null;
    return { ...base, kind: "transcript", text, endMs, lang, speaker: null };
  }
  if (value.kind === "playback") {
    const { state } = value;
    const isKnown = state === "paused" || state === "moved" || state === "ended";
    return isKnown ? { ...base, kind: "playback", state } : null;
  }
  if (value.kind === "captions") {
    const { lang, cues } = value;
    if (!isLang(lang) || !Array.isArray(cues) || cues.length === 0) return null;
    const parsed = cues.slice(0, LIMITS.cuesPerItem).map(parseCue);
    return parsed.some((cue) => cue === null)
      ? null
      : { ...base, kind: "captions", lang, cues: parsed as readonly ListedCue[] };
  }
  if (value.kind !== "frame" || !isVector(value.colours)) return null;
  const [full, thumbnail] = [parsePicture(value.full), parsePicture(value.thumbnail)];
  if (full === null || thumbnail === null) return null;
  const { asked, requestId } = value;
  return {
    ...base,
    kind: "frame",
    full,
    thumbnail,
    colours: value.colours,
    ...(asked === true ? { asked } : {}),
    ...(isItemId(requestId) ? { requestId } : {}),
  };
}

function parseCue(value: unknown): ListedCue | null {
  if (!isFields(value)) return null;
  const { startMs, endMs, text } = value;
  return isTime(startMs) && isTime(endMs) && endMs >= startMs && isText(text)
    ? { startMs, endMs, text }
    : null;
}

/**
 * The evidence of an item. Frames and audio are uploaded instead. `otherVideo` is the video of the tab, if the tab
 * joined the session of another video.
 */
export function toEvidence(
  item: TranscriptItem | RemarkItem | VoiceItem | PlaybackItem | CaptionsItem,
  otherVideo?: string,
): EvidenceInput {
  const { id, mediaTimeMs } = item;
  const ofVideo = otherVideo === undefined ? {} : { videoId: otherVideo };
  switch (item.kind) {
    case "transcript": {
      const { text, endMs, lang, speaker } = item;
      return {
        type: "transcript_added",
        id,
        text,
        mediaTimeMs,
        endMs,
        ...(lang === "" ? {} : { lang }),
        ...(speaker === null ? {} : { speaker }),
        ...ofVideo,
      };
    }
    case "remark":
      return { type: "remark_added", id, text: item.text, mediaTimeMs, ...ofVideo };
    case "voice":
      return { type: "voice_activity", id, activity: item.activity, mediaTimeMs };
    case "playback":
      return { type: "playback_changed", id, state: item.state, mediaTimeMs, ...ofVideo };
    case "captions": {
      const { lang, cues } = item;
      return { type: "captions_listed", id, cues, ...(lang === "" ? {} : { lang }), ...ofVideo };
    }
  }
}

function parsePicture(value: unknown): Picture | null {
  if (!isFields(value)) return null;
  const { mediaType, data } = value;
  if (mediaType !== "image/jpeg" && mediaType !== "image/webp" && mediaType !== "image/png") return null;
  if (typeof data !== "string" || data.length === 0 || data.length > LIMITS.pictureChars) return null;
  return /^[\w+/]+={0,2}$/u.test(data) ? { mediaType, data } : null;
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isItemId(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= LIMITS.itemIdChars;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= LIMITS.textChars;
}

function isLang(value: unknown): value is string {
  return typeof value === "string" && /^[\w-]{0,35}$/u.test(value);
}

export function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length === COLOURS && value.every((one) => one >= 0 && one <= 1);
}
