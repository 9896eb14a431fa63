/** Ports of this machine that nothing listens on. */

import { once } from "node:events";
import { createServer } from "node:net";

/** The ports are open at the same time, so that they differ. Another program may take one before it is used. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { readonly port: number }).port);
  for (const server of servers) server.close();
  return ports;
}
