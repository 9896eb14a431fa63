/** The form of a log's records over HTTP: events as JSON, JSON values, or bytes. */

import {
  type Actor,
  ContinuoError,
  EVENTS_MEDIA_TYPE,
  type NewEvent,
  type StoredEvent,
} from "@continuo/core/model";
import { mapElements } from "../http/index.ts";
import { parseEvents } from "./events.ts";

export interface Records {
  /** The media type for clients. */
  readonly contentType: string;
  /** The way in which records are joined: as a JSON array, or one directly after another. */
  readonly framing: "array" | "bytes";
  /** The encoding of the records in an SSE stream. */
  readonly sse: "text" | "base64";
  /** Errors: `invalid`, `forbidden`, `too_large`. */
  parse(body: Uint8Array, actor: Actor): Promise<readonly NewEvent[]>;
  encode(event: StoredEvent): Uint8Array;
}

export const JSON_TYPE = "application/json";
export const BYTES_TYPE = "application/octet-stream";

export function recordsOf(mediaType: string): Records {
  if (mediaType === EVENTS_MEDIA_TYPE) return EVENTS;
  const essence = essenceOf(mediaType);
  if (essence === JSON_TYPE) return { ...JSON_VALUES, contentType: mediaType };
  return { ...BYTES, contentType: mediaType, sse: essence.startsWith("text/") ? "text" : "base64" };
}

/** The media type without its parameters, in lower case. */
export function essenceOf(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

const EVENTS: Records = {
  contentType: JSON_TYPE,
  framing: "array",
  sse: "text",
  parse: parseEvents,
  encode: jsonOf,
};

const JSON_VALUES: Records = {
  contentType: JSON_TYPE,
  framing: "array",
  sse: "text",
  // The bytes are stored as they were sent, so that no number is rounded.
  parse: (body) => mapElements(body, ({ bytes }) => ({ type: "bytes", data: bytes })),
  encode: bytesOf,
};

const BYTES: Records = {
  contentType: BYTES_TYPE,
  framing: "bytes",
  sse: "base64",
  parse: async (body) => (body.length === 0 ? [] : [{ type: "bytes", data: body }]),
  encode: bytesOf,
};

/** All readers of this process receive a new event as the same object, so it is converted to JSON only once. */
const WRITTEN = new WeakMap<StoredEvent, Uint8Array>();

function jsonOf(event: StoredEvent): Uint8Array {
  const known = WRITTEN.get(event);
  if (known !== undefined) return known;
  const bytes = Buffer.from(JSON.stringify(event));
  WRITTEN.set(event, bytes);
  return bytes;
}

function bytesOf(event: StoredEvent): Uint8Array {
  if (event.data instanceof Uint8Array) return event.data;
  throw new ContinuoError("corrupt", `record ${event.sequence} has no bytes`, {
    details: { logId: event.logId, sequence: event.sequence },
  });
}

function keptOf(events: readonly StoredEvent[]): readonly StoredEvent[] {
  return events.filter(({ type, pruned }) => type !== "bytes" || pruned === undefined);
}

const OPEN = Buffer.from("[");
const COMMA = Buffer.from(",");
const CLOSE = Buffer.from("]");

/** Makes a body from records that are already joined; JSON records get the brackets of an array. */
export function inFrame({ framing }: Records, joined: Uint8Array): Uint8Array<ArrayBuffer> {
  return Buffer.concat(framing === "bytes" ? [joined] : [OPEN, joined, CLOSE]);
}

/** The records as one body. Bytes that were pruned are left out. */
export function bodyOf(records: Records, events: readonly StoredEvent[]): Uint8Array<ArrayBuffer> {
  const kept = keptOf(events);
  if (records.framing === "bytes") return Buffer.concat(kept.map(records.encode));
  const parts: Uint8Array[] = [OPEN];
  for (const event of kept) {
    if (parts.length > 1) parts.push(COMMA);
    parts.push(records.encode(event));
  }
  parts.push(CLOSE);
  return Buffer.concat(parts);
}
