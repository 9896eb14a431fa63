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

const LOCK_WAIT_MS = 30_000;

/** Errors: those of a lookup, `invalid` for an empty title, `session_live`, `busy`, `unsupported`, `unwritable`. */
export async function renameNativeSession(
  ref: SessionRef,
  title: string,
  options: LookupOptions = {},
): Promise<void> {
  const places = options.places ?? placesOfThisUser();
  const { reader, found } = await lookUpSession(ref, { ...options, places });
  const line = title.toWellFormed().replace(/\s+/gu, " ").trim();
  if (line === "") throw new ContinuoError("invalid", "a title has at least one character");
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
  } finally {
    sink.close();
    lock.release();
  }
}
