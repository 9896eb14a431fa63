/**
 * Finds out after a crash of Continuo, from the agent's own record, whether the agent received the prompt of the
 * interrupted turn. If it did, its native session continues with the same prompt: no history is sent again, and the
 * model's cache stays valid.
 */

import {
  type Block,
  isAgentName,
  RUN_EVENTS,
  type Run,
  readAll,
  type Session,
  type Store,
} from "@continuo/core/model";
import { recordOf } from "@continuo/core/wire";
import { type PlacesAt, placesOf } from "@continuo/files";
import { formatOf } from "@continuo/native";
import type { FoundSession } from "@continuo/native/kit";
import { ownSessionContinuedIn, readOwn } from "../catalog/index.ts";
import { sessionThatHeard } from "../drivers/link/index.ts";
import { referenceTo } from "./message-import.ts";

/** The input of a run that a crash ended. */
export interface UnansweredInput {
  readonly runId: string;
  readonly sessionId: string;
  readonly input: readonly Block[];
}

export interface Recovery {
  readonly store: Store;
  readonly session: Session;
  readonly places: PlacesAt;
  /** The folder to use for a session that does not record one. */
  readonly cwd: string;
}

/**
 * Returns the session with a reference to the native session that received the prompt; `null` if the agent's record
 * does not show it, or if the native session belongs to another session of Continuo. Errors: those of the store.
 */
export async function referToNativeRecord(
  { runId, input }: UnansweredInput,
  { store, session, places, cwd: folder }: Recovery,
): Promise<Session | null> {
  const run = await store.getRun(runId);
  const agent = run?.agent ?? "";
  if (run === null || run.startedAt === null || !isAgentName(agent)) return null;
  const references = recordOf(session.metadata.providerSessions);
  const known = recordOf(references[agent]);
  const knownId = typeof known.sessionId === "string" ? known.sessionId : null;
  const baseSequence = await heardUpTo(store, run);
  if (baseSequence === null) return null;

  const cwd = session.cwd ?? folder;
  const options = { places: placesOf(places), reader: await formatOf(agent) };
  const prompt = { cwd, said: input, sinceMs: Date.parse(run.startedAt), sessionId: knownId };
  const found = await sessionThatHeard(options, prompt);
  if (found === null) return null;
  if (knownId !== null && known.state !== "unsure") return session;
  const { sessionId, location } = found;
  // The native session belongs to another session of Continuo.
  if (knownId === null && (await ownSessionContinuedIn({ agent, sessionId }, readOwn(store))) !== null)
    return null;
  const { providerSessionId, providerSessions } = referenceTo(
    { agent, sessionId, location, cwd },
    baseSequence,
  );
  const metadata = { providerSessionId, providerSessions: { ...references, ...providerSessions } };
  return await store.updateSession(session.sessionId, { metadata });
}

/** The number of the folder's newest sessions that are searched for a turn that was cut off. */
const LOOKED_AT = 5;

/**
 * Returns the session of Continuo whose newest turn was cut off after this native session had received its prompt;
 * `null` if there is none. Errors: those of the store.
 */
export async function cutOffIn(
  native: Pick<FoundSession, "agent" | "sessionId">,
  { store, places, cwd }: Omit<Recovery, "session">,
): Promise<Session | null> {
  const options = { places: placesOf(places), reader: await formatOf(native.agent) };
  for (const session of (await store.listSessions({ cwd, limit: LOOKED_AT })).items) {
    const started = { types: [RUN_EVENTS.running], order: "newest", limit: 1 } as const;
    const [event] = (await store.read(session.sessionId, started)).events;
    const run = event?.runId === undefined ? null : await store.getRun(event.runId);
    const isCutOff = run?.status === "running" || run?.status === "interrupted";
    if (!isCutOff || run.agent !== native.agent || run.startedAt === null) continue;
    const said = Array.isArray(run.input) ? (run.input as readonly Block[]) : [];
    const prompt = { cwd, said, sinceMs: Date.parse(run.startedAt) };
    const heard = await sessionThatHeard(options, { ...prompt, sessionId: native.sessionId });
    if (heard !== null) return session;
  }
  return null;
}

const ENDS = Object.values(RUN_EVENTS).filter((type) => type !== "run_started");

/**
 * Returns the last event that the agent knows if it received the run's prompt: the event before the interrupted answer.
 * Returns `null` if another turn ended after it, or if somebody else wrote a message.
 */
async function heardUpTo(store: Store, { sessionId, runId }: Run): Promise<number | null> {
  const [end] = (await store.read(sessionId, { types: ENDS, order: "newest", limit: 1 })).events;
  const [start] = (await store.read(sessionId, { runId, types: ["run_started"], limit: 1 })).events;
  if (end?.runId !== runId || end.type !== RUN_EVENTS.interrupted || start === undefined) return null;
  let upTo = end.sequence;
  const place = { after: start.sequence, types: ["message_sent", "message_received"] };
  for await (const event of readAll(store, sessionId, place)) {
    // The native session has the turns of the agent's own program, too.
    if (recordOf(recordOf(event.data).metadata).nativeTurn !== undefined) continue;
    if (event.runId !== runId) return null;
    if (recordOf(event.data).stopReason === "interrupted") upTo = Math.min(upTo, event.sequence - 1);
  }
  return upTo;
}
