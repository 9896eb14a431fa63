/** A page sends only to the server that it names, also if that server redirects it to another one. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { FakeSocket } from "../../../../test/channels/fake-socket.ts";
import { openChat } from "./chat/index.ts";
import { openChannel } from "./open-channel.ts";

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

async function listening(answer: Answer) {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${new URL(request.url ?? "", "http://a").pathname}`);
    answer(request, response);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return {
    seen,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

const accept: Answer = (_, response) => void response.writeHead(200).end("{}");

test("a chat sends no message to a server to which its own server redirects", async () => {
  await using other = await listening(accept);
  await using named = await listening(({ method, url }, response) => {
    if (method === "POST") return void response.writeHead(307, { location: `${other.url}${url}` }).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ type: "chat", messages: [], open: [] })}\n\n`);
  });
  using chat = await openChat({ serverUrl: named.url, session: "ann", token: "secret" });
  chat.send("for the shop only").catch(() => undefined);
  const posts = (): readonly string[] =>
    [...named.seen, ...other.seen].filter((one) => one === "POST /v1/sessions/ann/chat");
  // The page tries again at its own server, or has followed the redirect.
  await expect.poll(() => posts().length, { timeout: 10_000 }).toBeGreaterThan(1);
  expect(other.seen).toEqual([]);
});

test("a chat and a channel read nothing from a server to which their own server redirects", async () => {
  await using other = await listening(accept);
  let redirected = 0;
  await using named = await listening(({ url }, response) => {
    redirected += 1;
    if (redirected <= 1) return void response.writeHead(302, { location: `${other.url}${url}` }).end();
    response.writeHead(403).end(JSON.stringify({ error: { code: "forbidden", message: "no" } }));
  });
  const access = { serverUrl: named.url, token: "secret" };
  await expect(openChat({ ...access, session: "ann" })).rejects.toMatchObject({ code: "forbidden" });
  redirected = 0;
  const openSocket = (url: string): WebSocket => {
    const socket = new FakeSocket(url);
    queueMicrotask(() => socket.accept());
    return socket as unknown as WebSocket;
  };
  const joining = { ...access, openSocket, channel: "tea", handle: "ann", firstConnectionMs: 500 };
  openChannel(joining).catch(() => undefined);
  await expect.poll(() => named.seen).toContain("GET /v1/channels/tea/messages");
  expect(other.seen).toEqual([]);
});
