/**
 * Clients that send the headers of a request byte by byte: each is disconnected after 10 s, and the server answers
 * others in the same time.
 */

import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

const CLIENTS = 1_500;
/** Connections without a token from one address; the server looks for slow ones each second. */
const MOST = 512;
const LATEST_MS = 30_000;

test("of 1,500 clients that send headers slowly, at most 512 are connected at a time, and none after 10 s", {
  timeout: 90_000,
}, async () => {
  await using store = await openStore("memory:");
  const server = await openServer(store);
  const open = new Set<Socket>();
  const began = performance.now();
  for (let n = 0; n < CLIENTS; n++) {
    const socket = connect(Number(new URL(server.url).port), "127.0.0.1");
    socket.on("error", () => undefined).on("close", () => open.delete(socket));
    socket.resume().write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ");
    open.add(socket);
  }
  const dripping = setInterval(() => {
    for (const socket of open) socket.write("x");
  }, 500);
  try {
    await expect.poll(() => open.size, { timeout: LATEST_MS }).toBeLessThanOrEqual(MOST);
    expect(await statusFromElsewhere(`${server.url}/healthz`)).toBe(200);
    await expect.poll(() => open.size, { timeout: LATEST_MS, interval: 100 }).toBe(0);
    expect(performance.now() - began).toBeLessThan(LATEST_MS);
  } finally {
    clearInterval(dripping);
    for (const socket of open) socket.destroy();
    await server.close();
  }
});

/** The slow clients hold all connections of their own address. */
async function statusFromElsewhere(url: string): Promise<number | undefined> {
  const [response] = (await once(get(url, { localAddress: "127.0.0.2" }), "response")) as [IncomingMessage];
  response.resume();
  return response.statusCode;
}
