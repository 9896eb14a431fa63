/** What a request proves itself with: a bearer token, or the cookie of a page. */

import { ContinuoError } from "../../model/index.ts";
import type { Credentials } from "../context/index.ts";
import { cookieOf } from "./cookie.ts";

/** Errors: `forbidden` for a change that a cookie is to allow, and no page of the server sent. */
export function credentialsOf(request: Request): Credentials {
  const { headers, method } = request;
  const header = headers.get("authorization");
  if (header !== null) {
    const secret = /^Bearer +(\S+)$/iu.exec(header)?.[1];
    return secret === undefined ? { sentAs: "header" } : { sentAs: "header", secret };
  }
  const cookie = cookieOf(request);
  if (cookie === undefined) return { sentAs: "header" };
  // The origin was checked before; here it must be there, which a form of another site cannot leave out.
  if (method !== "GET" && method !== "HEAD" && headers.get("origin") === null) {
    throw new ContinuoError("forbidden", "a page must send its origin to change something");
  }
  return { sentAs: "cookie", secret: cookie };
}
