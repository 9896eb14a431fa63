/** Bodies of requests, bounded by a limit. */

import { ContinuoError } from "@continuo/core/model";
import { LIMITS } from "../context/index.ts";
import { parseJson } from "./json.ts";

const NOTHING = new Uint8Array();

/** Errors: `too_large`. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limit) throw tooLarge(limit);
  // The HTTP parser enforces a declared length, so the body cannot be longer. `body` is not touched in this case: the
  // the access would turn a body that can be read at once into a stream.
  if (declared > 0) return new Uint8Array(await request.arrayBuffer());
  if (request.body === null) return NOTHING;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}

/** An object of JSON. Errors: `invalid`, `too_large`. */
export async function readJsonObject(
  request: Request,
  maxBytes: number = LIMITS.configBytes,
): Promise<Readonly<Record<string, unknown>>> {
  const body = await readBody(request, maxBytes);
  if (body.length === 0) return {};
  const value = await parseJson(body);
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new ContinuoError("invalid", "the body is not a JSON object");
  }
  return value as Readonly<Record<string, unknown>>;
}

function tooLarge(limit: number): ContinuoError {
  return new ContinuoError("too_large", `the body is larger than ${limit} bytes`, {
    hint: "Send it in several requests, or keep it as a blob.",
    details: { limit },
  });
}
