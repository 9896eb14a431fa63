import dns from "node:dns/promises";
import { once } from "node:events";
import { createServer, type RequestListener, type Server } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { assertWebhookUrl, callWebhook } from "./webhook.ts";

const servers = new Set<Server>();
afterEach(() => {
  for (const server of servers) server.close();
  servers.clear();
});

async function serverWith(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  servers.add(server);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const LOOPBACK = { named: new Set(["127.0.0.1"]), others: "public" } as const;

test.each([301, 302, 303, 307, 308])(
  "a webhook that answers %i is not followed, and counts as failed",
  async (status) => {
    let visits = 0;
    const elsewhere = await serverWith((_, answer) => {
      visits++;
      answer.end("{}");
    });
    const url = await serverWith((_, answer) => answer.writeHead(status, { location: elsewhere }).end());
    const call = callWebhook({ url, body: "{}", signature: "s", allowed: LOOPBACK });
    await expect(call).rejects.toThrow(`status ${status}`);
    expect(visits).toBe(0);
  },
);

test("if the operator lists the hosts of webhooks, no other host is called, even if it is public", async () => {
  const listed = { named: new Set(["hooks.example", "127.0.0.1"]), others: "none" } as const;
  for (const url of ["https://hooks.example/a", "http://hooks.example/", "https://HOOKS.example./"]) {
    expect(() => assertWebhookUrl(url, listed)).not.toThrow();
  }
  for (const url of [
    "https://other.example/",
    "https://a.hooks.example/",
    "https://hooks.example.evil/",
    "https://8.8.8.8/",
  ]) {
    expect(() => assertWebhookUrl(url, listed)).toThrow("the operator did not list");
    expect(() => assertWebhookUrl(url, { ...listed, others: "public" })).not.toThrow();
  }
  const url = await serverWith((_, answer) => answer.end("{}"));
  const call = { url, body: "{}", signature: "s" };
  expect(await callWebhook({ ...call, allowed: listed })).toEqual({});
  const allowed = { named: new Set<string>(), others: "none" } as const;
  expect(() => callWebhook({ ...call, allowed })).toThrow("the operator did not list");
});

test.each([
  [["8.8.8.8", "10.0.0.1"]],
  [["10.0.0.1", "8.8.8.8"]],
  [["2001:4860:4860::8888", "::ffff:127.0.0.1"]],
  [["fd00::1"]],
  [[]],
])("a name whose addresses are %j is not called", async (addresses) => {
  const { lookup } = dns;
  const named = async () => addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  dns.lookup = named as unknown as typeof lookup;
  syncBuiltinESMExports();
  try {
    const allowed = { named: new Set<string>(), others: "public" } as const;
    const call = callWebhook({ url: "https://hooks.example/", body: "{}", signature: "s", allowed });
    await expect(call).rejects.toThrow("hooks.example is a private address");
  } finally {
    dns.lookup = lookup;
    syncBuiltinESMExports();
  }
});

test("an answer that is longer than the limit is given up, also if each of its parts is short", async () => {
  const url = await serverWith(async (_, answer) => {
    for (let sent = 0; sent < 100_000; sent += 10_000) {
      answer.write(" ".repeat(10_000));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    answer.end("{}");
  });
  const call = callWebhook({ url, body: "{}", signature: "s", allowed: LOOPBACK });
  await expect(call).rejects.toThrow("the answer is too long");
});
