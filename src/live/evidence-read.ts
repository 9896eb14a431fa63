/** What a session gathered, for those who export it: its events page by page, and the pictures that events point to. */

import { ContinuoError, type OpenedBlob, type Store, type StoredEvent } from "../model/index.ts";
import { EVIDENCE_TYPES } from "../wire/index.ts";
import { isFields } from "./fold.ts";
import { LIMITS } from "./limits.ts";

export interface EvidencePage {
  readonly events: readonly StoredEvent[];
  /** `null` at the end. */
  readonly nextAfter: number | null;
}

/** Evidence in the order of the log. Errors: `not_found`. */
export async function readEvidence(store: Store, sessionId: string, after: number): Promise<EvidencePage> {
  const { events, nextAfter } = await store.read(sessionId, { after, limit: LIMITS.restorePage });
  const types: readonly string[] = EVIDENCE_TYPES;
  return {
    events: events.filter(({ type }) => types.includes(type) || type === "evidence_added"),
    nextAfter,
  };
}

/** A picture of a session, through the event that points to it. Errors: `not_found`, also for one that was removed. */
export async function openFrame(
  store: Store,
  sessionId: string,
  { sequence, hash }: { readonly sequence: number; readonly hash: string },
): Promise<OpenedBlob> {
  const [event] = (await store.read(sessionId, { after: sequence - 1, limit: 1 })).events;
  const data = event?.sequence === sequence && isFields(event.data) ? event.data : {};
  const pointers = [data.full, data.thumbnail].filter(isFields);
  if (!pointers.some((pointer) => pointer.hash === hash)) {
    throw new ContinuoError("not_found", "that event points to no such picture");
  }
  return store.openBlob(hash);
}
