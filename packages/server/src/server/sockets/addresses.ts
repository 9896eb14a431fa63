/** Addresses of clients. Pure. */

import { isIP, isIPv6 } from "node:net";

/** The address without the prefix of IPv4 in IPv6, and without a zone; any other text is returned unchanged. */
export function plainAddress(text: string): string {
  const [address = ""] = text.split("%", 1);
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(address) ?? [];
  return mapped ?? address;
}

/** Addresses that one client can choose freely share one name: a single IPv4 address, or 64 bits of IPv6. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [head = "", tail] = address.split("::");
  const first = wordsOf(head);
  const last = tail === undefined ? [] : wordsOf(tail);
  const middle = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => "0");
  const words = [...first, ...(tail === undefined ? [] : middle), ...last];
  return `${words
    .slice(0, 4)
    .map((word) => Number.parseInt(word, 16).toString(16))
    .join(":")}::/64`;
}

/** The last two words can be written as IPv4. */
function wordsOf(text: string): readonly string[] {
  if (text === "") return [];
  return text.split(":").flatMap((word) => (word.includes(".") ? ["0", "0"] : [word]));
}

export function isLoopbackAddress(address: string): boolean {
  return /^127\.|^::1$/u.test(address);
}

/** An address as a proxy writes it: perhaps with a port, quotes and brackets. `null` for anything else. */
export function addressIn(text: string): string | null {
  const bare = text.trim().replace(/^"(.*)"$/u, "$1");
  const [, bracketed] = /^\[([^\]]+)\](?::\d+)?$/u.exec(bare) ?? [];
  const [, dotted] = /^(\d+\.\d+\.\d+\.\d+)(?::\d+)?$/u.exec(bare) ?? [];
  const address = plainAddress(bracketed ?? dotted ?? bare);
  return isIP(address) === 0 ? null : address;
}
