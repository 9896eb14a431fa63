/** POST: appends the records of a body, closes the stream, or both, in one transaction. */

import {
  ContinuoError,
  isContinuoError,
  type NewEvent,
  type ProducerWrite,
  type Write,
} from "@continuo/core/model";
import { formatOffset, STREAM_HEADERS } from "@continuo/core/wire";
import { failure, readBody } from "../http/index.ts";
import { type Call, headHeaders, logOf, requireAdministration, touched } from "./call.ts";
import { isClosing, producerOf } from "./headers.ts";
import { parseRecords } from "./posted-records.ts";
import { essenceOf, recordsOf } from "./records.ts";

export async function appendToStream(call: Call): Promise<Response> {
  const { headers } = call.request;
  const producer = producerOf(headers);
  const closing = isClosing(headers);
  if (closing) requireAdministration(call.grant, call.address, "close");
  const body = await readBody(call.request, call.context.limits.requestBytes);
  if (body.length === 0 && !closing) throw new ContinuoError("invalid", "the body is empty");
  try {
    if (body.length > 0) return await appendBody(call, body, producer);
    return await closeOnly(call, producer);
  } catch (error) {
    return refusal(error);
  }
}

/** Reads the log only if its media type is unknown, or has changed. */
async function appendBody(
  call: Call,
  body: Uint8Array,
  producer: ProducerWrite | undefined,
): Promise<Response> {
  const { mediaTypes, store, address } = call;
  const known = mediaTypes.get(store.workspaceId, address.logId);
  if (known !== undefined) {
    try {
      return await appendAs(call, body, { producer, mediaType: known });
    } catch (error) {
      // A log that was deleted and created again may have another type.
      mediaTypes.delete(store.workspaceId, address.logId);
      if (!isContinuoError(error, "conflict") && !isContinuoError(error, "invalid")) throw error;
    }
  }
  const { mediaType } = await logOf(call);
  mediaTypes.set(store.workspaceId, address.logId, mediaType);
  return await appendAs(call, body, { producer, mediaType });
}

interface AppendKind {
  readonly producer: ProducerWrite | undefined;
  readonly mediaType: string;
}

async function appendAs(
  call: Call,
  body: Uint8Array,
  { producer, mediaType }: AppendKind,
): Promise<Response> {
  const { store, address, request } = call;
  const events = await eventsOf(call, mediaType, body);
  const writerSequence = request.headers.get(STREAM_HEADERS.sequence);
  const closing = isClosing(request.headers);
  const also: Write[] = [];
  if (producer !== undefined) also.push(producer);
  if (writerSequence !== null) also.push({ type: "writer_sequence", value: writerSequence });
  if (closing) also.push({ type: "close" });
  const stored = await store.append(address.logId, events, { also, mediaType, signal: request.signal });
  const last = stored.at(-1);
  if (last === undefined) return repeated(call, producer);
  call.context.metrics.count("records_appended_total", {}, stored.length);
  return new Response(null, {
    status: producer === undefined ? 204 : 200,
    headers: {
      [STREAM_HEADERS.nextOffset]: formatOffset(last.sequence),
      ...(closing ? { [STREAM_HEADERS.closed]: "true" } : {}),
      ...producerHeaders(producer, producer?.sequence),
    },
  });
}

/** Errors: `invalid`, `conflict`, `forbidden`, `too_large`. */
async function eventsOf(call: Call, mediaType: string, body: Uint8Array): Promise<readonly NewEvent[]> {
  const given = call.request.headers.get("content-type");
  if (given === null) throw new ContinuoError("invalid", "Content-Type is missing");
  const records = recordsOf(mediaType);
  if (essenceOf(given) !== essenceOf(records.contentType)) {
    throw new ContinuoError("conflict", `the stream has the content type ${essenceOf(records.contentType)}`, {
      hint: "Send the Content-Type that the stream was created with.",
    });
  }
  const events = await parseRecords(call, records, body);
  if (events.length === 0) throw new ContinuoError("invalid", "the array is empty");
  return events;
}

/** The media type of an absent body does not matter. */
async function closeOnly(call: Call, producer: ProducerWrite | undefined): Promise<Response> {
  const { store, address, request } = call;
  const { signal } = request;
  if (producer !== undefined) {
    await store.append(address.logId, [], { also: [producer, { type: "close" }], signal });
    return repeated(call, producer);
  }
  const log = await touched(call, await store.closeLog(address.logId, { signal }));
  return new Response(null, { status: 204, headers: headHeaders(log) });
}

/** Answers with the position that the producer reached, because it sent this before or only closes the stream. */
async function repeated(call: Call, producer: ProducerWrite | undefined): Promise<Response> {
  const log = await touched(call, await logOf(call));
  const known = producer === undefined ? null : await call.store.getProducer(log.logId, producer.producerId);
  return new Response(null, {
    status: 204,
    headers: { ...headHeaders(log), ...producerHeaders(producer, known?.sequence) },
  });
}

function producerHeaders(
  producer: ProducerWrite | undefined,
  sequence: number | undefined,
): Record<string, string> {
  if (producer === undefined) return {};
  return {
    [STREAM_HEADERS.producerEpoch]: String(producer.epoch),
    [STREAM_HEADERS.producerSequence]: String(sequence ?? producer.sequence),
  };
}

/** Adds the protocol's headers to the answer to a refused write. */
function refusal(error: unknown): Response {
  if (!isContinuoError(error)) throw error;
  const { latestSequence, epoch, expected, received } = error.details;
  if (error.code === "log_closed") {
    return failure(error, {
      [STREAM_HEADERS.closed]: "true",
      ...(typeof latestSequence === "number"
        ? { [STREAM_HEADERS.nextOffset]: formatOffset(latestSequence) }
        : {}),
    });
  }
  if (error.code === "fenced" && typeof epoch === "number") {
    return failure(error, { [STREAM_HEADERS.producerEpoch]: String(epoch) });
  }
  if (error.code === "sequence_gap") {
    return failure(error, {
      [STREAM_HEADERS.producerExpected]: String(expected),
      [STREAM_HEADERS.producerReceived]: String(received),
    });
  }
  throw error;
}
