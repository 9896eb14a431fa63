/** An event: one immutable record of a log. */

/** The author of an event. `id` is the name of the person or the process, and `agent` is the name of the agent. */
export interface Actor {
  readonly kind: "person" | "agent" | "system";
  readonly id?: string;
  readonly agent?: string;
}

/** `critical` events are kept as long as their log; `supplementary` ones may be pruned by a policy. */
export type Retention = "critical" | "supplementary";

/** The time and the reason of the removal of a payload, which was pruned or redacted. Its hashes remain. */
export interface Tombstone {
  /** ISO 8601 UTC. */
  readonly at: string;
  readonly reason: string;
}

/** An event as it is given to `append`. */
export interface NewEvent {
  /** The idempotency key within the log; a UUIDv7 is made if none is given. */
  readonly id?: string;
  readonly type: string;
  /** Any value that JSON can represent; in a log of bytes (`type: "bytes"`) a `Uint8Array`. */
  readonly data: unknown;
  readonly parentId?: string;
  /** `{ kind: "system" }` if none is given. */
  readonly actor?: Actor;
  readonly runId?: string;
  /** ISO 8601 UTC; the time of recording if none is given. */
  readonly occurredAt?: string | undefined;
  /**
   * The retention of the payload. By default the table of event types decides, and `critical` for types it does
   * not know.
   */
  readonly retention?: Retention;
  /** SHA-256 of blobs of the same workspace: they stay as long as the event refers to them. */
  readonly blobs?: readonly string[];
  /** `random`: the payload's hash is salted, and a redaction removes the salt. */
  readonly salt?: "random";
}

export interface StoredEvent<Data = unknown> {
  readonly logId: string;
  /**
   * 1, 2, 3 … without gaps.
   *
   * @type integer
   */
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly parentId?: string;
  readonly actor: Actor;
  readonly runId?: string;
  readonly occurredAt: string;
  readonly recordedAt: string;
  readonly retention: Retention;
  /** `null` if the payload was pruned, or if the event is `damaged`. */
  readonly data: Data;
  /** 64 hex digits. */
  readonly payloadHash: string;
  readonly chainHash: string;
  readonly blobs?: readonly string[];
  /** Present as long as the payload of a salted event exists. */
  readonly salt?: string;
  /** The reason why the payload does not fit the table for its type. The event is kept nevertheless. */
  readonly invalid?: string;
  readonly pruned?: Tombstone;
  /** Why the event differs from what was written; `data` is null then. Only readers that check the hashes set it. */
  readonly damaged?: string;
}
