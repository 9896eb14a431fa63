/**
 * Keys that bind a page to one start of a server that only its machine can reach: the page's secret is invalid after
 * the server stops, and the server can prove to the page that it opened the page. So another program that later uses
 * the port can neither use the secret nor give the proof. Several servers behind one address have no such keys; there
 * the certificate of TLS identifies the server.
 */

import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { ContinuoError } from "@continuo/core/model";
import { isNonce, proofText } from "@continuo/core/wire";
import type { Authenticate, Grant, PageKeys, Reach } from "../context/index.ts";

export function createPageKeys(reach: Reach): PageKeys {
  if (reach === "network") {
    return { secretOf: ({ secret }) => secret, proofKeyOf: () => null, proofFor: () => null };
  }
  const start = randomBytes(32);
  const keyFor = (purpose: "secret" | "proof", tokenId: string): string =>
    createHmac("sha256", start).update(`${purpose} ${tokenId}`).digest("base64url");
  const secretOf: PageKeys["secretOf"] = ({ tokenId, secret }) => `${secret}.${keyFor("secret", tokenId)}`;
  return {
    secretOf,
    proofKeyOf: (tokenId) => keyFor("proof", tokenId),
    proofFor: ({ page, tokenId }, nonce) => {
      if (page?.kind !== "tab" || tokenId === null || !isNonce(nonce)) return null;
      return createHmac("sha256", keyFor("proof", tokenId)).update(proofText(nonce)).digest("hex");
    },
  };
}

/** Refuses the secret of a page that was opened at another start of the server. Errors: as `authenticate`. */
export function withPageKeys(authenticate: Authenticate, keys: PageKeys): Authenticate {
  return async (credentials, peer) => {
    const sent = credentials.secret;
    const secret = sent?.split(".", 1)[0];
    const grant = await authenticate(secret === undefined ? credentials : { ...credentials, secret }, peer);
    if (secret === undefined || sent === undefined || grant.tokenId === null) return grant;
    const expected = isTab(grant) ? keys.secretOf({ tokenId: grant.tokenId, secret }) : secret;
    if (areEqual(sent, expected)) return grant;
    throw new ContinuoError("unauthorized", "the page was opened before the server started again", {
      hint: "Open the page again.",
    });
  };
}

function isTab({ page }: Grant): boolean {
  return page?.kind === "tab";
}

/** Compares secrets of one length in a time that does not depend on where they differ. */
export function areEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
