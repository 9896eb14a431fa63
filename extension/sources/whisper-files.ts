/** The files of Whisper on the person's server: each is read completely, or not at all. */

import { LIMITS } from "../limits.ts";
import type { Server } from "../messages/messages.ts";
import { baseUrl } from "../sending/requests.ts";

/** True if the server has the file. False also if the server cannot be reached. */
export async function hasServerFile(server: Server, name: string): Promise<boolean> {
  try {
    return (await ask(server, name, "HEAD")).ok;
  } catch {
    return false;
  }
}

/** `null` for a file that the server does not have: some are optional. Errors: one line for the panel. */
export async function readServerFile(
  server: Server,
  name: string,
  mostBytes: number = LIMITS.whisperFileBytes,
): Promise<Blob | null> {
  const response = await ask(server, name, "GET").catch((cause: unknown) => {
    throw new Error(`the server did not answer for ${name}`, { cause });
  });
  if (response.status === 404) return null;
  if (!response.ok || response.body === null) {
    throw new Error(`the server answered ${response.status} for ${name}`);
  }
  const reader = response.body.getReader();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let size = Number(response.headers.get("content-length") ?? 0), read = 0; ; ) {
    if (Math.max(size, read) > mostBytes) {
      await reader.cancel();
      throw new Error(`${name} is larger than ${mostBytes / 1_000_000} MB`);
    }
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new Error(`${name} broke off`, { cause });
    });
    if (done) return new Blob(parts);
    parts.push(value);
    read += value.length;
    size = Math.max(size, read);
  }
}

/** A redirect would lead to another server. */
function ask({ serverUrl, token }: Server, name: string, method: "GET" | "HEAD"): Promise<Response> {
  return fetch(`${baseUrl(serverUrl)}/v1/whisper/${name}`, {
    method,
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    cache: "no-store",
    signal: AbortSignal.timeout(LIMITS.whisperMs),
  });
}
