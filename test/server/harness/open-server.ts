/** A server on a free port of loopback; it asks for no token, unless it is given an `authenticate`. */

import { present, type Store } from "@continuo/core/model";
import {
  allowEverybody,
  createServer,
  type ListenOptions,
  listen,
  type ServerHandle,
  type ServerOptions,
} from "@continuo/server";

export async function openServer(
  store: Store,
  {
    process = "shared",
    proxies,
    loopback,
    port = 0,
    stalledMs,
    ...options
  }: Partial<ServerOptions & ListenOptions> = {},
): Promise<ServerHandle> {
  const server = createServer({
    store: (workspaceId) => store.forWorkspace(workspaceId),
    authenticate: allowEverybody(store.workspaceId),
    ...options,
  });
  try {
    return await listen(server, present({ host: "127.0.0.1", port, process, proxies, loopback, stalledMs }));
  } catch (error) {
    await server.close();
    throw error;
  }
}
