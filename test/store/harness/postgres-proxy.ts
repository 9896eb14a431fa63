/** A TCP proxy in front of a Postgres server. It cuts all connections, or the one that commits. */

import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** The failure of the next commit: either it never arrives, or its answer is lost. */
export type CommitFailure = "before commit" | "after commit";

export interface PostgresProxy extends AsyncDisposable {
  readonly url: string;
  /** Ends every connection, and accepts no new one while it is off. */
  cutAll(): void;
  off(): void;
  on(): void;
  /** Cuts the next `times` connections at a statement that contains these words. */
  cutAt(words: string, cut: CommitFailure, times?: number): void;
  /** The number of connections that `cutAt` cut. */
  readonly cuts: number;
}

export async function postgresProxy(target: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(target);
  const pairs = new Set<readonly [Socket, Socket]>();
  let state: "on" | "off" = "on";
  let cutting: { readonly words: string; readonly cut: CommitFailure; left: number } | undefined;
  let cuts = 0;
  const server = createServer((client) => {
    if (state === "off") {
      client.destroy();
      return;
    }
    const upstream = connect(Number(port), hostname);
    const pair = [client, upstream] as const;
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    let answers: "wanted" | "lost" = "wanted";
    client.on("data", (chunk) => {
      if (cutting === undefined || cutting.left === 0 || !chunk.includes(cutting.words)) {
        upstream.write(chunk);
        return;
      }
      cutting.left--;
      cuts++;
      if (cutting.cut === "before commit") return end();
      answers = "lost";
      upstream.write(chunk);
    });
    // The server has answered by then, so the statement has taken effect.
    upstream.on("data", (chunk) => (answers === "wanted" ? client.write(chunk) : end()));
    for (const socket of pair) socket.on("error", end).on("close", end);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  const cutAll = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy();
  };
  return {
    url: url.href,
    cutAll,
    off: () => {
      state = "off";
      cutAll();
    },
    on: () => {
      state = "on";
    },
    cutAt: (words, cut, times = 1) => {
      cutting = { words, cut, left: times };
    },
    get cuts() {
      return cuts;
    },
    [Symbol.asyncDispose]: async () => {
      cutAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
