/** Requests that go only to the server that the caller named, because a redirect would take the token to another one. */

import { ContinuoError } from "../../model/index.ts";

/** Like `fetch`. Errors: `unavailable` for a redirect; those of `fetch`. */
export async function fetchThere(url: string, request: Omit<RequestInit, "redirect">): Promise<Response> {
  const response = await fetch(url, { ...request, redirect: "manual" });
  if (isRedirect(response)) throw redirected(url);
  return response;
}

/** Browsers hide the status and the target of a redirect. */
export function isRedirect({ type, status }: Response): boolean {
  return type === "opaqueredirect" || (status >= 300 && status < 400);
}

/** @param url a path for a server of the same origin as the page */
export function redirected(url: string): ContinuoError {
  const server = URL.canParse(url) ? new URL(url).origin : url;
  return new ContinuoError("unavailable", `the server at ${server} redirects to another address`, {
    hint: "Name the address to which it redirects: nothing is sent to a server that you did not name.",
  });
}
