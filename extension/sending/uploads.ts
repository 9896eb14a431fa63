/** What is uploaded before it is evidence: pictures, and pieces of audio. */

import { ContinuoError } from "../../src/model/index.ts";
import type { BlobPointer } from "../../src/wire/index.ts";
import { errorFromWire } from "../../src/wire/index.ts";
import { fromBase64 } from "../watching/base64.ts";
import type { AudioItem, Picture } from "./items.ts";

export interface Server {
  readonly serverUrl: string;
  readonly token: string;
}

const UPLOAD_MS = 60_000;

/** Errors: the server's; `unavailable`. */
export async function uploadPicture(
  server: Server,
  { mediaType, data }: Picture,
  signal: AbortSignal,
): Promise<BlobPointer> {
  const bytes = fromBase64(data);
  return (await post(server, "/v1/blobs", { mediaType, bytes, signal })) as BlobPointer;
}

/** The server takes a piece of audio with the same id once. Errors: the server's; `unavailable`. */
export async function uploadAudio(
  server: Server,
  key: string,
  { item, signal }: { readonly item: AudioItem; readonly signal: AbortSignal },
): Promise<void> {
  const { id, mediaTimeMs, endMs, lang, mediaType, bytes } = item;
  const query = new URLSearchParams({ id, startMs: String(mediaTimeMs), endMs: String(endMs) });
  if (lang !== null) query.set("lang", lang);
  await post(server, `/v1/live/${encodeURIComponent(key)}/audio?${query}`, { mediaType, bytes, signal });
}

async function post(
  { serverUrl, token }: Server,
  path: string,
  body: { readonly mediaType: string; readonly bytes: Uint8Array; readonly signal: AbortSignal },
): Promise<unknown> {
  const response = await fetch(`${serverUrl.replace(/\/+$/u, "")}${path}`, {
    method: "POST",
    headers: {
      "content-type": body.mediaType,
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    },
    redirect: "error",
    signal: AbortSignal.any([AbortSignal.timeout(UPLOAD_MS), body.signal]),
    body: new Blob([body.bytes as Uint8Array<ArrayBuffer>]),
  }).catch((cause: unknown) => {
    throw new ContinuoError("unavailable", "the server does not answer", { cause });
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw errorFromWire(answer, response.status);
  return answer;
}
