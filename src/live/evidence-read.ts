/** The evidence of a session for exports: its events page by page. */

import type { Store, StoredEvent } from "../model/index.ts";
import { EVIDENCE_TYPES } from "../wire/index.ts";
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
