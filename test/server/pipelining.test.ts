/** Clients that send requests and do not wait for the answers, or do not read them. */

import { connect, type Socket } from "node:net";
import type { Store } from "@continuo/core/model";
import { SUBPROTOCOL } from "@continuo/core/wire";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { openServer } from "./harness/open-server.ts";

function connected({ url }: ServerHandle): Socket {
  return connect(Number(new URL(url).port), "127.0.0.1").on("error", () => undefined);
}

function request({ url }: ServerHandle, path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${new URL(url).host}\r\n\r\n`;
}

async function closedWithin(socket: Socket, ms: number): Promise<boolean> {
  if (socket.closed) return true;
  return await new Promise((resolve) => {
    const timer = setTimeout(resolve, ms, false);
    socket.once("close", () => {
      clearTimeout(timer);
      resolve(true);
    });
  });
}

test("a connection with more than 32 unanswered requests is closed, and one with fewer is answered in order", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const few = connected(server);
  let answers = "";
  few.on("data", (chunk: Buffer) => {
    answers += chunk.toString();
  });
  few.write(request(server, "/healthz").repeat(31) + request(server, "/nothing"));
  await expect.poll(() => answers.split("HTTP/1.1 ").length - 1).toBe(32);
  expect(answers.lastIndexOf("HTTP/1.1 404")).toBeGreaterThan(answers.lastIndexOf("HTTP/1.1 200"));
  // Answered requests do not count.
  few.write(request(server, "/healthz").repeat(32));
  await expect.poll(() => answers.split("HTTP/1.1 ").length - 1).toBe(64);
  few.destroy();

  const many = connected(server);
  many.resume();
  many.write(request(server, "/healthz").repeat(20_000));
  expect(await closedWithin(many, 5_000)).toBe(true);
  await server.close();
});

async function withLongStream(store: Store): Promise<void> {
  await store.createLog({ logId: "streams/long", mediaType: "text/plain" });
  const data = Buffer.alloc(4_000_000, "x");
  await store.append("streams/long", [{ type: "bytes", data }]);
}

test("bytes that are no request after an answer end the connection, and are not answered inside of it", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const socket = connected(server);
  let answers = "";
  socket.on("data", (bytes) => {
    answers += bytes;
  });
  socket.write(request(server, "/healthz"));
  await expect.poll(() => answers).toContain("ok\n");
  socket.write("nonsense\r\n\r\n");
  expect(await closedWithin(socket, 10_000)).toBe(true);
  expect(answers.split("HTTP/1.1 ").slice(1)).toEqual([expect.stringMatching(/^200 /u)]);
  await server.close();
});

test("a client that sends bytes but reads nothing of an answer is disconnected", async () => {
  await using store = await openStore("memory:");
  await withLongStream(store);
  const server = await openServer(store, { stalledMs: 400 });
  // The answers are larger than the buffers of the sockets.
  const page = request(server, "/v1/stream/long?offset=-1");
  const deaf = connected(server).pause();
  deaf.write(page.repeat(8));
  // Only a write shows that the other side has disconnected.
  const writing = setInterval(() => deaf.write("\r\n"), 50);
  expect(await closedWithin(deaf, 10_000)).toBe(true);
  clearInterval(writing);
  await server.close();
});

test("the next answer waits while a token has 64 MiB of answers that it has not read", async () => {
  await using store = await openStore("memory:");
  await withLongStream(store);
  // The clients that do not read stay connected for longer than the test takes on a busy machine.
  const server = await openServer(store, {
    authenticate: createAuthenticate(store),
    slowReaders: { stalledMs: 600_000 },
  });
  const { secret } = await store.createToken({ scopes: ["stream:*:read"] });
  const { secret: other } = await store.createToken({ scopes: ["stream:*:read"] });
  const page = request(server, `/v1/stream/long?offset=-1`).replace(
    "\r\n\r\n",
    `\r\nAuthorization: Bearer ${secret}\r\n\r\n`,
  );
  const deaf = Array.from({ length: 24 }, () => connected(server).pause());
  // Each has more waiting than the buffers of its socket hold.
  for (const socket of deaf) socket.write(page.repeat(4));
  const get = (token: string, signal: AbortSignal): Promise<Response> =>
    fetch(`${server.url}/v1/stream/long?offset=-1`, {
      headers: { authorization: `Bearer ${token}` },
      signal,
    });
  await new Promise((resolve) => setTimeout(resolve, 500));
  await expect(get(secret, AbortSignal.timeout(1_000))).rejects.toThrow();
  expect((await get(other, AbortSignal.timeout(60_000))).status).toBe(200);
  for (const socket of deaf) socket.destroy();
  expect((await get(secret, AbortSignal.timeout(60_000))).status).toBe(200);
  await server.close();
});

test("a client that disconnects in the middle of its body is not reported as a failure of the server", async () => {
  await using store = await openStore("memory:");
  const reports: string[] = [];
  const server = await openServer(store, { report: (line) => reports.push(line) });
  for (const path of ["/v1/pages/cookie", "/v1/stream/a", "/v1/blobs", "/v1/channels/team/messages"]) {
    const socket = connected(server);
    const { host, origin } = new URL(server.url);
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nContent-Type: application/json\r\n` +
        "Content-Length: 100\r\n\r\n{",
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.destroy();
  }
  await server.close();
  expect(reports).toEqual([]);
});

test("a participant that does not read the answers to its requests gets no more answers", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store, { slowReaders: { stalledMs: 300, goodbyeMs: 100 } });
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/channels/team/ws`, SUBPROTOCOL);
  await new Promise((resolve) => socket.once("open", resolve));
  const hello = {
    type: "hello",
    protocol: 1,
    instance: "i",
    handle: "ann",
    after: 0,
    workspaceId: "default",
  };
  socket.send(JSON.stringify(hello));
  await new Promise((resolve) => socket.once("message", resolve));
  for (let n = 0; n < 20; n++) {
    const content = "x".repeat(500_000);
    socket.send(JSON.stringify({ type: "store", request: n, id: `m${n}`, role: "user", content }));
  }
  socket.send(JSON.stringify({ type: "history", request: 20, limit: 20 }));
  await new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      if (JSON.parse(String(data)).request === 20) resolve();
    });
  });
  socket.pause();
  for (let n = 21; n < 60; n++) socket.send(JSON.stringify({ type: "history", request: n, limit: 20 }));
  const open = async (): Promise<string> => (await fetch(`${server.url}/metrics`)).text();
  await expect.poll(open, { timeout: 10_000 }).toContain("connections_open 0\n");
  socket.terminate();
  await server.close();
});

test("while the server processes a thousand frames that arrived at once, it also serves other connections", async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const socket = new WebSocket(`${server.url.replace("http", "ws")}/v1/channels/team/ws`, SUBPROTOCOL);
  await new Promise((resolve) => socket.once("open", resolve));
  socket.send(JSON.stringify({ type: "hello", protocol: 1, instance: "i", handle: "ann", after: 0 }));
  await new Promise((resolve) => socket.once("message", resolve));
  const done = new Promise<void>((resolve) => {
    socket.on("message", (data) => {
      if (JSON.parse(String(data)).request === 1) resolve();
    });
  });
  let turns = 0;
  let isDone = false;
  void done.then(() => {
    isDone = true;
  });
  const turn = (): void => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  const resume = Buffer.from(JSON.stringify({ type: "resume", after: 0 }));
  const frame = Buffer.concat([Buffer.from([0x81, 0x80 | resume.length, 0, 0, 0, 0]), resume]);
  const last = Buffer.from(JSON.stringify({ type: "history", request: 1, limit: 1 }));
  const end = Buffer.concat([Buffer.from([0x81, 0x80 | last.length, 0, 0, 0, 0]), last]);
  const { _socket: stream } = socket as unknown as { readonly _socket: Socket };
  // One read of the server's socket holds all of them.
  stream.write(Buffer.concat([...Array.from({ length: 1_000 }, () => frame), end]));
  setImmediate(turn);
  await done;
  expect(turns).toBeGreaterThan(4);
  socket.terminate();
  await server.close();
});
