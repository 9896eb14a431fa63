import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { ContinuoChatTransport } from "./chat-transport.ts";

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** A server that redirects each request to `target`, or answers it with an empty chat. */
async function listening(target?: string): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (target === undefined) response.end(JSON.stringify({ messages: [], open: [] }));
    else response.writeHead(307, { location: `${target}${request.url}` }).end();
  });
  servers.push(server);
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

test("a message of the AI SDK fails at once if its server redirects to another one, which receives nothing", async () => {
  const other = await listening();
  const named = await listening(other.url);
  const transport = new ContinuoChatTransport({ url: named.url, headers: { "x-shop": "secret" } });
  const message = {
    id: "m1",
    role: "user" as const,
    parts: [{ type: "text" as const, text: "for the shop" }],
  };
  const sent = transport.sendMessages({
    chatId: "ann",
    messages: [message],
    trigger: "submit-message",
    messageId: undefined,
    abortSignal: undefined,
  });
  const refused = { code: "unavailable", message: `the server at ${named.url} redirects to another address` };
  await expect(sent).rejects.toMatchObject(refused);
  await expect(transport.load("ann")).rejects.toMatchObject(refused);
  expect(named.seen).toEqual(["POST /v1/sessions/ann/chat", "GET /v1/sessions/ann/chat"]);
  expect(other.seen).toEqual([]);
});

test("a redirect is named also if the server has no address but a path of the page, and its target is hidden", async () => {
  const hidden = Object.defineProperty(Response.error(), "type", { value: "opaqueredirect" });
  const transport = new ContinuoChatTransport({ url: "/continuo", fetch: async () => hidden });
  await expect(transport.load("ann")).rejects.toMatchObject({
    code: "unavailable",
    message: "the server at /continuo redirects to another address",
  });
});
