/** A copy of a conversation: the same messages in a session of its own, and a native session of its own. */

import { type ForkedSession, forkNativeSession, lookUpSession } from "../../agents/index.ts";
import { isAgentName, isContinuoError, type NativeRef, type Session } from "../../model/index.ts";
import { TranscriptBuilder } from "../../transcript/index.ts";
import { placesOf } from "../places/index.ts";
import { keep, type TakenUp } from "./keeping.ts";
import { nativeIdOf } from "./native-id.ts";
import type { Origin } from "./origin.ts";
import { type TakeUp, takeUp } from "./take-up.ts";

/** The original stays as it was. Errors: those of `forkNativeSession`, for an agent's own session. */
export async function forkOrigin(
  origin: Exclude<Origin, { type: "told" }>,
  options: TakeUp,
): Promise<TakenUp> {
  const places = placesOf(options.shell);
  if (origin.type === "native") {
    const { agent, sessionId } = await forkNativeSession(origin.found, { places });
    return await takeUp((await lookUpSession(`${agent}:${sessionId}`, { places })).found, options);
  }
  const { session } = origin;
  const transcript = await TranscriptBuilder.fromStore(options.store, session.sessionId);
  return await keep(transcript.messages, {
    store: options.store,
    agent: session.agent,
    title: session.title,
    cwd: session.cwd ?? options.cwd,
    ref: await forkedReference(session, options),
    parentId: session.sessionId,
    from: { sessionId: session.sessionId },
  });
}

/** A native session of the copy's own; `null` where the agent has to be told what was said. */
async function forkedReference(session: Session, { shell, cwd }: TakeUp): Promise<NativeRef | null> {
  const { agent } = session;
  const native = agent === null ? null : nativeIdOf(session, agent);
  // Others spoke since its last turn: it does not know all of it.
  if (agent === null || !isAgentName(agent) || native !== session.metadata.providerSessionId) return null;
  try {
    const forked: ForkedSession = await forkNativeSession(`${agent}:${native}`, { places: placesOf(shell) });
    return { agent, sessionId: forked.sessionId, location: forked.location, cwd: session.cwd ?? cwd };
  } catch (error) {
    if (isContinuoError(error)) return null;
    throw error;
  }
}
