/** Sends a request with any `Host` and `Origin`, as every program can, although `fetch` does not allow it. */

import { request } from "node:http";
import { text } from "node:stream/consumers";

/** @param init the options of `request`, as JSON */
export function send(
  server: string,
  init: string,
  body = "",
): Promise<{ readonly status: number | undefined; readonly body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(server, JSON.parse(init), (response) => {
      text(response).then((said) => resolve({ status: response.statusCode, body: said }), reject);
    });
    sent.on("error", reject).end(body);
  });
}
