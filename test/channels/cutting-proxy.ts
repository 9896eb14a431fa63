/** A TCP proxy that cuts connections when it is told to. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

export interface CuttingProxy extends AsyncDisposable {
  readonly url: string;
  readonly cuts: number;
  /** Ends every connection at once, as a network does. */
  cutAll(): void;
  /** Ends one side of one connection only. */
  halfCloseOne(): void;
  /** Lets everything wait so long before it is handed on. */
  delay(ms: number): void;
  /** Where new connections go. */
  retarget(url: string): void;
}

export async function cuttingProxy(target: string): Promise<CuttingProxy> {
  const pairs = new Set<readonly [Socket, Socket]>();
  let cuts = 0;
  let delayMs = 0;
  let { hostname, port } = new URL(target);
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    const hand = (from: Socket, to: Socket): void => {
      from.on("data", (chunk: Buffer) => {
        if (delayMs === 0) to.write(chunk);
        else setTimeout(() => to.writable && to.write(chunk), delayMs);
      });
      from.on("error", end);
      from.on("close", end);
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
    halfCloseOne: () => {
      const [pair] = pairs;
      pair?.[0].end();
    },
    delay: (ms) => {
      delayMs = ms;
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
