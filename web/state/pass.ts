/**
 * The pass of this tab: a secret from the server in exchange for its code, stored in the tab, and deleted with it. A
 * page has no pass on a host with TLS, where the browser has a cookie instead, or on a server without tokens.
 */

import type { PageEntry } from "@continuo/core/wire";

const PASS = "continuo-pass";

let pass: PageEntry | null = null;
try {
  pass = JSON.parse(sessionStorage.getItem(PASS) ?? "null");
} catch {
  // If the browser allows no storage, a reloaded page needs a new address.
}

export function passOfTab(): PageEntry | null {
  return pass;
}

/** `null` removes the pass from the tab. */
export function keepPass(entry: PageEntry | null): void {
  pass = entry?.secret == null ? null : entry;
  try {
    sessionStorage.setItem(PASS, JSON.stringify(pass));
  } catch {
    return;
  }
}

/** The token of a WebSocket, for its first frame. */
export function passSecret(): string | undefined {
  return pass?.secret ?? undefined;
}

/** The headers of a request that needs no proof. */
export function passHeaders(): Readonly<Record<string, string>> {
  return pass === null ? {} : { authorization: `Bearer ${pass.secret}` };
}
