/** A server over a store, and clients of it that are closed with the test. */

import { type AgenticClient, type ClientEvent, type ConnectOptions, connect } from "@continuo/core/client";
import type { Store } from "@continuo/core/model";
import { openServer } from "../server/harness/open-server.ts";

export interface OpenChannel extends AsyncDisposable {
  readonly url: string;
  readonly store: Store;
  join(handle: string, options?: Partial<ConnectOptions>): Promise<AgenticClient>;
  stop(): Promise<void>;
}

export async function openChannelServer(store: Store, channel = "team"): Promise<OpenChannel> {
  const server = await openServer(store);
  const clients = new Set<AgenticClient>();
  let stopped = false;
  const stop = async (): Promise<void> => {
    if (stopped) return;
    stopped = true;
    await server.close();
  };
  return {
    url: server.url,
    store,
    join: async (handle, options = {}) => {
      const client = await connect({
        serverUrl: server.url,
        channel,
        handle,
        workspaceId: store.workspaceId,
        ...options,
      });
      clients.add(client);
      return client;
    },
    stop,
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...clients].map((client) => client.close()));
      await stop();
    },
  };
}

/** Returns the next events of a client that meet the condition; messages in progress come in their parts. */
export async function take(
  client: Pick<AgenticClient, "events">,
  count: number,
  wanted: (event: ClientEvent) => boolean = (event) => event.type !== "presence",
): Promise<readonly ClientEvent[]> {
  const found: ClientEvent[] = [];
  for await (const event of client.events({ parts: true })) {
    if (wanted(event)) found.push(event);
    if (found.length === count) break;
  }
  return found;
}

export const words = (event: ClientEvent): string =>
  `${event.from}: ${"content" in event ? event.content : "delta" in event ? event.delta : ""}`;
