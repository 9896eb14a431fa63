/** The exchange of the code in the address, once, for what lets this tab in. */

import { isNonce, type PageEntry, type PageRequest } from "@continuo/core/wire";
import { keepPass, passSecret } from "./pass.ts";
import { newNonce } from "./proof.ts";
import { access } from "./server.ts";

const CODE = /^#code=([^/]+)(\/.*)?$/u;
const NONCE = "continuo-tab";

/** The code leaves the address; the route stays. */
export async function logIn(): Promise<void> {
  const [, code, place = "/"] = CODE.exec(location.hash) ?? [];
  if (code === undefined) return;
  await whenShown();
  const isLetIn = await exchange({ code: decodeURIComponent(code), nonce: tabNonce() }).catch(() => false);
  // A used code in a tab that was let in before changes nothing.
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

/** Random and only of this tab: a code that another tab has sent is of no use to this one. */
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

/** A browser may load an address that it expects to be opened, in a tab that it then throws away. */
async function whenShown(): Promise<void> {
  if (!(document as { readonly prerendering?: boolean }).prerendering) return;
  await new Promise((resolve) => document.addEventListener("prerenderingchange", resolve, { once: true }));
}
