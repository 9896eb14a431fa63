/** Events that were checked and hashed, on their way to a log. */

import type { Actor, Retention, Tombstone } from "@continuo/core/model";

/** An event that is ready to be numbered. */
export interface PreparedEvent {
  readonly id: string;
  /** `yes` if the caller gave the id, so that the event may already be stored. */
  readonly retriable: "yes" | "no";
  readonly type: string;
  readonly parentId: string | undefined;
  readonly actor: Actor;
  readonly actorText: string;
  readonly runId: string | undefined;
  readonly occurredAt: string;
  readonly recordedAt: string;
  readonly retention: Retention;
  readonly payload: string | null;
  readonly bytes: Uint8Array | null;
  /** The hashed content, for a comparison with a stored event that has another salt. */
  readonly hashed: string | Uint8Array;
  readonly payloadHash: string;
  readonly extras: Extras | undefined;
  /** `mediaTimeMs` of the payload. */
  readonly mediaTimeMs: number | null;
}

export interface Extras {
  readonly blobs?: readonly string[];
  readonly salt?: string;
  readonly invalid?: string;
  readonly pruned?: Tombstone;
}
