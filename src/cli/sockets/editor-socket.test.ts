/**
 * An editor reaches the agent host through a socket: whatever it claims about itself, only the viewer's token counts.
 */

import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { beforeEach, expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import { type EditorSocket, openEditorSocket } from "./editor-socket.ts";

let places: { readonly home: string; readonly env: Record<string, string> };
beforeEach(() => {
  const home = scratchFolder("c-edit");
  places = { home, env: { CONTINUO_HOME: home } };
});

interface Host extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Pick<IncomingMessage, "url" | "headers">[];
}

/** It sends `hello`, and then everything that it receives. */
async function startHost(): Promise<Host> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.end();
  });
  server.on("upgrade", (request, socket, head) => {
    requests.push(request);
    socket.write(
      "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\nhello ",
    );
    socket.write(head);
    socket.pipe(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const open = (url: string): Promise<EditorSocket> => openEditorSocket({ url, secret: "the-token" }, places);

/** Everything that arrives until the connection ends, or until the text ends with `until`. */
async function say(path: string | null, parts: readonly string[], until = ""): Promise<string> {
  const socket = connect(path ?? "");
  let heard = "";
  const { promise, resolve } = Promise.withResolvers<string>();
  socket.on("error", () => undefined).on("close", () => resolve(heard));
  socket.on("data", (part) => {
    heard += part;
    if (until !== "" && heard.endsWith(until)) socket.destroy();
  });
  for (const part of parts) {
    await new Promise((written) => socket.write(part, written));
  }
  return await promise;
}

const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";

test("a connection has the token of the viewer and the path of the agent host, and none of the editor's claims", async () => {
  await using host = await startHost();
  await using editors = await open(host.url);
  const claims =
    "Host: evil.example\r\nAuthorization: Bearer other\r\nCookie: a=b\r\nORIGIN: http://evil.example\r\n";
  const parts = [`GET /v1/tokens?tkn=other HTTP/1.1\r\n${claims}`, `${UPGRADE}\r\nfirst`, " second"];
  expect(await say(editors.path, parts, "hello first second")).toContain("101 Switching Protocols");
  const [{ url, headers } = { url: "", headers: {} }] = host.requests;
  expect(url).toBe("/v1/ahp");
  expect(headers).toMatchObject({
    authorization: "Bearer the-token",
    host: new URL(host.url).host,
    upgrade: "websocket",
  });
  expect([headers.cookie, headers.origin]).toEqual([undefined, undefined]);
});

test("a request head that does not end is cut off, and the viewer receives nothing of it", async () => {
  await using host = await startHost();
  await using editors = await open(host.url);
  const long = `GET / HTTP/1.1\r\n${"a".repeat(20_000)}`;
  expect(await say(editors.path, [long])).toBe("");
  expect(await say(editors.path, [`${long}\r\n\r\n`])).toBe("");
  expect(host.requests).toEqual([]);
});

test("the socket is removed with its viewer, and a second viewer does not take it from the first", async () => {
  await using host = await startHost();
  let path = "";
  {
    await using first = await open(host.url);
    path = first.path ?? "";
    await using second = await open(host.url);
    expect([existsSync(path), second.path]).toEqual([true, null]);
  }
  expect(existsSync(path)).toBe(false);
});
