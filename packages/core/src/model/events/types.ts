/** Types from the table of event types: the closed union of known events, and the check of a payload. */

import type { Retention, StoredEvent } from "./event.ts";
import { type FromShape, shapeProblem } from "./fields.ts";
import { EVENT_TYPES, type EventKind } from "./table.ts";

/** The same table for types that are known only at run time. */
export const EVENT_KINDS: Readonly<Record<string, EventKind>> = EVENT_TYPES;

export type EventType = keyof typeof EVENT_TYPES;

/** The payload of a known type, by the table. */
export type Payload<Type extends EventType> = Type extends "bytes"
  ? Uint8Array
  : FromShape<(typeof EVENT_TYPES)[Type]["payload"]>;

/** A stored event of a known type. Check `invalid` and `pruned` before trusting `data`. */
export type KnownEvent = {
  [Type in EventType]: StoredEvent<Payload<Type>> & { readonly type: Type };
}[EventType];

export function isEventType(type: string): type is EventType {
  return Object.hasOwn(EVENT_TYPES, type);
}

/** Returns true if the event has the type, and its payload exists and matches the table. */
export function isEvent<Type extends EventType>(
  event: StoredEvent,
  type: Type,
): event is StoredEvent<Payload<Type>> & { readonly type: Type } {
  return event.type === type && event.invalid === undefined && event.pruned === undefined;
}

/** Returns one sentence that says why the payload does not match the table. For an unknown type, there is none. */
export function payloadProblem(type: string, data: unknown): string | undefined {
  if (!isEventType(type)) return undefined;
  if (type === "bytes") return data instanceof Uint8Array ? undefined : "The payload is no bytes.";
  return shapeProblem(EVENT_TYPES[type].payload, data);
}

/** Returns the retention of the table, and `critical` for types that it does not know. */
export function retentionOf(type: string): Retention {
  return isEventType(type) ? EVENT_TYPES[type].retention : "critical";
}
