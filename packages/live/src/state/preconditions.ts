/** Checks that a session accepts input, and the errors when it does not. */

import { ContinuoError, type Store, shellWord } from "@continuo/core/model";
import type { LiveState, NoteWriter, Transcriber, WriterOffers } from "../kit/index.ts";
import type { Follower } from "./follower.ts";
import { isFinal } from "./state-machine.ts";

export function stateOfFold(follower: Follower): "degraded" | Follower["fold"]["state"] {
  return follower.fault === null ? follower.fold.state : "degraded";
}

/** Errors: `not_found`. */
export function writerNamed(
  writers: readonly NoteWriter[],
  name: string | null,
  offers: WriterOffers | null = null,
): NoteWriter {
  const writer = name === null ? writers[0] : writers.find((one) => one.name === name);
  const offered = writer === undefined && name !== null ? offers?.named(name) : writer;
  if (offered !== undefined && offered !== null) return offered;
  throw new ContinuoError("not_found", `there is no note writer ${JSON.stringify(name)}`, {
    details: { noteWriters: writers.map((one) => one.name) },
  });
}

/** Errors: `degraded`; `log_closed` for a session that ended, after which clients open the next one. */
export function assertWritable({ fold, fault, sessionId }: Follower): void {
  // The log may still be open for late notes.
  if (isFinal(fold.state)) throw ended(fold.key, fold.state);
  if (fault === null && fold.state !== "degraded") return;
  throw new ContinuoError(
    "degraded",
    "the session cannot be written: an event in its log was changed after it was stored",
    {
      hint: `Keep the input and send it again after \`continuo live repair ${shellWord(fold.key)}\`.`,
      details: { sessionId, key: fold.key, reason: fault ?? fold.health.degradedReason },
    },
  );
}

export function ended(key: string, state: string): ContinuoError {
  const what = isFinal(state as LiveState)
    ? `the session is ${state}`
    : "the key belongs to another session now";
  return new ContinuoError("log_closed", what, {
    hint: "Send PUT with the key again: the next session has the notes of this one.",
    details: { key, state },
  });
}

/** Errors: `invalid_transition` for a session that is not degraded. */
export async function assertDegraded(
  store: Store,
  { key, sessionId }: { readonly key: string; readonly sessionId: string },
): Promise<void> {
  const session = await store.getSession(sessionId);
  if (session?.status === "degraded") return;
  throw new ContinuoError("invalid_transition", `the session is ${session?.status}, and not degraded`, {
    details: { key, state: session?.status ?? null },
  });
}

/** Errors: `unsupported`. */
export function assertTranscriber(transcriber: Transcriber | null): void {
  if (transcriber !== null) return;
  throw new ContinuoError("unsupported", "this server makes no transcripts of audio", {
    hint: "Set `live.transcriber` in continuo.yaml, or send transcripts.",
  });
}
