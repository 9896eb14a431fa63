/** Opens a page of a server as a browser does: a code for a token, and the exchange of the code. */

import { randomBytes } from "node:crypto";
import type { PageEntry } from "@continuo/core/wire";
import { fetchNamed } from "./localhost-fetch.ts";

export const newNonce = (): string => randomBytes(16).toString("base64url");

/** Gets a code that opens a page. */
export async function codeFor(url: string, token: string, query = ""): Promise<string> {
  const response = await fetch(`${url}/v1/pages/code${query}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
  });
  const { code, error } = (await response.json()) as { readonly code?: string; readonly error?: unknown };
  if (code === undefined) throw new Error(`there is no code: ${JSON.stringify(error)}`);
  return code;
}

export interface Exchange {
  readonly nonce?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export function exchange(
  url: string,
  code: string,
  { nonce = newNonce(), headers = { origin: url } }: Exchange = {},
): Promise<Response> {
  return fetchNamed(`${url}/v1/pages/cookie`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ code, nonce }),
  });
}

/** Opens a page with a token. Returns the answer, which has the secret of the tab. */
export async function openPage(
  url: string,
  token: string,
  query = "",
): Promise<PageEntry & { readonly secret: string }> {
  const response = await exchange(url, await codeFor(url, token, query));
  const entry = (await response.json()) as PageEntry;
  if (entry.secret === null || entry.secret === undefined) {
    throw new Error(`the page got no secret: ${JSON.stringify(entry)}`);
  }
  return { ...entry, secret: entry.secret };
}
