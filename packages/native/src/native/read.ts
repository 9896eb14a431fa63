/** One session in full: opened as a stream, or read into memory at once, or checked. */

import {
  assertKnownOptions,
  cancellable,
  isContinuoError,
  type KnownOptions,
  type Leaf,
  type Message,
  type Problem,
  type SessionInfo,
} from "@continuo/core/model";
import { type Places, placesOfThisUser } from "@continuo/files";
import type { HistoryOptions, OpenedSession, OpenOptions } from "./kit/index.ts";
import { pick } from "./list.ts";
import { LOOKUP_OPTIONS, type Lookup, type LookupOptions, lookUpSession, type SessionRef } from "./lookup.ts";

export interface ReadOptions extends LookupOptions, HistoryOptions {
  /**
   * `model`: the messages that the agent's model would receive at the next resume, after compaction. By default, all
   * messages.
   */
  readonly view?: "history" | "model";
}

const OPEN_OPTIONS: KnownOptions<LookupOptions & OpenOptions> = {
  ...LOOKUP_OPTIONS,
  newestBytes: true,
  keep: true,
  save: true,
  continue: true,
};

const READ_OPTIONS: KnownOptions<ReadOptions> = {
  ...LOOKUP_OPTIONS,
  leaf: true,
  native: true,
  after: true,
  view: true,
};

/** The output of `session show --json`. */
export interface NativeSession {
  readonly agent: string;
  readonly sessionId: string;
  readonly messages: readonly Message[];
  readonly leaves: readonly Leaf[];
  readonly problems: readonly Problem[];
}

/** The output of `session check --json` for one session. */
export interface SessionCheck extends Pick<SessionInfo, "agent" | "sessionId" | "location"> {
  readonly problems: readonly Problem[];
}

/**
 * A session as a stream: memory stays bounded however long it is. Close it when done.
 *
 * Errors: `usage` for an unknown option, `not_found`, `ambiguous`, `unsupported`, `unreadable`.
 */
export async function openNativeSession(
  ref: SessionRef,
  options: LookupOptions & OpenOptions = {},
): Promise<OpenedSession> {
  assertKnownOptions("openNativeSession", options, OPEN_OPTIONS);
  const places = options.places ?? placesOfThisUser();
  return await cancellable(options.signal, async () => {
    const { reader, found } = await lookUpSession(ref, { ...pick(options, "cwd", "signal"), places });
    return await reader.open(found, places, options);
  });
}

/**
 * Returns the details that a full read finds in addition to the messages. Errors: those of `openNativeSession`.
 */
export async function readNativeDetails(
  ref: SessionRef,
  options: LookupOptions = {},
): Promise<OpenedSession["details"]> {
  using session = await openNativeSession(ref, options);
  return session.details;
}

/** Reads a session into memory. Errors as `openNativeSession`; also `not_found` for an unknown leaf. */
export async function readNativeSession(ref: SessionRef, options: ReadOptions = {}): Promise<NativeSession> {
  assertKnownOptions("readNativeSession", options, READ_OPTIONS);
  return await cancellable(options.signal, () => read(ref, options));
}

async function read(ref: SessionRef, options: ReadOptions): Promise<NativeSession> {
  const places = options.places ?? placesOfThisUser();
  const { reader, found } = await lookUpSession(ref, { ...pick(options, "cwd", "signal"), places });
  using session = await reader.open(found, places, pick(options, "signal"));
  const history = await Array.fromAsync(session.history(pick(options, "leaf", "native", "after", "signal")));
  const messages = options.view === "model" ? reader.modelView(history) : history;
  const { agent, sessionId } = session.details;
  return { agent, sessionId, messages, leaves: session.leaves, problems: session.problems };
}

/** Returns the problems of a session. For a session that cannot be opened, the reason is its problem. */
export async function checkNativeSession(
  ref: SessionRef,
  options: LookupOptions = {},
): Promise<SessionCheck> {
  assertKnownOptions("checkNativeSession", options, LOOKUP_OPTIONS);
  const places = options.places ?? placesOfThisUser();
  return await checkFoundSession(await lookUpSession(ref, { ...pick(options, "cwd", "signal"), places }), {
    places,
    ...pick(options, "signal"),
  });
}

/** Does the same as `checkNativeSession` for a session that was already found. */
export async function checkFoundSession(
  lookup: Lookup,
  options: { readonly places: Places; readonly signal?: AbortSignal },
): Promise<SessionCheck> {
  assertKnownOptions("checkFoundSession", options, { places: true, signal: true });
  return await cancellable(options.signal, () => check(lookup, options));
}

async function check(
  { reader, found }: Lookup,
  options: { readonly places: Places; readonly signal?: AbortSignal },
): Promise<SessionCheck> {
  try {
    using session = await reader.open(found, options.places, pick(options, "signal"));
    const { agent, sessionId, location } = session.details;
    return { agent, sessionId, location, problems: session.problems };
  } catch (error) {
    if (!isContinuoError(error, "unreadable") && !isContinuoError(error, "not_found")) throw error;
    const problem: Problem = { code: "unreadable", message: error.message, line: null };
    const isTold = found.problems.some((known) => known.code === "unreadable");
    const problems = isTold ? found.problems : [...found.problems, problem];
    return { ...pick(found, "agent", "sessionId", "location"), problems };
  }
}
