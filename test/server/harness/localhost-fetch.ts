/** `fetch` for pages with a name below `localhost`, which browsers find, and node finds only on some systems. */

import { request } from "node:http";
import { buffer } from "node:stream/consumers";

export interface NamedRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** It connects to 127.0.0.1 and sends the name as `Host`. */
export function fetchNamed(
  url: string,
  { method = "GET", headers = {}, body = "" }: NamedRequest = {},
): Promise<Response> {
  const { host, port, pathname, search } = new URL(url);
  const options = { host: "127.0.0.1", port, path: `${pathname}${search}`, method };
  return new Promise((resolve, reject) => {
    const sent = request({ ...options, headers: { ...headers, host } }, (answer) => {
      const { statusCode: status = 0, headers: names } = answer;
      const fields = Object.entries(names).map(([name, value]): [string, string] => [name, String(value)]);
      buffer(answer).then((bytes) => {
        resolve(new Response(bytes.length === 0 ? null : bytes, { status, headers: fields }));
      }, reject);
    });
    sent.on("error", reject).end(body);
  });
}
