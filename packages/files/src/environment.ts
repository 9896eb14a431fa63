/**
 * The places of this machine's user, for callers that give none. This is the only file of the library that reads the
 * environment.
 */

import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import type { Places } from "./places.ts";

export function placesOfThisUser(): Places {
  return { home: homeOfThisUser(), env: process.env };
}

/**
 * `$HOME`, or the home of the system's user table if `$HOME` is empty or not an absolute path, which would mean the
 * current folder.
 */
export function homeOfThisUser(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}

/** True if the environment tells instrumentations of models to record contents; false by default. */
export function capturesMessageContent(): boolean {
  return process.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === "true";
}

const SLOW_APPEND_MS = 100;

/** An append that takes at least this long (100 ms by default) is recorded as a span; 0 records every append. */
export function slowAppendMs(): number {
  const text = process.env.OTEL_INSTRUMENTATION_CONTINUO_SLOW_APPEND_MS ?? "";
  const value = Number(text);
  return text.trim() === "" || !(value >= 0) ? SLOW_APPEND_MS : value;
}
