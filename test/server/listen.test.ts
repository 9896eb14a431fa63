/** The loopback addresses at which a server listens. */

import { once } from "node:events";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import type { Store } from "@continuo/core/model";
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
