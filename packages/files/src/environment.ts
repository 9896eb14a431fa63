/** The places of this machine's user, for callers who name none. The one file of the library that reads the environment. */

import { homedir, userInfo } from "node:os";
import { isAbsolute } from "node:path";
import type { Places } from "./places.ts";

export function placesOfThisUser(): Places {
  return { home: homeOfThisUser(), env: process.env };
}

/** `$HOME`; of the system's user table where it is empty or no absolute path, which would mean the current folder. */
export function homeOfThisUser(): string {
  const home = homedir();
  return isAbsolute(home) ? home : userInfo().homedir;
}

/** The variable by which instrumentations of models are told to record contents; off by default. */
export function capturesMessageContent(): boolean {
  return process.env.OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT?.toLowerCase() === "true";
}
