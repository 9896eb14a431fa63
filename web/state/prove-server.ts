/** A question to the server for a proof of itself, and nothing else. */

import { request } from "./server.ts";

/**
 * Verifies, after a WebSocket was opened again, that this is still the server that opened the page. The result is in
 * `access`.
 */
export async function proveServer(): Promise<void> {
  await request("/v1/pages/proof").catch(() => undefined);
}
