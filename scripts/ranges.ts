/** Answers with a file or a range of it, because a browser can seek in a video only if the server supports ranges. */

import type { IncomingMessage, ServerResponse } from "node:http";

export interface ServedFile {
  readonly type: string;
  readonly bytes: Buffer;
}

export function answerRange(
  request: IncomingMessage,
  response: ServerResponse,
  { type, bytes }: ServedFile,
): void {
  const headers = { "content-type": type, "accept-ranges": "bytes" };
  const [, from, to] = /^bytes=(\d+)-(\d*)$/u.exec(request.headers.range ?? "") ?? [];
  if (from === undefined) {
    response.writeHead(200, headers).end(bytes);
    return;
  }
  const last = to === undefined || to === "" ? bytes.length - 1 : Number(to);
  response.writeHead(206, { ...headers, "content-range": `bytes ${from}-${last}/${bytes.length}` });
  response.end(bytes.subarray(Number(from), last + 1));
}
