/** Who may do what with a subscription, with the server around its routes. */

import { parseScope } from "@continuo/core/wire";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import type { Grant } from "./context/index.ts";
import { createServer } from "./server.ts";
import { subscriptions } from "./subscriptions/index.ts";

const SUBSCRIPTION = "__ds/subscriptions/s";
const PEER = { address: "192.0.2.7", isLoopback: false };
const PULL = { type: "pull-wake", pattern: "jobs/**", wake_stream: "wakes" };

function grantOf(scope: string): Grant {
  const scopes = [parseScope(scope)];
  return { tokenId: scope, workspaceId: "default", handle: null, page: null, scopes, peer: PEER };
}

test("a worker reads its subscription and claims its wakes, and only an administrator creates or deletes one", async () => {
  await using store = await openStore("memory:");
  let grant = grantOf("admin");
  const server = createServer({ store: () => store, authenticate: async () => grant }, [subscriptions]);
  const ask = async (method: string, action = "", body?: object): Promise<number> => {
    const url = `http://server/v1/stream/${SUBSCRIPTION}${action}`;
    const request = new Request(url, { method, ...(body && { body: JSON.stringify(body) }) });
    return (await server.fetch(request, PEER)).status;
  };
  expect(await ask("PUT", "", PULL)).toBe(201);
  grant = grantOf(`stream:${SUBSCRIPTION}:read,write`);
  const statuses = [
    await ask("GET"),
    await ask("POST", "/claim", { worker: "w" }),
    await ask("PUT", "", PULL),
    await ask("DELETE"),
  ];
  expect(statuses).toEqual([200, 409, 403, 403]);
  grant = grantOf("admin");
  expect([await ask("GET"), await ask("DELETE"), await ask("GET")]).toEqual([200, 204, 404]);
  await server.close();
});
