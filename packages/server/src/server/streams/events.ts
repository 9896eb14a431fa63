/** Events that clients post. The server takes the actor from the token, and the retention from the table. */

import { type Actor, ContinuoError, type NewEvent } from "@continuo/core/model";
import { mapElements } from "../http/index.ts";

const KEYS: readonly string[] = ["id", "type", "data", "parentId", "runId", "occurredAt", "blobs"];

/** Clients must not post these: they change sessions, runs and cursors, or state facts that only the server knows. */
const OF_THE_SERVER =
  /^(session|run|checkpoint|participant|presence)_|^(checkpoint|approval_resolved|message_interrupted|bytes)$/;

/** An event, or an array of events. Errors: `invalid`, `forbidden`, `too_large`. */
export function parseEvents(body: Uint8Array, actor: Actor): Promise<readonly NewEvent[]> {
  return mapElements(body, ({ value }, index) => eventOf(value, actor, index));
}

function isOfTheServer(type: string): boolean {
  return OF_THE_SERVER.test(type);
}

function eventOf(value: unknown, actor: Actor, index: number): NewEvent {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ContinuoError("invalid", "an event is not a JSON object", { details: { index } });
  }
  const unknown = Object.keys(value).find((key) => !KEYS.includes(key));
  if (unknown !== undefined) {
    throw new ContinuoError("invalid", `an event cannot have the key ${JSON.stringify(unknown)}`, {
      hint: `Send only ${KEYS.join(", ")}; the server sets the actor, the retention and the rest.`,
      details: { index, key: unknown },
    });
  }
  const event = value as NewEvent;
  if (typeof event.type !== "string") {
    throw new ContinuoError("invalid", "an event has no type", { details: { index } });
  }
  if (isOfTheServer(event.type)) {
    throw new ContinuoError("forbidden", `only the server can write events of the type ${event.type}`, {
      hint: "Use the request that makes this change.",
      details: { index, type: event.type },
    });
  }
  if (event.blobs !== undefined && !Array.isArray(event.blobs)) {
    throw new ContinuoError("invalid", "the blobs of an event are not an array", { details: { index } });
  }
  return { ...event, actor };
}
