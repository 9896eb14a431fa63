/** The address of the server, and the token of a command. */

import { ContinuoError, isContinuoError, present } from "@continuo/core/model";
import { errorFromWire } from "@continuo/core/wire";
import { usersListening } from "@continuo/files";
import { DEFAULT_LISTEN, readTokenFile, tokenFileOf } from "../serve/index.ts";
import type { Shell } from "../terminal/index.ts";
import type { ServerFlags } from "./flags.ts";

export interface ServerAccess {
  readonly serverUrl: string;
  readonly token?: string;
}

const LOOPBACK: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/** Host names of this machine, at which a program of another user may listen. */
const THIS_MACHINE = /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\]|(?:.+\.)?localhost\.?)$/u;

/**
 * The token in the private file that `continuo serve` creates is sent only to a server on this machine. If the system
 * reports that a program of another user listens on this machine, a token is sent to it only if the server and the file
 * of the token are both named. No token is sent to another machine without TLS, unless `CONTINUO_INSECURE` is 1.
 * Errors: `usage`, `not_found` for a file that does not exist, `forbidden`.
 */
export async function accessOf(
  { server, tokenFile }: Partial<ServerFlags>,
  shell: Shell,
  users: typeof usersListening = usersListening,
): Promise<ServerAccess> {
  const { CONTINUO_SERVER, CONTINUO_TOKEN, CONTINUO_INSECURE } = shell.env;
  const named = server ?? CONTINUO_SERVER;
  const serverUrl = named ?? `http://${DEFAULT_LISTEN}`;
  if (!URL.canParse(serverUrl) || !/^https?:$/u.test(new URL(serverUrl).protocol)) {
    throw new ContinuoError("usage", `${JSON.stringify(serverUrl)} is not the URL of a server`, {
      hint: "Use the URL that `continuo serve` prints.",
    });
  }
  const url = new URL(serverUrl);
  const isOwn = tokenFile === undefined && CONTINUO_TOKEN === undefined && LOOPBACK.has(url.hostname);
  const sends = isOwn || tokenFile !== undefined || CONTINUO_TOKEN !== undefined;
  if (THIS_MACHINE.test(url.hostname)) {
    const isChosen = named !== undefined && tokenFile !== undefined;
    if (sends && !isChosen) await assertOfThisUser(url, users);
  } else if (sends && url.protocol === "http:" && CONTINUO_INSECURE !== "1") {
    throw new ContinuoError("forbidden", `a token is not sent to ${url.host} without TLS`, {
      hint: "Use an https address, or set CONTINUO_INSECURE=1 in a network in which nobody else can listen.",
      details: { host: url.host },
    });
  }
  const token = isOwn
    ? ownToken(shell)
    : tokenFile === undefined
      ? CONTINUO_TOKEN
      : namedToken(shell, tokenFile);
  return present({ serverUrl: serverUrl.replace(/\/+$/u, ""), token: token ?? undefined });
}

const ROOT = 0;

/** The system starts some servers as root, and root can read the token anyway. */
async function assertOfThisUser({ port, protocol }: URL, users: typeof usersListening): Promise<void> {
  const own = process.getuid?.();
  const number = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  const found = own === undefined ? null : await users(number);
  const stranger = found?.find((user) => user !== own && user !== ROOT);
  if (stranger === undefined) return;
  throw new ContinuoError(
    "forbidden",
    `port ${number} belongs to a program of another user (uid ${stranger})`,
    {
      hint: "Start `continuo serve` on another port and name it with --server, or name that server with --server and its token with --token-file.",
      details: { port: number, user: stranger },
    },
  );
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

/** The longest time for the answer to one request. The check of a long log takes long. */
const ANSWER_MS = 60_000;

/**
 * Sends one request. Errors: those of the server; `unavailable` if it does not answer, redirects, or is not a server of
 * Continuo.
 */
export async function callServer(
  { serverUrl, token }: ServerAccess,
  path: string,
  body?: unknown,
  method: "GET" | "POST" | "PUT" | "DELETE" = body === undefined ? "GET" : "POST",
): Promise<Readonly<Record<string, unknown>>> {
  const headers = present({
    authorization: token === undefined ? undefined : `Bearer ${token}`,
    "content-type": body === undefined ? undefined : "application/json",
  });
  // Lists load this file, and send nothing.
  const { fetchThere } = await import("@continuo/core/client/requests");
  const response = await fetchThere(
    `${serverUrl}${path}`,
    present({
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    }),
  ).catch((cause: unknown) => {
    if (isContinuoError(cause)) throw cause;
    throw new ContinuoError("unavailable", `no server answers at ${serverUrl}`, {
      hint: "Start one with `continuo serve`, or name another address with --server or CONTINUO_SERVER.",
      details: { serverUrl },
      cause,
    });
  });
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw errorFromWire(answer, response.status);
  if (typeof answer !== "object" || answer === null) throw strangeAnswer(serverUrl);
  return answer as Readonly<Record<string, unknown>>;
}

/** The error for an answer that no server of Continuo gives. */
export function strangeAnswer(serverUrl: string): ContinuoError {
  return new ContinuoError("unavailable", `the answer of ${serverUrl} is not one of Continuo's server`, {
    hint: "Check the address: another program may listen there, or a proxy may answer in its place.",
    details: { serverUrl },
  });
}

export function channelPath(channel: string, rest = ""): string {
  return `/v1/channels/${encodeURIComponent(channel)}${rest}`;
}
