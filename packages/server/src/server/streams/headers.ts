/** The headers of PUT and POST, as values. Errors of every function: `invalid`. */

import { ContinuoError, type NewLog, type ProducerWrite } from "@continuo/core/model";
import { addressOf, parseOffset, STREAM_HEADERS, type StreamAddress } from "@continuo/core/wire";
import { pathIn } from "./call.ts";

export function isClosing(headers: Headers): boolean {
  return headers.get(STREAM_HEADERS.closed)?.toLowerCase() === "true";
}

/** The time to live that a PUT requests. */
export function lifeOf(headers: Headers): Pick<NewLog, "ttl" | "expiresAt"> {
  const ttl = headers.get(STREAM_HEADERS.ttl);
  const expiresAt = headers.get(STREAM_HEADERS.expiresAt);
  if (ttl !== null && expiresAt !== null)
    throw invalid("Stream-TTL and Stream-Expires-At exclude each other");
  if (ttl !== null) {
    if (!/^[1-9]\d{0,9}$/.test(ttl)) throw invalid("Stream-TTL is not a whole number of seconds above 0");
    return { ttl: Number(ttl) };
  }
  return expiresAt === null ? {} : { expiresAt: timeOf(expiresAt) };
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;

function timeOf(text: string): string {
  const time = RFC_3339.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time)) throw invalid("Stream-Expires-At is not a time such as 2026-01-31T12:00:00Z");
  return new Date(time).toISOString();
}

export interface ForkHeaders {
  readonly source: StreamAddress;
  /** The newest sequence of the source by default. */
  readonly sequence: number | undefined;
  /** The number of bytes, or elements of JSON, after that sequence. */
  readonly subOffset: number;
}

export function forkOf(headers: Headers): ForkHeaders | undefined {
  const from = headers.get(STREAM_HEADERS.forkedFrom);
  const offset = headers.get(STREAM_HEADERS.forkOffset);
  const sub = headers.get(STREAM_HEADERS.forkSubOffset);
  if (from === null) {
    if (sub !== null) throw invalid("Stream-Fork-Sub-Offset requires Stream-Forked-From");
    if (offset !== null) throw invalid("Stream-Fork-Offset requires Stream-Forked-From");
    return undefined;
  }
  const sequence = offset === null ? undefined : parseOffset(offset);
  if (sequence === null) throw invalid("Stream-Fork-Offset is not an offset");
  if (sequence === Number.POSITIVE_INFINITY) throw outOfRange();
  if (sub !== null && !/^(0|[1-9]\d{0,14})$/.test(sub)) {
    throw invalid("Stream-Fork-Sub-Offset is not a whole number");
  }
  const subOffset = Number(sub ?? 0);
  if (subOffset > 0 && sequence === undefined) {
    throw invalid("Stream-Fork-Sub-Offset requires Stream-Fork-Offset");
  }
  return { source: addressOf(pathIn(from)), sequence, subOffset };
}

function outOfRange(): ContinuoError {
  return new ContinuoError("out_of_range", "Stream-Fork-Offset is beyond the end of the source");
}

/** The three headers of an idempotent producer. */
export function producerOf(headers: Headers): ProducerWrite | undefined {
  const producerId = headers.get(STREAM_HEADERS.producerId);
  const epoch = headers.get(STREAM_HEADERS.producerEpoch);
  const sequence = headers.get(STREAM_HEADERS.producerSequence);
  if (producerId === null && epoch === null && sequence === null) return undefined;
  if (producerId === null || epoch === null || sequence === null) {
    throw invalid("Producer-Id, Producer-Epoch and Producer-Seq belong together");
  }
  if (producerId === "") throw invalid("Producer-Id is empty");
  return {
    type: "producer",
    producerId,
    epoch: wholeNumber("Producer-Epoch", epoch),
    sequence: wholeNumber("Producer-Seq", sequence),
  };
}

function wholeNumber(name: string, text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw invalid(`${name} is not a whole number`);
  return value;
}

function invalid(message: string): ContinuoError {
  return new ContinuoError("invalid", message);
}
