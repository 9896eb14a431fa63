/** Webhooks are sent to public hosts only, unless the operator allows a host; no redirect is followed. */

import { lookup as resolveName } from "node:dns/promises";
import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { BlockList, isIP, type LookupFunction } from "node:net";
import type { WebhookHosts } from "../context/index.ts";
import { Refusal } from "./refusal.ts";

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

const PRIVATE = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const) {
  PRIVATE.addSubnet(network, bits, "ipv4");
}
/** The only IPv6 addresses that hosts of the internet have; other addresses belong to private networks. */
const PUBLIC_6 = new BlockList();
PUBLIC_6.addSubnet("2000::", 3, "ipv6");
for (const [network, bits] of [
  // Teredo, benchmarks and other protocols; 6to4; documentation: some contain an IPv4 address that is not checked.
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const) {
  PRIVATE.addSubnet(network, bits, "ipv6");
}

function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 6) return !PUBLIC_6.check(address, "ipv6") || PRIVATE.check(address, "ipv6");
  return family === 0 || PRIVATE.check(address, "ipv4");
}

/** Does not resolve the name, which is done for each call. Errors: a `Refusal`. */
export function assertWebhookUrl(text: string, { named, others }: WebhookHosts): void {
  if (!URL.canParse(text)) throw rejected("webhook.url is not a URL");
  const { protocol, hostname, username, password } = new URL(text);
  const host = bare(hostname);
  if (username !== "" || password !== "") throw rejected("webhook.url holds credentials");
  if (protocol !== "https:" && protocol !== "http:") throw rejected("webhook.url is not https");
  if (named.has(host)) return;
  if (others === "none") throw rejected("webhook.url names a host that the operator did not list");
  if (protocol === "http:") throw rejected("webhook.url is not https");
  if (host === "localhost" || host.endsWith(".localhost")) throw rejected("webhook.url is this machine");
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw rejected("webhook.url is a private address");
}

function rejected(message: string): Refusal {
  return new Refusal("WEBHOOK_URL_REJECTED", message);
}

/** A name with a full stop at its end is the same name. */
function bare(hostname: string): string {
  return hostname
    .replace(/^\[|\]$/g, "")
    .replace(/\.+$/u, "")
    .toLowerCase();
}

export interface WebhookCall {
  readonly url: string;
  readonly body: string;
  readonly signature: string;
  readonly allowed: WebhookHosts;
}

/** The body of a 2xx answer as JSON, or `null` if it is not JSON. Errors: any reason why there is no such answer. */
export function callWebhook({ url, body, signature, allowed }: WebhookCall): Promise<unknown> {
  assertWebhookUrl(url, allowed);
  const target = new URL(url);
  const send = target.protocol === "https:" ? requestHttps : requestHttp;
  const isAllowed = allowed.named.has(bare(target.hostname));
  return new Promise((resolve, reject) => {
    const outgoing = send(
      target,
      {
        method: "POST",
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
          "webhook-signature": signature,
        },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        agent: false,
        ...(isAllowed ? {} : { lookup: lookupPublic }),
      },
      (answer) => {
        const chunks: Buffer[] = [];
        let size = 0;
        answer.on("data", (chunk: Buffer) => {
          size += chunk.length;
          if (size <= MAX_ANSWER_BYTES) chunks.push(chunk);
          else answer.destroy(new Error("the answer is too long"));
        });
        answer.on("error", reject);
        answer.on("end", () => {
          const status = answer.statusCode ?? 0;
          if (status < 200 || status > 299) reject(new Error(`status ${status}`));
          else resolve(jsonOrNull(Buffer.concat(chunks).toString()));
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

function jsonOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Connects to exactly the address that was checked, even if the name resolves differently a moment later. */
const lookupPublic: LookupFunction = (hostname, _options, callback) => {
  resolveName(hostname, { all: true }).then(
    (found) => {
      const bad = found.find(({ address }) => isPrivateAddress(address));
      if (bad !== undefined || found[0] === undefined) {
        callback(new Error(`${hostname} is a private address`), "", 0);
      } else {
        callback(null, found);
      }
    },
    (error: NodeJS.ErrnoException) => callback(error, "", 0),
  );
};
