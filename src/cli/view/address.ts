/** The target of `continuo view`: a session by its id, or the address of a page. Pure. */

import { ContinuoError } from "@continuo/core/model";

export type Target =
  | { readonly type: "session"; readonly id: string }
  /**
   * `origin` is the address at which programs reach the server, `null` for the viewer of this machine; `place` is the
   * place in the fragment of the address, such as `/health`.
   */
  | { readonly type: "page"; readonly origin: URL | null; readonly place: string };

/** The host on which the viewer and `continuo serve` listen. */
export const HOST = "127.0.0.1";

const LIST = "/";

/** Errors: `usage` for an address that is not that of a page. */
export function parseTarget(text: string | null): Target {
  if (text === null) return { type: "page", origin: null, place: LIST };
  if (text.startsWith("#")) return { type: "page", origin: null, place: placeOf(text, text) };
  if (!/^https?:\/\//iu.test(text)) return { type: "session", id: text };
  if (!URL.canParse(text)) throw notAPage(text);
  const { origin, protocol, hostname, hash, username, password } = new URL(text);
  if (username !== "" || password !== "") throw notAPage(text);
  const server = new URL(origin);
  // Browsers resolve the names below `localhost`, but not every system does.
  if (protocol === "http:" && /(?:^|\.)localhost$/u.test(hostname)) server.hostname = HOST;
  return { type: "page", origin: server, place: placeOf(hash, text) };
}

/** Returns the place without the code, because the code was used before. */
function placeOf(hash: string, text: string): string {
  const match = /^(?:#(?:code=[^/]*)?(\/.*)?)?$/u.exec(hash);
  if (match === null) throw notAPage(text);
  const [, place = LIST] = match;
  return new URL(`http://page/#${place}`).hash.slice(1);
}

function notAPage(text: string): ContinuoError {
  return new ContinuoError("usage", `${JSON.stringify(text)} is not the address of a page of Continuo`, {
    hint: "Copy the address from the browser, with what follows the #.",
  });
}

export function isLoopbackPage({ protocol, hostname }: URL): boolean {
  return protocol === "http:" && hostname === HOST;
}

export function portOf({ port }: URL): number {
  return port === "" ? 80 : Number(port);
}
