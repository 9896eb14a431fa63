/** Decides, by the state of the server, which items are sent, which wait, and which are dropped to make room. Pure. */

import type { Level } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import type { ItemKind } from "./items.ts";

/** The state of a session's connection to its server. */
export interface SendingState {
  readonly connection: "open" | "offline";
  readonly level: Level;
  readonly isDegraded: boolean;
}

export const NEW_SENDING_STATE: SendingState = { connection: "offline", level: "normal", isDegraded: false };

const EVERY_KIND: readonly ItemKind[] = [
  "transcript",
  "remark",
  "frame",
  "audio",
  "voice",
  "playback",
  "captions",
];

/** The kinds of items that may be sent now. */
export function sendable({ connection, level, isDegraded }: SendingState): readonly ItemKind[] {
  if (isDegraded || connection === "offline") return [];
  return level === "critical" ? ["remark"] : EVERY_KIND;
}

/** The number of frames that may wait; the oldest beyond them are dropped. */
export function frameRoom({ isDegraded }: SendingState): number {
  return isDegraded ? LIMITS.degradedFrames : LIMITS.offlineFrames;
}

/** The time between two frames that a page captures; `null` while it captures none. */
export function frameInterval(everyMs: number, { level }: Pick<SendingState, "level">): number | null {
  if (level === "critical") return null;
  return Math.max(LIMITS.shortestFrameEveryMs, everyMs) * (level === "warning" ? 2 : 1);
}

export interface Badge {
  readonly text: string;
  readonly colour: string;
  readonly title: string;
}

/** The badge of a microphone that is on, which takes precedence over every other badge. */
export const MICROPHONE_BADGE: Badge = {
  text: "MIC",
  colour: "#C62828",
  title: "Continuo: the microphone is on",
};

const NO_BADGE: Badge = { text: "", colour: "#FFA500", title: "Continuo" };

export function badgeOf({ level, isDegraded }: Pick<SendingState, "level" | "isDegraded">): Badge {
  if (isDegraded) return { text: "!", colour: "#C62828", title: "Continuo: the session is read-only" };
  if (level !== "critical") return NO_BADGE;
  return { text: "⏸", colour: "#FFA500", title: "Continuo: the server is busy; evidence waits here" };
}

const ALONE: ReadonlySet<ItemKind> = new Set(["frame", "audio", "captions", "playback"]);

export interface QueueCounts {
  readonly order: number;
  readonly kind: ItemKind;
}

/**
 * The next items to send together: the oldest that may be sent, in order. A frame or a piece of audio, which is
 * uploaded first, and a list of captions are sent separately. A stop of the video is also sent separately, because a
 * server of an earlier version refuses it.
 */
export function nextBatch<One extends QueueCounts>(
  waiting: readonly One[],
  kinds: readonly ItemKind[],
): readonly One[] {
  const free = waiting.filter(({ kind }) => kinds.includes(kind));
  const isAlone = ({ kind }: QueueCounts): boolean => ALONE.has(kind);
  const first = free[0];
  if (first === undefined) return [];
  if (isAlone(first)) return [first];
  const stop = free.findIndex(isAlone);
  return free.slice(0, Math.min(LIMITS.batchItems, stop < 0 ? free.length : stop));
}
