/** What the journal is told to keep: an event without its id, its run and its time. */

import type { EventType, Write } from "../../model/index.ts";

export interface Told {
  readonly type: EventType;
  readonly data: Readonly<Record<string, unknown>>;
  /** Who did it: the agent where nothing is said. */
  readonly by?: "agent" | "system" | "person";
  /** Written together with the event. */
  readonly also?: Write;
}

/** The same object without the keys that hold nothing. */
export function present<T extends object>(fields: T): T {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as T;
}
