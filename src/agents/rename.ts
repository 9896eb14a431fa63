/** Another title for a session, through the agent's own format, so that the agent shows it. */

import { ContinuoError } from "../model/index.ts";
import { lockSession, makersOfNow, writeBeside } from "./adapter/index.ts";
import {
  type LookupOptions,
  lookUpSession,
  placesOfThisUser,
  type SessionRef,
  writerOf,
} from "./lookup/index.ts";
import { toGivenTitle } from "./reader/index.ts";

const LOCK_WAIT_MS = 30_000;

/** Gives the title as it stands now. Errors: those of a lookup, `invalid` for an empty title or a long one, `session_live`, `busy`, `unsupported`, `unwritable`. */
export async function renameNativeSession(
  ref: SessionRef,
  title: string,
  options: LookupOptions = {},
): Promise<string> {
  const places = options.places ?? placesOfThisUser();
  const { reader, found } = await lookUpSession(ref, { ...options, places });
  const line = toGivenTitle(title);
  if (found.live === true) {
    throw new ContinuoError("session_live", `${found.agent} has session ${found.sessionId} open`, {
      hint: "Rename it there, or end it first.",
    });
  }
  const { agent, sessionId, location } = found;
  const sessionFile = location.replace(/#[^/#]*$/u, "");
  const writer = await writerOf(agent);
  const lock = await lockSession(sessionFile, sessionId, {
    places,
    waitMs: LOCK_WAIT_MS,
    signal: options.signal,
  });
  const sink = await writer.openSink(sessionFile, sessionId, places);
  try {
    using opened = await reader.open(found, places, {});
    const history = await Array.fromAsync(opened.history());
    const lastAnswer = history.findLast(({ role }) => role === "assistant") ?? null;
    const lastPrompt = history.findLast(({ role }) => role === "user") ?? null;
    const tip = await writer.openTip({ opened, lastAnswer, lastPrompt }, options.signal);
    const renaming = { sessionId, sessionFile, title: line };
    const { records, besides } = writer.rename(tip, renaming, makersOfNow());
    if (records.length > 0) sink.append(records);
    for (const beside of besides ?? []) writeBeside(beside);
    await writer.retitle?.(renaming);
    return line;
  } finally {
    sink.close();
    lock.release();
  }
}
