/**
 * Obstacles between a client and its server, as far as a plain request shows them: browsers do not say why a WebSocket
 * did not open. Nothing is sent that names a user.
 */

import { ContinuoError, isContinuoError } from "../../model/index.ts";
import { errorFromWire } from "../../wire/index.ts";
import { httpAddress } from "./address.ts";
import { isRedirect, redirected } from "./same-server.ts";

/** Each of the two requests gets an answer in this time, or counts as unanswered. */
const PROBE_MS = 1_500;

/**
 * Returns `null` if nothing answers, or if another try may succeed. Otherwise `forbidden` for a page that the server
 * does not accept, `unsupported` if requests reach the server and WebSockets do not, `unavailable` for a redirect, or
 * the refusal of the server itself.
 */
export async function obstacleAt(url: string): Promise<ContinuoError | null> {
  const health = new URL(httpAddress(url));
  health.pathname = `${health.pathname.replace(/\/(?:v1\/.*)?$/u, "")}/healthz`;
  const answer = await ask(health.href, "cors");
  if (answer?.ok) return noWebSocket();
  if (answer !== null) {
    if (isRedirect(answer)) return redirected(health.href);
    const error = errorFromWire(await answer.json().catch(() => null), answer.status);
    return isContinuoError(error, "forbidden") ? error : null;
  }
  const { location } = globalThis as { readonly location?: { readonly origin: string } };
  const isForeign = location !== undefined && location.origin !== health.origin;
  // A page may not read the answer of a server that does not accept it, but learns that there is one.
  return isForeign && (await ask(health.href, "no-cors")) !== null ? pageRefused(location.origin) : null;
}

/** `null` if nothing answers, or if this page may not read the answer. */
async function ask(url: string, mode: "cors" | "no-cors"): Promise<Response | null> {
  const signal = AbortSignal.timeout(PROBE_MS);
  try {
    // A request without `cors` must follow redirects.
    const redirect = mode === "cors" ? "manual" : "follow";
    return await fetch(url, { mode, redirect, signal, credentials: "omit", cache: "no-store" });
  } catch {
    return null;
  }
}

function noWebSocket(): ContinuoError {
  return new ContinuoError("unsupported", "the server answers over HTTP, but not over a WebSocket", {
    hint: "Let the proxy in front of it pass WebSockets (`Upgrade` and `Connection`), or name the server itself with --server.",
  });
}

function pageRefused(origin: string): ContinuoError {
  const hint =
    origin === "null"
      ? "Open the page over HTTP, and start the server with --origin and the origin of the page."
      : `Start the server with \`--origin ${origin}\`, or add it to the \`origins\` of its handler.`;
  return new ContinuoError("forbidden", `the server does not accept pages of ${origin}`, { hint });
}
