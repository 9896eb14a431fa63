/** `/undo`: the conversation without its last turn, as a copy. */

import { forkOwn, lookUp, openCatalogSession, readOwn } from "@continuo/agents/catalog";
import type { Talk } from "@continuo/agents/conversations";
import { ContinuoError, typedTextOf } from "@continuo/core/model";
import { messageKind } from "@continuo/core/transcript";
import type { Shell } from "../terminal/index.ts";

export interface UndoneTurn {
  /** The prompt that was taken back, as one line. */
  readonly prompt: string;
  /** The session that still has the turn. */
  readonly before: string;
}

/** Errors: `not_found` if the session has no turn, or only one; those of `forkOwn`. */
export async function undoTurn(talk: Talk, shell: Shell): Promise<UndoneTurn> {
  const { session } = talk;
  if (session === null) throw nothing("nothing was said yet");
  const store = await talk.store();
  const own = readOwn(store);
  const located = await lookUp(`continuo:${session.sessionId}`, { places: shell, store: own });
  using opened = await openCatalogSession(located, shell);
  const messages = await Array.fromAsync(opened.history());
  const at = messages.findLastIndex((message) => messageKind(message) === "person");
  const last = messages[at];
  const kept = messages[at - 1];
  if (last === undefined) throw nothing("nothing was said yet");
  if (kept === undefined) throw nothing("it is the first turn of the session");
  const { sessionId } = (await forkOwn(session, own, kept.id)).session;
  const { title, cwd, agent } = session;
  // The native session has the turn, so the agent receives the other turns again.
  await store.updateSession(sessionId, { title, cwd, agent, metadata: {} });
  await talk.resume(`continuo:${sessionId}`);
  return { prompt: typedTextOf(last.content).replace(/\s+/gu, " ").trim(), before: session.sessionId };
}

function nothing(why: string): ContinuoError {
  return new ContinuoError("not_found", `there is no turn to take back: ${why}`, {
    hint: "Leave with /quit, and begin a new session with `continuo repl --new`.",
  });
}
