/** Requests of the side panel for which the client of live sessions has no method. */

import { ContinuoError } from "@continuo/core/model";
import { errorFromWire } from "@continuo/core/wire";
import type { Server } from "../messages/messages.ts";
import { toBase64 } from "../watching/base64.ts";

const REQUEST_MS = 30_000;
const PICTURE_BYTES = 2_000_000;

/** Errors: those of the server; `unavailable`. */
export async function requestJson(
  server: Server,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
): Promise<unknown> {
  const response = await request(server, method, path, body);
  return response.status === 204 ? null : await response.json().catch(() => null);
}

/** A picture as a `data:` URL. Errors: those of the server; `invalid` for bytes that are not a picture. */
export async function requestPicture(server: Server, path: string): Promise<string> {
  const bytes = new Uint8Array(await (await request(server, "GET", path)).arrayBuffer());
  const mediaType = pictureType(bytes);
  if (mediaType === null || bytes.length > PICTURE_BYTES) {
    throw new ContinuoError("invalid", "the file is not a small picture");
  }
  return `data:${mediaType};base64,${toBase64(bytes)}`;
}

/** Detects the type by the first bytes: the server stores whatever a client sends. */
function pictureType(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 12));
  if (head.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (head.startsWith("\x89PNG")) return "image/png";
  return head.startsWith("RIFF") && head.endsWith("WEBP") ? "image/webp" : null;
}

/** The server's URL without slashes at its end. */
export function baseUrl(serverUrl: string): string {
  return serverUrl.replace(/\/+$/u, "");
}

async function request(
  { serverUrl, token }: Server,
  method: "GET" | "POST" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Response> {
  const response = await fetch(`${baseUrl(serverUrl)}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    redirect: "error",
    signal: AbortSignal.timeout(REQUEST_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new ContinuoError("unavailable", "the server does not answer", {
      hint: "Check that `continuo serve` runs, and that its URL in the settings is right.",
      cause,
    });
  });
  if (!response.ok) throw errorFromWire(await response.json().catch(() => null), response.status);
  return response;
}
