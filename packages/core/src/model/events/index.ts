/**
 * The events that a log consists of, and the closed table of their types.
 *
 * Promises: pure.
 * Does not know: where events are stored, or what is folded from them.
 */

export { eventsDocument } from "./document.ts";
export type { Actor, NewEvent, Retention, StoredEvent, Tombstone } from "./event.ts";
export { FIELD_KINDS, type FieldKind, type FromShape, fieldNames, fieldOf, type Shape } from "./fields.ts";
export { EVENT_TYPES, type EventKind, type TranscriptUse } from "./table.ts";
export {
  EVENT_KINDS,
  type EventType,
  isEvent,
  isEventType,
  type KnownEvent,
  type Payload,
  payloadProblem,
  retentionOf,
} from "./types.ts";
