/** A question to the server for a proof of itself, and nothing else. */

import { request } from "./server.ts";

/**
 * Makes sure that this is still the server that let the page in, when a WebSocket was opened again. What the page learns is in
 * `access`.
 */
export async function proveServer(): Promise<void> {
  await request("/v1/pages/proof").catch(() => undefined);
}
