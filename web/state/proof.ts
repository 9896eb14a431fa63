/** Proofs of the server: only the server that opened the page can compute the proof for a nonce. */

import { proofText } from "@continuo/core/wire";

export function newNonce(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(16)));
}

/** @param proof the proof that the server sent, if any */
export async function isProof(
  proof: string | null,
  { key, nonce }: { readonly key: string; readonly nonce: string },
): Promise<boolean> {
  const hash = { name: "HMAC", hash: "SHA-256" };
  const text = new TextEncoder();
  const imported = await crypto.subtle.importKey("raw", text.encode(key), hash, false, ["sign"]);
  return (
    proof === toHex(new Uint8Array(await crypto.subtle.sign("HMAC", imported, text.encode(proofText(nonce)))))
  );
}

function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
