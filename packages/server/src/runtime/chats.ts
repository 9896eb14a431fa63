/** A session as a chat of the AI SDK: its messages, the stream of the unanswered ones, and the way to stop it. */

import { setTimeout as pause } from "node:timers/promises";
import { ContinuoError, isContinuoError, present, readAll } from "@continuo/core/model";
import { cancelRun, latestAttempt } from "@continuo/store/sessions";
import { type Chat, readChat } from "./chat.ts";
import type { Host } from "./host.ts";
import { retriedBy } from "./retries.ts";
import { followRun, isRunOver } from "./run.ts";
import { type StreamedRun, toUIMessageResponse } from "./ui-message.ts";

/** The longest wait for the next attempt of a run: between two attempts, a run cannot be stopped. */
const STOP_MS = 10_000;
const STOP_PAUSE_MS = 50;

export async function chatOf(host: Host, sessionId: string): Promise<Chat> {
  const { store, failureText } = host;
  return await readChat(readAll(store, sessionId, {}), { isRetried: retriedBy(host), failureText });
}

/**
 * Streams the given answers, each from its beginning; `null` if there are none.
 *
 * @param resuming `open`: the ids of answers, in the form of `Chat.open`; by default those that are open now
 */
export async function resumedChat(
  host: Host,
  sessionId: string,
  resuming: { readonly open?: readonly string[]; readonly signal?: AbortSignal },
): Promise<Response | null> {
  const open = resuming.open ?? (await chatOf(host, sessionId)).open;
  if (open.length === 0) return null;
  for (const runId of open) await assertRun(host, sessionId, runId);
  const runs = open.map((runId): StreamedRun => {
    return {
      messageId: runId,
      open: ({ signal: over }) => followRun(host, { sessionId, runId, signal: over }),
    };
  });
  return toUIMessageResponse(runs, { from: resuming, failureText: host.failureText });
}

/** Errors: `not_found`. */
async function assertRun({ store }: Host, sessionId: string, runId: string): Promise<void> {
  const run = await store.getRun(runId);
  if (run?.sessionId === sessionId) return;
  throw new ContinuoError("not_found", `there is no run ${JSON.stringify(runId)} in this session`);
}

/** Cancels the unanswered messages, and returns the ids of the answers. */
export async function stopChat(
  host: Host,
  sessionId: string,
  { open: asked, reason }: { readonly open?: readonly string[]; readonly reason?: string },
): Promise<readonly string[]> {
  const { open } = await chatOf(host, sessionId);
  const stopped = open.filter((runId) => asked === undefined || asked.includes(runId));
  // The last run is stopped first, because the end of a run lets the next one begin.
  for (const runId of stopped.toReversed()) await stopRun(host, runId, reason);
  return stopped;
}

/** Errors: `unavailable` if its next attempt takes too long to begin. */
async function stopRun(host: Host, runId: string, reason: string | undefined): Promise<void> {
  const end = performance.now() + STOP_MS;
  for (;;) {
    try {
      await cancelRun(host.store, await latestAttempt(host.store, runId), present({ reason }));
      return;
    } catch (error) {
      if (!isContinuoError(error, "invalid_transition")) throw error;
    }
    if (await isRunOver(host, runId)) return;
    if (performance.now() > end) {
      throw new ContinuoError("unavailable", `the run ${runId} waits for its next attempt`, {
        hint: "Stop it again.",
        details: { runId },
      });
    }
    await pause(STOP_PAUSE_MS);
  }
}
