/** The loopback addresses at which a server listens. */

import { once } from "node:events";
import { connect, createServer } from "node:net";
import { networkInterfaces } from "node:os";
import type { Store } from "@continuo/core/model";
import { allowEverybody, createServer as createHandler, listen, type Peer } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

let store: Store;
beforeAll(async () => {
  store = await openStore("memory:");
});
afterAll(() => store.close());

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

const statusAt = async (url: string): Promise<number> => (await fetch(`${url}/healthz`)).status;

test.runIf(hasIpv6)(
  "a server listens at both loopback addresses with the same port, and releases both",
  async () => {
    const server = await openServer(store, { loopback: "both" });
    const other = `http://[::1]:${new URL(server.url).port}`;
    expect([await statusAt(server.url), await statusAt(other)]).toEqual([200, 200]);
    await server.close();
    for (const url of [server.url, other]) await expect(statusAt(url)).rejects.toThrow("fetch failed");
  },
);

test.runIf(hasIpv6)(
  "a server does not listen if another program has the port at the other loopback address",
  async () => {
    const squatter = createServer().listen(0, "::1");
    await once(squatter, "listening");
    const { port } = squatter.address() as { readonly port: number };
    await expect(openServer(store, { loopback: "both", port })).rejects.toMatchObject({
      code: "unavailable",
      message: `cannot listen on ::1:${port}: EADDRINUSE`,
    });
    // The first address is free again.
    const server = await openServer(store, { port });
    await server.close();
    squatter.close();
  },
);

test("an answer that is made after its client has left counts as answered at once", async () => {
  const options = { store: () => store, authenticate: allowEverybody(store.workspaceId) };
  const arrived = Promise.withResolvers<void>();
  const left = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const fetch = async ({ signal }: Request, { whenAnswered }: Peer): Promise<Response> => {
    signal.addEventListener("abort", () => setImmediate(left.resolve));
    arrived.resolve();
    await left.promise;
    whenAnswered?.(answered.resolve);
    return new Response("too late");
  };
  const server = await listen({ ...createHandler(options), fetch }, { host: "127.0.0.1", port: 0 });
  const { host, port } = new URL(server.url);
  const client = connect(Number(port), "127.0.0.1").on("error", () => undefined);
  client.write(`GET /v1/x HTTP/1.1\r\nhost: ${host}\r\n\r\n`);
  await arrived.promise;
  client.destroy();
  await answered.promise;
  await server.close();
});
