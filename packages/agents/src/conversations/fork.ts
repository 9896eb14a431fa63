/** A copy of a conversation: the same messages in a session of its own, and a native session of its own. */

import { isAgentName, isFailure, type NativeRef, type Session } from "@continuo/core/model";
import { lookUpSession } from "@continuo/native";
import { type ForkedSession, forkNativeSession } from "@continuo/native/editing";
import { forkOwn, readOwn } from "../catalog/index.ts";
import { type ImportedSession, referenceTo } from "./message-import.ts";
import { nativeIdOf } from "./native-id.ts";
import { importNative, type NativeImportOptions } from "./native-import.ts";
import type { Origin } from "./origin.ts";

/** The original does not change. Errors: those of `forkNativeSession`, for an agent's own session. */
export async function forkOrigin(
  origin: Exclude<Origin, { type: "told" }>,
  options: NativeImportOptions,
): Promise<ImportedSession> {
  const { places } = options;
  if (origin.type === "native") {
    const { agent, sessionId, location } = await forkNativeSession(origin.found, { places });
    const { found } = await lookUpSession({ agent, sessionId, location }, { places });
    return await importNative(found, options);
  }
  const { session: source } = origin;
  const { store, cwd } = options;
  // Checked before anything is written, because the fork may be refused.
  const ref = await forkedReference(source, options);
  const { session, messages } = await forkOwn(source, readOwn(store));
  const metadata = ref === null ? {} : referenceTo(ref, await store.latestSequence(session.sessionId));
  const forked = await store.updateSession(session.sessionId, {
    ...(session.cwd === null ? { cwd } : {}),
    metadata,
  });
  return { session: forked, messages, leftOut: 0 };
}

/** A native session of the copy's own; `null` if the agent has to receive the earlier messages as a replay. */
async function forkedReference(
  session: Session,
  { places, cwd }: NativeImportOptions,
): Promise<NativeRef | null> {
  const { agent } = session;
  if (agent === null || !isAgentName(agent)) return null;
  const native = nativeIdOf(session, agent);
  // The native session lacks messages that others wrote since its last turn.
  if (native === null || native !== session.metadata.providerSessionId) return null;
  try {
    const { found } = await lookUpSession({ agent, sessionId: native, location: null }, { places });
    const forked: ForkedSession = await forkNativeSession(found, { places });
    return { agent, sessionId: forked.sessionId, location: forked.location, cwd: session.cwd ?? cwd };
  } catch (error) {
    if (isFailure(error)) return null;
    throw error;
  }
}
