/** Notes and times of a medium as lines of a terminal. */

import { visibleText } from "@continuo/core/transcript";

export interface ShownNote {
  readonly startMs: number;
  readonly endMs: number;
  readonly text: string;
  readonly status: string;
  readonly damaged?: readonly number[];
}

/** Further lines are indented, so that none can look like another note. */
export function lineOfNote({ startMs, endMs, text, status, damaged }: ShownNote): string {
  const span = startMs === endMs ? timeOf(startMs) : `${timeOf(startMs)}–${timeOf(endMs)}`;
  const based = damaged === undefined ? "" : ` (from damaged events: ${damaged.map(Number).join(", ")})`;
  const mark = `${status === "written" ? "" : ` (${visibleText(status)})`}${based}`;
  return `${span}${mark}  ${visibleText(text).replaceAll("\n", "\n    ")}\n`;
}

/** The path of a session on a server. */
export function livePath(key: string, rest = ""): string {
  return `/v1/live/${encodeURIComponent(key)}${rest}`;
}

/** `1:05`, or `1:02:05` from an hour on. */
export function timeOf(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (number: number): string => String(number).padStart(2, "0");
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours === 0 ? `${minutes}:${two(seconds % 60)}` : `${hours}:${two(minutes)}:${two(seconds % 60)}`;
}
