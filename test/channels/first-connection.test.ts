/** The first connection of a client, when the server is not there yet. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "@continuo/core/client";
import { isContinuoError } from "@continuo/core/model";
import { allowEverybody, createServer as createContinuo, listen } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";

/** Answers 503 to everything, like a proxy whose server is down. */
async function closedDoor() {
  const server = createServer((_, response) => response.writeHead(503).end());
  server.on("upgrade", (_, socket) => socket.end("HTTP/1.1 503 Service Unavailable\r\n\r\n"));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((done) => server.close(() => done()));
  return { port, url: `http://127.0.0.1:${port}`, close };
}

const JOIN = { channel: "team", handle: "ann" } as const;

test("connect() tries again while no server answers, and connects when one does", async () => {
  const door = await closedDoor();
  const warnings: string[] = [];
  const joining = connect({ ...JOIN, serverUrl: door.url, onWarning: (line) => warnings.push(line) });
  await expect.poll(() => warnings).toEqual(["cannot join yet: no server answers; trying again for 30 s"]);
  await door.close();
  await using store = await openStore("memory:");
  const server = createContinuo({ store: () => store, authenticate: allowEverybody(store.workspaceId) });
  const listening = await listen(server, { host: "127.0.0.1", port: door.port });
  const client = await joining;
  expect(client.roster().map(({ handle }) => handle)).toEqual(["ann"]);
  await client.close();
  await listening.close();
});

test.each([
  ["the time for it is over", { firstConnectionMs: 300, onWarning: () => undefined }],
  ["it must not connect again", { reconnect: false }],
])("connect() gives up with unavailable when %s", async (_, options) => {
  const door = await closedDoor();
  const joining = connect({ ...JOIN, serverUrl: door.url, ...options });
  await expect(joining).rejects.toSatisfy((error) => isContinuoError(error, "unavailable"));
  await door.close();
});

test("a signal ends the wait for the first connection", async () => {
  const door = await closedDoor();
  const stop = new AbortController();
  const onWarning = () => stop.abort(new Error("enough"));
  await expect(connect({ ...JOIN, serverUrl: door.url, signal: stop.signal, onWarning })).rejects.toThrow(
    "enough",
  );
  await door.close();
});
