/**
 * Answers as they are sent: compressed if that makes them smaller, with a tag, so that a client which already has an
 * answer does not get it again.
 */

import { createHash } from "node:crypto";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeStream } from "node:stream/web";
import { promisify } from "node:util";
import { brotliCompress, constants, createBrotliCompress, createGzip, gzip } from "node:zlib";
import type { Reach } from "../context/index.ts";

export type Encoding = "br" | "gzip";

type Bytes = Uint8Array<ArrayBuffer>;

/** A shorter answer fits into one packet anyway. */
const LEAST_BYTES = 1_000;
/** A higher quality would take more time than the smaller answer saves. */
const BROTLI_QUALITY = 5;

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:[\w.+-]*\+)?(?:json|ndjson|x-ndjson|javascript|xml)\b|image\/svg)/u;

/**
 * The encoding that the client prefers, by the weights of RFC 9110: `br` if the client prefers neither; `null` if it
 * accepts none, or prefers no encoding. `*` means every encoding that is not named.
 */
export function encodingFor(header: string | null): Encoding | null {
  const weights = new Map((header ?? "").split(",").map(weightOf));
  const of = (name: Encoding): number => weights.get(name) ?? weights.get("*") ?? 0;
  const best: Encoding = of("br") >= of("gzip") ? "br" : "gzip";
  return of(best) > 0 && of(best) >= (weights.get("identity") ?? 0) ? best : null;
}

/** An encoding whose weight cannot be read is not used. */
function weightOf(text: string): readonly [name: string, weight: number] {
  const [name = "", ...parameters] = text.split(";").map((part) => part.trim().toLowerCase());
  const weight = parameters.find((one) => one.startsWith("q="))?.slice(2) ?? "1";
  return [name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/u.test(weight) ? Number(weight) : 0];
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);

/** @param quality of Brotli, 0 to 11 */
export async function compressed(
  bytes: Uint8Array,
  encoding: Encoding,
  quality: number = BROTLI_QUALITY,
): Promise<Bytes> {
  const made =
    encoding === "gzip"
      ? await compressGzip(bytes)
      : await compressBrotli(bytes, {
          params: {
            [constants.BROTLI_PARAM_QUALITY]: quality,
            [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
          },
        });
  return made as Bytes;
}

/**
 * Answers to methods other than `GET` and `HEAD` are not changed, nor is a stream of events, a part of a file, or an
 * answer that is already encoded. A long answer is compressed while it arrives.
 *
 * Answers can contain secrets next to text that others chose: what an agent read on the web, messages, captions. The
 * length of a compressed answer shows how much the two have in common (BREACH), and TLS does not hide it. Nobody can
 * see the traffic of a server with the reach `machine`; a server with the reach `network` compresses no answer here.
 * The files of its page contain no secret; `page/` compresses them.
 */
export async function encodedAnswer(request: Request, response: Response, reach: Reach): Promise<Response> {
  const { method } = request;
  const { status, body } = response;
  if ((method !== "GET" && method !== "HEAD") || (status !== 200 && status !== 304)) return response;
  if (!isCompressible(response.headers)) return response;
  // A copy is needed, because the `Response` of Hono's server has other headers after its body was read.
  const headers = new Headers(response.headers);
  // An answer without a body has the headers of the answer with its body.
  if (!headers.get("vary")?.includes("accept-encoding")) headers.append("vary", "accept-encoding");
  if (method === "HEAD" || body === null) return new Response(body, { status, headers });
  if (Number(headers.get("content-length") ?? LEAST_BYTES) < LEAST_BYTES)
    return new Response(body, { headers });
  const encoding = reach === "machine" ? encodingFor(request.headers.get("accept-encoding")) : null;
  const reader = body.getReader();
  const first = await reader.read();
  const next = first.done ? null : reader.read();
  // The body of a complete answer ends immediately; that of an answer which is still being made may pause here.
  if (next !== null && (await soon(next))?.done !== true) {
    const rest = joined(first.value ?? new Uint8Array(), next, reader);
    return encoding === null
      ? new Response(rest, { headers })
      : encodedResponse(streamed(rest, encoding), headers, encoding);
  }
  const bytes = first.value ?? new Uint8Array();
  if (!headers.has("etag") && isJson(headers) && bytes.length >= LEAST_BYTES) {
    headers.set("etag", `W/"${createHash("sha256").update(bytes).digest("base64url").slice(0, 27)}"`);
    if (isKnown(request, headers)) return new Response(null, { status: 304, headers });
  }
  if (encoding === null || bytes.length < LEAST_BYTES) return new Response(bytes, { headers });
  const small = await compressed(bytes, encoding);
  return small.length < bytes.length
    ? encodedResponse(small, headers, encoding)
    : new Response(bytes, { headers });
}

function isCompressible(headers: Headers): boolean {
  return (
    COMPRESSIBLE.test(headers.get("content-type") ?? "") &&
    !headers.has("content-encoding") &&
    !headers.has("content-range") &&
    !headers.has("accept-ranges")
  );
}

function isJson(headers: Headers): boolean {
  return (headers.get("content-type") ?? "").startsWith("application/json");
}

function isKnown(request: Request, headers: Headers): boolean {
  const known = request.headers.get("if-none-match")?.split(",") ?? [];
  return known.some((tag) => tag.trim() === headers.get("etag"));
}

function encodedResponse(
  body: Bytes | ReadableStream<Bytes>,
  headers: Headers,
  encoding: Encoding,
): Response {
  headers.set("content-encoding", encoding);
  headers.delete("content-length");
  // The tag is that of the bytes before the compression. A weak tag promises only the same content.
  const tag = headers.get("etag");
  if (tag !== null && !tag.startsWith("W/")) headers.set("etag", `W/${tag}`);
  return new Response(body, { headers });
}

/** An answer that is complete ends within this time; one that is still being made may take longer. */
const PAUSE_MS = 20;

async function soon<T>(next: Promise<T>): Promise<T | null> {
  const pause = Promise.withResolvers<null>();
  const timer = setTimeout(pause.resolve, PAUSE_MS, null);
  try {
    return await Promise.race([next, pause.promise]);
  } finally {
    clearTimeout(timer);
  }
}

type BytesReader = ReadableStreamDefaultReader<Bytes>;

/** A stream of the part that was already read, and then of the rest at the reader's pace. */
function joined(
  first: Bytes,
  next: ReturnType<BytesReader["read"]>,
  reader: BytesReader,
): ReadableStream<Bytes> {
  let coming: typeof next | null = next;
  return new ReadableStream(
    {
      start: (controller) => controller.enqueue(first),
      pull: async (controller) => {
        const { value } = await (coming ?? reader.read());
        coming = null;
        if (value === undefined) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Each part can be read when it has arrived: the client may show it before the end. */
function streamed(body: ReadableStream<Bytes>, encoding: Encoding): ReadableStream<Bytes> {
  const through =
    encoding === "gzip"
      ? createGzip({ flush: constants.Z_SYNC_FLUSH })
      : createBrotliCompress({
          flush: constants.BROTLI_OPERATION_FLUSH,
          params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY },
        });
  // A failure of either side ends the other one, so that the reader sees the failure of the stream.
  pipeline(Readable.fromWeb(body as NodeStream), through, () => undefined);
  return Readable.toWeb(through) as unknown as ReadableStream<Bytes>;
}
