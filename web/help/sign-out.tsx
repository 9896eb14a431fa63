/** The button that ends this page: on the server, which then no longer accepts its secret, and in the tab. */

import type { VNode } from "preact";
import { keepPass } from "../state/pass.ts";
import { access, request } from "../state/server.ts";

export function SignOut(): VNode | null {
  if (access.value !== "in") return null;
  return (
    <button type="button" class="quiet" onClick={() => void signOut()}>
      Sign out
    </button>
  );
}

async function signOut(): Promise<void> {
  // A server that does not answer now ends the page later, because nothing uses the page any more.
  await request("/v1/pages/cookie", { method: "DELETE" }).catch(() => null);
  keepPass(null);
  if (access.value === "in") access.value = "out";
}
