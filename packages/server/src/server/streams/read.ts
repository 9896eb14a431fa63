/** GET: catch-up, a page at a time, and long-poll. */

import { ContinuoError, EVENTS_MEDIA_TYPE, type Log, type StoredEvent } from "@continuo/core/model";
import { formatOffset, parseOffset, STREAM_HEADERS } from "@continuo/core/wire";
import { LIMITS } from "../context/index.ts";
import { countedAnswer, type SizedAnswer } from "../http/index.ts";
import { type Batch, newBatches } from "./batches.ts";
import { type Call, logOf, touched } from "./call.ts";
import { cursorAfter } from "./cursor.ts";
import { bodyOf, inFrame, type Records, recordsOf } from "./records.ts";
import { streamEvents } from "./sse.ts";

export type StartOffset = number | "now";

export async function readStream(call: Call): Promise<Response> {
  const live = call.url.searchParams.get("live");
  const start = startOf(call.url.searchParams);
  if ((live === "long-poll" || live === "sse") && start === undefined) {
    throw new ContinuoError("invalid", `${live} requires an offset`, {
      hint: "Begin with offset=-1, or with offset=now.",
    });
  }
  const log = await touched(call, await logOf(call));
  const after = start === "now" ? log.latestSequence : (start ?? 0);
  if (after > log.latestSequence) {
    throw new ContinuoError("out_of_range", "the offset is beyond the end of the stream", {
      hint: "Begin with offset=-1: the stream may have been deleted and created again.",
      details: { latestOffset: formatOffset(log.latestSequence) },
    });
  }
  if (live === "sse") return await streamEvents(call, log, after);
  if (live === "long-poll") return await longPoll(call, log, after);
  if (start === "now") return nothingYet(log);
  return await countedPage(call, {}, async () => ({ log, after, page: await pageAfter(call, log, after) }));
}

function countedPage(
  call: Call,
  extra: Record<string, string>,
  read: () => Promise<LogPage>,
): Promise<Response> {
  return countedAnswer(call, LIMITS.pageBytes, async () => pageAnswer(call, await read(), extra));
}

/** Errors: `invalid`. */
function startOf(parameters: URLSearchParams): StartOffset | undefined {
  const [offset, ...more] = parameters.getAll("offset");
  if (offset === undefined) return undefined;
  if (more.length > 0) throw new ContinuoError("invalid", "there is more than one offset");
  if (offset === "-1") return 0;
  if (offset === "now") return "now";
  const sequence = parseOffset(offset);
  if (sequence === null) throw new ContinuoError("invalid", "the offset is malformed");
  return sequence;
}

/** The parts of a response. */
interface Page {
  readonly body: () => Uint8Array<ArrayBuffer>;
  /** The position of the last record, if there is one. */
  readonly end: { readonly sequence: number; readonly chainHash: string } | undefined;
  readonly atEnd: boolean;
}

/** Reads a page: the store joins records of bytes, but each event is written as JSON here. */
async function pageAfter({ store, address, request }: Call, log: Log, after: number): Promise<Page> {
  const { signal } = request;
  const limits = { after, limit: LIMITS.pageEvents, maxBytes: LIMITS.pageBytes, signal };
  const records = recordsOf(log.mediaType);
  if (log.mediaType === EVENTS_MEDIA_TYPE) {
    const { events, nextAfter } = await store.read(address.logId, limits);
    return pageOf(records, events, nextAfter === null);
  }
  const separator = records.framing === "array" ? "," : "";
  const joined = await store.readJoined(address.logId, { ...limits, separator });
  const { bytes, lastSequence, lastHash, nextAfter } = joined;
  return {
    body: () => inFrame(records, bytes),
    end: lastHash === null ? undefined : { sequence: lastSequence, chainHash: lastHash },
    atEnd: nextAfter === null,
  };
}

function pageOf(records: Records, events: readonly StoredEvent[], atEnd: boolean): Page {
  return { body: () => bodyOf(records, events), end: events.at(-1), atEnd };
}

function nothingYet(log: Log): Response {
  const records = recordsOf(log.mediaType);
  return new Response(records.framing === "array" ? "[]" : "", {
    headers: {
      "content-type": records.contentType,
      "cache-control": "no-store",
      [STREAM_HEADERS.nextOffset]: formatOffset(log.latestSequence),
      [STREAM_HEADERS.upToDate]: "true",
      ...(log.closedAt === undefined ? {} : { [STREAM_HEADERS.closed]: "true" }),
    },
  });
}

interface LogPage {
  /** The log before the page was read: if it was closed then, it has no record after the page. */
  readonly log: Log;
  readonly after: number;
  readonly page: Page;
}

function pageAnswer(call: Call, { log, after, page }: LogPage, extra: Record<string, string>): SizedAnswer {
  const records = recordsOf(log.mediaType);
  const { end, atEnd } = page;
  const sequence = end?.sequence ?? after;
  const closed = atEnd && log.closedAt !== undefined;
  // The chain hash distinguishes the log from a later one with the same name.
  const chain = (end?.chainHash ?? log.chainHash).slice(0, 16);
  const etag = `"${after}-${sequence}-${chain}${atEnd ? "-e" : ""}${closed ? "-c" : ""}"`;
  const headers = {
    ...extra,
    "content-type": records.contentType,
    "cache-control": cacheControl(call, atEnd),
    etag,
    [STREAM_HEADERS.nextOffset]: formatOffset(sequence),
    ...(atEnd ? { [STREAM_HEADERS.upToDate]: "true" } : {}),
    ...(closed ? { [STREAM_HEADERS.closed]: "true" } : {}),
  };
  if (matches(call.request.headers.get("if-none-match"), etag)) {
    return { response: new Response(null, { status: 304, headers }), sizeBytes: 0 };
  }
  const body = page.body();
  return { response: new Response(body, { headers }), sizeBytes: body.length };
}

/**
 * A page before the end of a log never changes, except by pruning. A response that needs a token is cached only for the
 * holder of the token.
 */
function cacheControl({ grant }: Call, atEnd: boolean): string {
  const who = grant.tokenId === null ? "public" : "private";
  return atEnd ? `${who}, no-cache` : `${who}, max-age=60, stale-while-revalidate=300`;
}

function matches(header: string | null, etag: string): boolean {
  if (header === null) return false;
  return header.split(",").some((one) => {
    const given = one.trim().replace(/^W\//, "");
    return given === "*" || given === etag;
  });
}

async function longPoll(call: Call, log: Log, after: number): Promise<Response> {
  const cursor = cursorAfter(call.url.searchParams.get("cursor"), { now: Date.now(), random: Math.random });
  const extra = { [STREAM_HEADERS.cursor]: cursor };
  if (after < log.latestSequence) {
    return await countedPage(call, extra, async () => ({
      log,
      after,
      page: await pageAfter(call, log, after),
    }));
  }
  const batch = log.closedAt === undefined ? await nextBatch(call, after) : CLOSED;
  await touched(call, log);
  if (batch.events.length > 0) {
    const page = pageOf(recordsOf(log.mediaType), batch.events, true);
    return await countedPage(call, extra, async () => ({ log, after, page }));
  }
  return new Response(null, {
    status: 204,
    headers: {
      ...extra,
      "cache-control": "no-store",
      [STREAM_HEADERS.nextOffset]: formatOffset(after),
      [STREAM_HEADERS.upToDate]: "true",
      ...(batch.state === "closed" ? { [STREAM_HEADERS.closed]: "true" } : {}),
    },
  });
}

interface NextRecords extends Pick<Batch, "state"> {
  readonly events: readonly StoredEvent[];
}

const CLOSED: NextRecords = { events: [], state: "closed" };

/** Waits for the next batch. It is empty if the log is closed, the wait is over, or the server is closing. */
async function nextBatch(call: Call, after: number): Promise<NextRecords> {
  const { store, address, request, context } = call;
  const lost = new AbortController();
  using _connection = context.quotas.connect(call.grant, () => lost.abort());
  const ends = [lost.signal, request.signal, context.draining, AbortSignal.timeout(context.longPollMs)];
  const signal = AbortSignal.any(ends);
  for await (const batch of newBatches(store, address.logId, { after, signal })) {
    const events = batch.take();
    if (events.length > 0 || batch.state === "closed") return { events, state: batch.state };
  }
  return { events: [], state: "up to date" };
}
