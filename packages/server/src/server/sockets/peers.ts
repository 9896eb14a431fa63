/** The sender of a request: by its socket, or as a trusted proxy names it. */

import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Peer } from "../context/index.ts";
import { addressIn, isLoopbackAddress, plainAddress } from "./addresses.ts";
import type { TrustedProxies } from "./proxies.ts";
import type { Strangers } from "./strangers.ts";

/**
 * A request that passed a proxy does not come from this machine, whatever its socket says. Only a trusted proxy can
 * name the client: of the addresses that the proxies wrote, the last one that is not a trusted proxy counts.
 */
export function createPeers(
  proxies: TrustedProxies,
  strangers: Strangers,
): (request: IncomingMessage) => Peer {
  return ({ socket, headers }) => {
    const { remoteAddress = "", remotePort = 0, localPort = 0 } = socket;
    const parts = {
      onToken: () => strangers.know(socket),
      connection: { remoteAddress, remotePort, localPort },
    };
    const sender = plainAddress(remoteAddress);
    const chain = chainOf(headers);
    if (!proxies.has(sender)) {
      return { address: sender, isLoopback: chain === null && isLoopbackAddress(sender), ...parts };
    }
    const client = (chain ?? []).findLast((address) => address === null || !proxies.has(address));
    return { address: client ?? sender, isLoopback: false, ...parts };
  };
}

/** The client comes first, then each proxy except the last. `null` if no proxy names an address. */
function chainOf(headers: IncomingHttpHeaders): readonly (string | null)[] | null {
  const { forwarded } = headers;
  const others = headers["x-forwarded-for"];
  if (others !== undefined) return [others].flat().join(",").split(",").map(addressIn);
  if (forwarded === undefined) return null;
  return forwarded.split(",").map((element) => {
    const [, value] = /(?:^|;)\s*for=("[^"]*"|[^;]*)/iu.exec(element) ?? [];
    return value === undefined ? null : addressIn(value);
  });
}
