/** An entry of the journal: an event without its id, its run and its time. */

import type { EventType, Write } from "@continuo/core/model";

export interface JournalEntry {
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
  /** Hashes of the blobs that it names. */
  readonly blobs?: readonly string[];
  /** The author; the default is the agent. */
  readonly by?: "agent" | "system" | "person";
  /** Written together with the event. */
  readonly also?: Write;
}
