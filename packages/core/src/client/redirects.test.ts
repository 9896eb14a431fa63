/** A page sends only to the server that it names, also if that server redirects it to another one. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { FakeSocket } from "../../../../test/channels/fake-socket.ts";
import { openChat } from "./chat/index.ts";
import { connect } from "./connect.ts";
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
const ADDRESS = { token: "secret", session: "ann", channel: "tea", handle: "ann" } as const;
const REDIRECTED = { code: "unavailable", message: expect.stringContaining("redirects to another address") };

test("a message of a chat fails at once if its server redirects to another one, which receives nothing", async () => {
  await using other = await listening(accept);
  await using named = await listening(({ method, url }, response) => {
    if (method === "POST") return void response.writeHead(307, { location: `${other.url}${url}` }).end();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(`data: ${JSON.stringify({ type: "chat", messages: [], open: [] })}\n\n`);
  });
  const { token, session } = ADDRESS;
  using chat = await openChat({ serverUrl: named.url, session, token });
  await expect(chat.send("for the shop only")).rejects.toMatchObject(REDIRECTED);
  expect(named.seen.filter((one) => one.startsWith("POST"))).toEqual(["POST /v1/sessions/ann/chat"]);
  expect(other.seen).toEqual([]);
});

test("a chat, a channel and a connection say that their server redirects to another one, which receives nothing", async () => {
  await using other = await listening(accept);
  await using named = await listening(({ url }, response) => {
    response.writeHead(302, { location: `${other.url}${url}` }).end();
  });
  const { token, session, channel, handle } = ADDRESS;
  const access = { serverUrl: named.url, token };
  await expect(openChat({ ...access, session })).rejects.toMatchObject(REDIRECTED);
  const openSocket = (url: string): WebSocket => {
    const socket = new FakeSocket(url);
    queueMicrotask(() => socket.accept());
    return socket as unknown as WebSocket;
  };
  const joining = { ...access, channel, handle, firstConnectionMs: 500, onWarning: () => undefined };
  await expect(openChannel({ ...joining, openSocket })).rejects.toMatchObject(REDIRECTED);
  expect(named.seen).toContain("GET /v1/channels/tea/messages");
  await expect(connect(joining)).rejects.toMatchObject(REDIRECTED);
  expect(other.seen).toEqual([]);
});
