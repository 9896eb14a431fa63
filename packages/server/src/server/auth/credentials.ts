/** The credentials of a request: a bearer token, or the cookie of a page. */

import type { IncomingMessage } from "node:http";
import { ContinuoError } from "@continuo/core/model";
import type { Credentials } from "../context/index.ts";
import { cookieIn, cookieOf } from "./cookie.ts";

/** Errors: `forbidden` for a change with a cookie that does not come from a page of the server. */
export function credentialsOf(request: Request): Credentials {
  const { headers, method } = request;
  const header = headers.get("authorization");
  if (header !== null) {
    const secret = /^Bearer +(\S+)$/iu.exec(header)?.[1];
    return secret === undefined ? { sentAs: "header" } : { sentAs: "header", secret };
  }
  const cookie = cookieOf(request);
  if (cookie === undefined) return { sentAs: "header" };
  // The origin was checked before. Here the origin must be present: a form of another site cannot leave it out.
  if (method !== "GET" && method !== "HEAD" && headers.get("origin") === null) {
    throw new ContinuoError("forbidden", "a page must send its origin to change something");
  }
  return { sentAs: "cookie", secret: cookie };
}

/**
 * The credentials of a WebSocket whose page sends no token: its cookie. Every browser sends the page's origin with the
 * request, and the origin was checked before. A request without an origin is not from a page, so its cookie does not
 * count.
 */
export function pageCredentialsOf({ headers }: IncomingMessage): Credentials | undefined {
  const { cookie, host, origin } = headers;
  if (cookie === undefined || host === undefined || origin === undefined) return undefined;
  if (!URL.canParse(`http://${host}`)) return undefined;
  const secret = cookieIn(cookie, new URL(`http://${host}`));
  return secret === undefined ? undefined : { sentAs: "cookie", secret };
}

/** The credentials of a WebSocket: a token takes precedence over the cookie of the page. */
export function socketCredentials(token: string | undefined, page: Credentials | undefined): Credentials {
  if (token !== undefined) return { sentAs: "frame", secret: token };
  return page ?? { sentAs: "frame" };
}
