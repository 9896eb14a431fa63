/** The address of a server, and the header that names the person. */

import { ContinuoError } from "../../model/index.ts";

/** Returns a token, or makes one before each request. */
export type TokenSource = string | (() => string | Promise<string>) | undefined;

/** The hint of errors for a server that does not answer. */
export const CHECK_SERVER = "Check that the server runs and that its URL is right.";

/** Errors: `invalid`. */
export function assertServerUrl(serverUrl: unknown): asserts serverUrl is string {
  const url = typeof serverUrl === "string" && URL.canParse(serverUrl) ? new URL(serverUrl) : null;
  const hasSecret = url !== null && `${url.username}${url.password}` !== "";
  if (url !== null && /^(?:https?|wss?):$/u.test(url.protocol) && !hasSecret) return;
  const name = hasSecret ? url.origin : String(serverUrl ?? "").slice(0, 200);
  throw new ContinuoError(
    "invalid",
    name === "" ? "no serverUrl is given" : `${name} is not the URL of a server`,
    {
      hint: "Give the URL that `continuo serve` prints, without a token, as `serverUrl` or with --server.",
    },
  );
}

/** The address below which the paths of the server are, also for the address of a WebSocket; without a query. */
export function httpAddress(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.protocol = url.protocol.replace("ws", "http");
  url.search = "";
  url.hash = "";
  return url.href.replace(/\/+$/u, "");
}

/** The same address for WebSockets. */
export function socketAddress(serverUrl: string): string {
  return httpAddress(serverUrl).replace("http", "ws");
}

/** No header without a token: the server may know the person by a cookie. */
export async function authorizationOf(token: TokenSource): Promise<{ readonly authorization?: string }> {
  const secret = typeof token === "function" ? await token() : token;
  return secret === undefined ? {} : { authorization: `Bearer ${secret}` };
}
