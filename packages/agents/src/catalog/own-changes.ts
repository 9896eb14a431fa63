/**
 * Renames, forks and deletes Continuo's own sessions. A session that is deleted from a store cannot be restored; one
 * that is in the trash can (`own-trash.ts`).
 */

import {
  ContinuoError,
  type Message,
  rethrowForSession,
  type Session,
  type Store,
  shellWord,
} from "@continuo/core/model";
import { cutAt } from "@continuo/native/forking";
import { toGivenTitle } from "@continuo/native/kit";
import { readTranscript } from "./open-session.ts";
import type { OwnRow } from "./rows.ts";
import type { OpenOwn } from "./store.ts";

const SHOWN_FORKS = 20;

/** Returns the title in its stored form. Errors: `invalid` for a title that is empty or too long; `not_found`. */
export async function renameOwn({ sessionId }: OwnRow, text: string, { store }: OpenOwn): Promise<string> {
  const title = toGivenTitle(text);
  await store.updateSession(sessionId, { title });
  return title;
}

export interface OwnFork {
  readonly session: Session;
  readonly messages: number;
}

/**
 * Creates a session that begins with the events of this session, including runs and usage; nothing is copied. The
 * native sessions stay with the original session.
 *
 * @param at the last message of the fork, or the run that it began; the last message of the session by default
 * Errors: `not_found` for the message, `invalid` for a cut between messages that belong together, or a session without
 * a message; those of the store.
 */
export async function forkOwn(
  { sessionId }: Pick<OwnRow, "sessionId">,
  own: OpenOwn,
  at?: string,
): Promise<OwnFork> {
  const { messages, lastSequence } = await readTranscript(own, sessionId);
  if (messages.length === 0) throw new ContinuoError("invalid", `session ${sessionId} has no message`);
  const count = at === undefined ? messages.length : (cutAt(messages, idNamed(messages, at))?.count ?? 0);
  if (count === 0) {
    throw new ContinuoError(
      "not_found",
      `there is no message ${JSON.stringify(at)} in session ${sessionId}`,
      {
        hint: `Run \`continuo session show ${shellWord(sessionId)} --json\` to see the ids of its messages.`,
      },
    );
  }
  const wanted = messages.slice(0, count);
  const sequence = count === messages.length ? lastSequence : endOf(wanted);
  const session = await own.store
    .createSession({ forkedFrom: { logId: sessionId, sequence } })
    .catch((error: unknown) => rethrowForSession(error, sessionId));
  const forked = await readTranscript(own, session.sessionId);
  if (idsOf(forked.messages) === idsOf(wanted)) return { session, messages: count };
  await own.store.deleteSession(session.sessionId, { reason: "cut between messages that belong together" });
  throw new ContinuoError("invalid", `session ${sessionId} cannot be cut after message ${at}`, {
    hint: "Cut at an earlier or a later message: other messages were written at the same time as this one.",
  });
}

/** Returns the id of a message that is named by its id or, as editors name a prompt, by the run that it began. */
function idNamed(messages: readonly Message[], at: string): string {
  if (messages.some(({ id }) => id === at)) return at;
  const prompt = messages.find(
    ({ role, origin, metadata }) => role === "user" && origin !== "injected" && metadata.runId === at,
  );
  return prompt?.id ?? at;
}

/** Returns the sequence of the last event of these messages. */
function endOf(messages: readonly Message[]): number {
  const ends = messages.map(({ metadata }) => Number(metadata.lastSequence ?? metadata.sequence ?? 0));
  return ends.reduce((end, one) => Math.max(end, one), 0);
}

function idsOf(messages: readonly Message[]): string {
  return JSON.stringify(messages.map(({ id }) => id));
}

/**
 * Deletes sessions in rounds, because a session that a fork reads can be deleted only after the fork: the sessions that
 * stay are tried again as long as any deletion succeeds. Returns those that stay in the end.
 *
 * @param settle deletes a session; returns false if it may be possible to delete it later
 */
export async function deleteInRounds<T>(
  sessions: readonly T[],
  settle: (one: T) => Promise<boolean>,
): Promise<readonly T[]> {
  for (let waiting = sessions; ; ) {
    const left: T[] = [];
    for (const one of waiting) if (!(await settle(one))) left.push(one);
    if (left.length === waiting.length) return left;
    waiting = left;
  }
}

/** Errors: `session_live` while a run is in progress, `has_forks` if other sessions continue from it, `not_found`. */
export async function deleteOwn({ sessionId, nativeRefs }: OwnRow, { store }: OpenOwn): Promise<void> {
  await refuseRunning({ sessionId }, store);
  const { items: forks } = await store.listSessions({ parentId: sessionId, limit: SHOWN_FORKS });
  if (forks.length > 0) {
    const ids = forks.map((fork) => fork.sessionId);
    throw new ContinuoError(
      "has_forks",
      `cannot delete session ${sessionId}: it has forks: ${ids.join(", ")}`,
      {
        hint: "Delete the forks too, in the same call or before.",
        details: { forks: ids },
      },
    );
  }
  const natives = nativeRefs.map((ref) => `${ref.agent}:${ref.sessionId}`).join(", ");
  const reason = natives === "" ? "deleted" : `deleted; its native sessions stay: ${natives}`;
  await store.deleteSession(sessionId, { reason });
}

/** Errors: `session_live` while a run is in progress. */
export async function refuseRunning({ sessionId }: Pick<OwnRow, "sessionId">, store: Store): Promise<void> {
  const { runnerOf } = await import("@continuo/store/sessions");
  const runner = await runnerOf(store, sessionId);
  if (runner === null) return;
  throw new ContinuoError(
    "session_live",
    `cannot delete session ${sessionId}: ${runner.owner} is running it`,
    {
      hint: "Wait until the run has ended, or cancel it.",
      details: { owner: runner.owner, expiresAt: runner.expiresAt },
    },
  );
}
