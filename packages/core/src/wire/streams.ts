/** The Durable Streams protocol: the names of its headers, and offsets. Also the place of a reader of a session. */

import { ContinuoError } from "../model/index.ts";

export const STREAM_HEADERS = {
  nextOffset: "stream-next-offset",
  cursor: "stream-cursor",
  upToDate: "stream-up-to-date",
  closed: "stream-closed",
  sequence: "stream-seq",
  ttl: "stream-ttl",
  expiresAt: "stream-expires-at",
  forkedFrom: "stream-forked-from",
  forkOffset: "stream-fork-offset",
  forkSubOffset: "stream-fork-sub-offset",
  dataEncoding: "stream-sse-data-encoding",
  producerId: "producer-id",
  producerEpoch: "producer-epoch",
  producerSequence: "producer-seq",
  producerExpected: "producer-expected-seq",
  producerReceived: "producer-received-seq",
} as const;

/** The data of the event `control` of a stream of server-sent events. It follows the records that it describes. */
export interface StreamControl {
  /** The offset of the next request. */
  readonly streamNextOffset: string;
  /** A value that a client sends with its next request, so that a cache does not give the same answer twice. */
  readonly streamCursor?: string;
  /** There is no newer record now. */
  readonly upToDate?: true;
  /** The stream has ended. */
  readonly streamClosed?: true;
}

/** The beginning of the paths of streams. */
export const STREAM_ROOT = "/v1/stream/";

const DIGITS = 16;
const EPOCH: string = "0".repeat(DIGITS);

/**
 * Makes an offset from the sequence of the last record that was read. Offsets sort as text. Clients must not interpret
 * them.
 */
export function formatOffset(sequence: number): string {
  return `${EPOCH}_${String(sequence).padStart(DIGITS, "0")}`;
}

/** The sequence of an offset; `null` if the text is not an offset. A sequence that no log can reach is `Infinity`. */
export function parseOffset(offset: string): number | null {
  const match = /^(\d{16})_(\d{16})$/.exec(offset);
  if (match === null) return null;
  const sequence = Number(match[2]);
  return match[1] === EPOCH && Number.isSafeInteger(sequence) ? sequence : Number.POSITIVE_INFINITY;
}

/**
 * The sequence after which a stream of a session or a run continues: the `Last-Event-ID` of the request, or its
 * parameter `after`; `undefined` for the beginning. Errors: `invalid`.
 */
export function eventPlaceOf({ headers, url }: Pick<Request, "headers" | "url">): number | undefined {
  const asked = headers.get("last-event-id") ?? new URL(url).searchParams.get("after") ?? "";
  if (asked === "") return undefined;
  if (/^\d{1,15}$/u.test(asked)) return Number(asked);
  throw new ContinuoError("invalid", "the place of a stream must be the id of one of its events, a number", {
    hint: "Send the id of the last event that you have, or none to read from the beginning.",
  });
}
