/** The proxies that the operator trusts to name the addresses of clients. */

import { BlockList, isIP } from "node:net";
import { ContinuoError } from "@continuo/core/model";

export interface TrustedProxies {
  has(address: string): boolean;
}

/** @param texts addresses, and networks such as `10.0.0.0/8`. Errors: `usage`. */
export function trustedProxies(texts: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const text of texts) {
    const [address = "", bits, ...more] = text.split("/");
    const family = isIP(address);
    const most = family === 6 ? 128 : 32;
    const isNetwork = bits !== undefined && /^\d{1,3}$/u.test(bits) && Number(bits) <= most;
    if (family === 0 || more.length > 0 || (bits !== undefined && !isNetwork)) throw noProxy(text);
    const type = family === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, type);
    else list.addSubnet(address, Number(bits), type);
  }
  return { has: (address) => list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4") };
}

function noProxy(text: string): ContinuoError {
  return new ContinuoError("usage", `${JSON.stringify(text)} is not the address of a proxy`, {
    hint: "Write an address or a network, such as 127.0.0.1 or 10.0.0.0/8.",
  });
}
