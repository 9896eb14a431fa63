/**
 * Paths of logs on the server: `channels/NAME`, `sessions/ID`, anything else is a stream of the user's own. A session's
 * log has the session's id. Therefore the ids of all other logs begin with a word and a slash, and a session can be
 * reached over HTTP only if its id has no slash.
 */

import { ContinuoError } from "../model/index.ts";
import { LIMITS } from "./channel-limits.ts";

export interface StreamAddress {
  readonly kind: "channel" | "session" | "stream";
  /** The channel's name, the session's id, the stream's path. */
  readonly name: string;
  readonly logId: string;
}

const CHANNELS = "channels/";
const SESSIONS = "sessions/";
const STREAMS = "streams/";
/** Logs of the server itself; no path leads to them. */
export const SERVER_LOGS = "server/";

/** The handle of a token whose holder may write under any handle. A participant cannot have it as its handle. */
export const ANY_HANDLE = "*";

/**
 * True for a name of a channel or a handle: up to 128 characters, not `.` or `..`, no `:`, no `/`, no control
 * characters, no space at either end.
 */
export function isName(name: unknown): name is string {
  return (
    typeof name === "string" &&
    name.length > 0 &&
    name.length <= LIMITS.nameLength &&
    /^[^\p{Cc}\p{Cs}:/]+$/u.test(name) &&
    name.trim() === name &&
    name !== "." &&
    name !== ".."
  );
}

export function channelLogId(name: string): string {
  return `${CHANNELS}${name}`;
}

/** Takes the decoded path below `/v1/stream/`. Errors: `invalid`. */
export function addressOf(path: string): StreamAddress {
  if (path.startsWith(CHANNELS)) {
    const name = path.slice(CHANNELS.length);
    if (!isName(name)) throw badPath(path);
    return { kind: "channel", name, logId: path };
  }
  if (path.startsWith(SESSIONS)) {
    const name = path.slice(SESSIONS.length);
    if (name === "" || name.includes("/")) throw badPath(path);
    return { kind: "session", name, logId: name };
  }
  // The protocol itself uses these paths.
  const isReserved = path === "__ds" || path.startsWith("__ds/");
  if (path === "" || path.startsWith("/") || isReserved) throw badPath(path);
  return { kind: "stream", name: path, logId: `${STREAMS}${path}` };
}

/** The path of a log; `null` for a log of the server itself, and for a log that no path leads to. */
export function pathOfLog(logId: string): string | null {
  if (logId.startsWith(CHANNELS)) return logId;
  if (logId.startsWith(STREAMS)) return logId.slice(STREAMS.length);
  return logId.includes("/") ? null : `${SESSIONS}${logId}`;
}

function badPath(path: string): ContinuoError {
  return new ContinuoError("invalid", `${JSON.stringify(path)} is not the path of a stream`, {
    hint: "Use channels/NAME, sessions/ID or another path; a name has no slash, no colon and no control character.",
    details: { path },
  });
}
