/** Exchanges the code in the address, once, for the credentials of this tab. */

import { isNonce, type PageEntry, type PageRequest } from "@continuo/core/wire";
import { keepPass, passSecret } from "./pass.ts";
import { newNonce } from "./proof.ts";
import { access } from "./server.ts";

const CODE = /^#code=([^/]+)(\/.*)?$/u;
const NONCE = "continuo-tab";

/** The code is removed from the address; the route stays. */
export async function logIn(): Promise<void> {
  const [, code, place = "/"] = CODE.exec(location.hash) ?? [];
  if (code === undefined) return;
  await whenShown();
  const isLetIn = await exchange({ code: decodeURIComponent(code), nonce: tabNonce() }).catch(() => false);
  // A used code changes nothing in a tab that already has credentials.
  if (!isLetIn && passSecret() === undefined) access.value = "out";
  history.replaceState(null, "", `${location.pathname}#${place}`);
}

async function exchange(body: PageRequest): Promise<boolean> {
  const response = await fetch("/v1/pages/cookie", {
    method: "POST",
    body: JSON.stringify(body),
    headers: { "content-type": "application/json" },
  });
  if (response.ok) keepPass((await response.json()) as PageEntry);
  return response.ok;
}

/** Random, and only for this tab: a code that another tab has sent is useless to this one. */
function tabNonce(): string {
  try {
    const kept = sessionStorage.getItem(NONCE);
    if (isNonce(kept)) return kept;
    const made = newNonce();
    sessionStorage.setItem(NONCE, made);
    return made;
  } catch {
    return newNonce();
  }
}

/** A browser may load an address in advance, in a tab that it then discards. */
async function whenShown(): Promise<void> {
  if (!(document as { readonly prerendering?: boolean }).prerendering) return;
  await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve, { once: true }));
}
