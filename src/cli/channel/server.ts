/** Where the server is, and what a command proves itself with. */

import { ContinuoError, present } from "../../model/index.ts";
import { errorFromWire } from "../../wire/index.ts";
import { DEFAULT_LISTEN, readTokenFile, tokenFileOf } from "../serve/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ServerFlags } from "./flags.ts";

export interface ServerAccess {
  readonly serverUrl: string;
  readonly token?: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * The token of the private file that `continuo serve` makes goes to a server on this machine only; any other server
 * gets the one that is named for it. Errors: `usage`, `not_found` for a file that is not there.
 */
export function accessOf({ server, tokenFile }: ServerFlags, shell: Shell): ServerAccess {
  const { CONTINUO_SERVER, CONTINUO_TOKEN } = shell.env;
  const serverUrl = server ?? CONTINUO_SERVER ?? `http://${DEFAULT_LISTEN}`;
  if (!URL.canParse(serverUrl) || !/^https?:$/u.test(new URL(serverUrl).protocol)) {
    throw new ContinuoError("usage", `${JSON.stringify(serverUrl)} is not the URL of a server`, {
      hint: "Use the URL that `continuo serve` prints.",
    });
  }
  const token =
    tokenFile === undefined
      ? (CONTINUO_TOKEN ?? (LOOPBACK.has(new URL(serverUrl).hostname) ? ownToken(shell) : null))
      : namedToken(shell, tokenFile);
  return present({ serverUrl: serverUrl.replace(/\/+$/u, ""), token: token ?? undefined });
}

function ownToken(shell: Shell): string | null {
  return readTokenFile(tokenFileOf(shell, undefined));
}

function namedToken(shell: Shell, file: string): string {
  const token = readTokenFile(tokenFileOf(shell, file));
  if (token !== null) return token;
  throw new ContinuoError("not_found", `there is no token in ${file}`, {
    hint: "Create one with `continuo token create`.",
  });
}

/** One request. Errors: the server's; `unavailable` when it does not answer. */
export async function callServer(
  { serverUrl, token }: ServerAccess,
  path: string,
  body?: unknown,
): Promise<Readonly<Record<string, unknown>>> {
  const headers = present({
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    "content-type": body === undefined ? undefined : "application/json",
  });
  const response = await fetch(
    `${serverUrl}${path}`,
    present({
      method: body === undefined ? "GET" : "POST",
      headers,
      redirect: "error",
      body: body === undefined ? undefined : JSON.stringify(body),
    }),
  ).catch((cause: unknown) => {
    throw new ContinuoError("unavailable", `no server answers at ${serverUrl}`, {
      hint: "Start one with `continuo serve`, or name another address with --server or CONTINUO_SERVER.",
      details: { serverUrl },
      cause,
    });
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw errorFromWire(answer, response.status);
  return answer as Readonly<Record<string, unknown>>;
}

export function channelPath(channel: string, rest = ""): string {
  return `/v1/channels/${encodeURIComponent(channel)}${rest}`;
}
