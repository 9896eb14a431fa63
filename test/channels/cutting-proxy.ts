/** A TCP proxy that cuts connections on command. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  readonly cuts: number;
  /** Ends every connection at once, as a network does. */
  cutAll(): void;
  /** Half-closes one connection: one side receives an end, and what that side still sends is forwarded. */
  halfCloseOne(side: "client" | "server", nth: number): boolean;
  /** Delays all data by this time before it is forwarded. */
  delay(ms: number): void;
  /**
   * From now on no data of the open connections is forwarded in either direction, and neither side gets an error, as
   * after a NAT forgot them. Until the time is over, new connections are accepted, but their data is not forwarded.
   */
  swallow(ms: number): void;
  /** The target of new connections. */
  retarget(url: string): void;
}

export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  const swallowed = new WeakSet<readonly [Socket, Socket]>();
  let cuts = 0;
  let delayMs = 0;
  let swallowedUntil = 0;
  let { hostname, port } = new URL(target);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    if (performance.now() < swallowedUntil) swallowed.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    const hand = (from: Socket, to: Socket): void => {
      // Chunks are forwarded in their order, even if the delay changes.
      let before = Promise.resolve();
      const later = async (chunk: Buffer, after: Promise<void>): Promise<void> => {
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        await after;
        if (to.writable && !swallowed.has(pair)) to.write(chunk);
      };
      let waiting = 0;
      from.on("data", (chunk: Buffer) => {
        if (swallowed.has(pair)) return;
        if (delayMs === 0 && waiting === 0) {
          if (to.writable) to.write(chunk);
          return;
        }
        waiting++;
        before = later(chunk, before).finally(() => waiting--);
      });
      // The other side of a connection that forwards nothing receives no end, and times out by itself.
      const over = (): void => {
        if (!swallowed.has(pair) || to.destroyed) end();
        else from.destroy();
      };
      from.on("error", over);
      from.on("close", over);
    };
    hand(client, upstream);
    hand(upstream, client);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  const cutAll = (): void => {
    for (const [client, upstream] of pairs) {
      cuts++;
      client.destroy();
      upstream.destroy();
    }
  };
  return {
    url: `http://127.0.0.1:${address.port}`,
    get cuts() {
      return cuts;
    },
    cutAll,
    halfCloseOne: (side, nth) => {
      const pair = [...pairs][nth % Math.max(1, pairs.size)];
      (side === "client" ? pair?.[0] : pair?.[1])?.end();
      return pair !== undefined;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    swallow: (ms) => {
      swallowedUntil = performance.now() + ms;
      for (const pair of pairs) swallowed.add(pair);
    },
    retarget: (url) => {
      ({ hostname, port } = new URL(url));
    },
    [Symbol.asyncDispose]: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
