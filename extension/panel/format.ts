/** Writes the times and sentences of the panel. Pure. */

import type { Note, OfferedWriter } from "@continuo/core/wire";
import { LIMITS } from "../limits.ts";
import type { PanelSession, SessionFacts } from "../sending/panel-view.ts";
import type { Tone } from "./source-status.ts";

/** Returns a time such as `1:02:03` or `2:03`. */
export function clock(ms: number): string {
  const seconds = Math.floor(Math.max(0, ms) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

export interface Status {
  readonly tone: Tone;
  readonly text: string;
}

/** A session, and whether its video is playing. */
interface Work extends Pick<PanelSession, "standing" | "waiting" | "failure" | "storedAtMs"> {
  readonly isPlaying: boolean;
  readonly nowMs: number;
}

/** Describes in one line what happens to a session. It is `Recording` only if evidence was stored in the last 30 s. */
export function statusOf({ standing, waiting, failure, storedAtMs, isPlaying, nowMs }: Work): Status {
  const pieces = ["nothing waits here", "1 item waits here"][waiting] ?? `${waiting} items wait here`;
  if (standing.isDegraded) return { tone: "bad", text: `Read-only; ${pieces}` };
  if (failure !== null && standing.connection === "offline")
    return { tone: "bad", text: `${failure.message}; ${pieces}` };
  if (standing.connection === "offline") return { tone: "warn", text: `Offline; ${pieces}` };
  if (standing.level === "critical") return { tone: "warn", text: `The server is busy; ${pieces}` };
  if (standing.level === "warning")
    return { tone: "warn", text: "The server is slow; fewer frames are taken" };
  if (storedAtMs !== null && nowMs - storedAtMs < LIMITS.freshMs) return { tone: "good", text: "Recording" };
  if (!isPlaying) return { tone: "dim", text: "Connected, the video is paused" };
  const since = storedAtMs === null ? "nothing is recorded yet" : "nothing was recorded for a while";
  return { tone: "warn", text: `The video plays, but ${since}` };
}

/**
 * Returns e.g. `$0.42, 1,200 tokens`, and after five minutes also the price of an hour. Before the first note, the text
 * says that the price is not known. Empty if no model was called and none is chosen.
 */
export function costOf({ session }: Pick<PanelSession, "session">): string {
  if (session === null) return "";
  const isModel = typeof writerOf({ session }) === "string";
  const budget = { normal: "", warning: ", 80 % of the budget", spent: ", budget spent" }[session.budget];
  if (session.isWriterFree === true && session.cost.costUsd === 0) return `free, on this machine${budget}`;
  if (session.cost.modelCalls === 0) return isModel ? "the price is not known before the first note" : "";
  const { costUsd, inputTokens, outputTokens } = session.cost;
  const hour = hourPriceOf(session);
  const price = hour === null ? "" : `, $${hour.toFixed(2)} an hour`;
  return `$${costUsd.toFixed(2)}, ${(inputTokens + outputTokens).toLocaleString("en")} tokens${price}${budget}`;
}

/** Computes the price of an hour from the session so far; `null` while the session is too short. */
function hourPriceOf({ cost, createdAt, lastActivityAt }: SessionFacts): number | null {
  const ms = Date.parse(lastActivityAt) - Date.parse(createdAt);
  return ms >= LIMITS.priceAfterMs ? (cost.costUsd * 3_600_000) / ms : null;
}

/** Returns the model or the agent that writes the notes; `null` if there is none, `undefined` until it is known. */
export function writerOf({ session }: Pick<PanelSession, "session">): string | null | undefined {
  return session?.noteWriter === "extractive" ? null : session?.noteWriter;
}

/** Describes the price of an hour of a note writer in words for a person. */
export function hourPrice({ kind, hourUsd }: Pick<OfferedWriter, "kind" | "hourUsd">): string {
  if (kind === "none") return "free";
  if (kind === "here") return "free, on this machine";
  if (hourUsd === null)
    return "an hour has no price yet: it is measured in the first ten minutes, within the budget";
  return `$${hourUsd.toFixed(2)} an hour, as measured`;
}

/** Returns the line about frames that were dropped. */
export function leftOutOf(frames: number): string {
  return `${frames} ${frames === 1 ? "frame was" : "frames were"} left out to make room`;
}

/** Splits a note at a place of its text; each half gets its share of the time. Returns `null` if a half has no text. */
export function splitNote(
  { text, startMs, endMs }: Pick<Note, "text" | "startMs" | "endMs">,
  at: number,
): readonly { readonly text: string; readonly startMs: number; readonly endMs: number }[] | null {
  const [first, second] = [text.slice(0, at).trim(), text.slice(at).trim()];
  if (first === "" || second === "") return null;
  const middleMs = Math.round(startMs + ((endMs - startMs) * at) / text.length);
  return [
    { text: first, startMs, endMs: middleMs },
    { text: second, startMs: middleMs, endMs },
  ];
}
