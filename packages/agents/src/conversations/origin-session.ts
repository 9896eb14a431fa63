/** The session of Continuo for an origin: the existing one, or a new one with the messages of an agent's session. */

import type { Message, Session, Store } from "@continuo/core/model";
import type { PlacesAt } from "@continuo/files";
import { refuseMoved } from "../catalog/index.ts";
import { importNative, importReported } from "./native-import.ts";
import type { Origin } from "./origin.ts";

export interface OriginSessionOptions {
  readonly store: Store;
  readonly places: PlacesAt;
  /** The folder to use if the session does not record one. */
  readonly cwd: string;
  readonly note: (text: string) => void;
  readonly onProgress: (text: string) => void;
}

/** Errors: `conflict` for a session that was moved to another machine; those of `importNative`. */
export async function importOrigin(
  { found }: Extract<Origin, { type: "native" }>,
  { note, onProgress, ...taking }: OriginSessionOptions,
): Promise<Session> {
  const { agent, sessionId } = found;
  refuseMoved(found, taking.places);
  const { session, leftOut } = await importNative(found, {
    ...taking,
    onProgress: (count) =>
      onProgress(`importing ${agent}:${sessionId}: ${count === 1 ? "1 message" : `${count} messages`}`),
  }).finally(() => onProgress(""));
  const older = leftOut === 0 ? "" : `; its ${leftOut} oldest messages are known only to ${agent}`;
  note(`${agent}:${sessionId} is imported as session ${session.sessionId}${older}`);
  return session;
}

/** Imports a session with the history that the agent itself reported; only the agent has its other content. */
export async function importReportedOrigin(
  { told }: Extract<Origin, { type: "told" }>,
  history: readonly Message[],
  { note, onProgress: _, ...taking }: OriginSessionOptions,
): Promise<Session> {
  const { session } = await importReported(told, { ...taking, history });
  const known = history.length === 0 ? "; only the agent knows its earlier messages" : "";
  note(`${told.agent}:${told.sessionId} is imported as session ${session.sessionId}${known}`);
  return session;
}
