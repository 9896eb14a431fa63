/** Subscriptions over HTTP, as a worker uses them: which records are waiting, and which requests acknowledge them. */

import type { Store } from "@continuo/core/model";
import type { ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store);
});
afterAll(async () => {
  await server.close();
  await store.close();
});

async function call(method: string, path: string, body?: object, token?: string): Promise<Response> {
  return await fetch(`${server.url}/v1/stream/${path}`, {
    method,
    headers: {
      "content-type": "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Subscription {
  readonly streams: readonly { readonly path: string; readonly has_pending: boolean }[];
}

/** The streams of a subscription with records that wait. */
async function waitingIn(id: string): Promise<readonly string[]> {
  const { streams } = (await (await call("GET", `__ds/subscriptions/${id}`)).json()) as Subscription;
  return streams.filter(({ has_pending }) => has_pending).map(({ path }) => path);
}

async function subscribe(
  id: string,
  to: { readonly pattern?: string; readonly streams?: readonly string[] },
) {
  const body = { type: "pull-wake", wake_stream: `wakes-${id}`, lease_ttl_ms: 600_000, ...to };
  expect((await call("PUT", `__ds/subscriptions/${id}`, body)).status).toBe(201);
}

test("a subscription that is sent again is the one that exists, and with other settings it is refused", async () => {
  const body = { type: "pull-wake", wake_stream: "wakes-again", streams: ["again/1", "again/2"] };
  const statusOf = async (changed: object): Promise<number> =>
    (await call("PUT", "__ds/subscriptions/again", { ...body, ...changed })).status;
  expect([await statusOf({}), await statusOf({}), await statusOf({ streams: ["again/1"] })]).toEqual([
    201, 200, 409,
  ]);
});

test("a new subscription is not woken for records that its streams already have", async () => {
  for (const path of ["old/1", "old/2"]) await call("PUT", path, [1, 2]);
  await subscribe("news", { pattern: "old/*" });
  expect(await waitingIn("news")).toEqual([]);
  await call("POST", "old/2", [3]);
  expect(await waitingIn("news")).toEqual(["old/2"]);
});

test("a stream that is added begins at its end, and no record of other streams is acknowledged by that", async () => {
  for (const path of ["jobs/1", "extra", "named"]) await call("PUT", path, [1]);
  await subscribe("worker", { pattern: "jobs/*", streams: ["named"] });
  for (const path of ["jobs/1", "named"]) await call("POST", path, [2]);
  const added = await call("POST", "__ds/subscriptions/worker/streams", { streams: ["extra", "named"] });
  expect(added.status).toBe(204);
  expect((await waitingIn("worker")).toSorted()).toEqual(["jobs/1", "named"]);
});

test("a stream that the pattern links keeps its records that wait when it is named too, and the change is in the audit log", async () => {
  await call("PUT", "parts/1", [1]);
  await subscribe("both", { pattern: "parts/*" });
  await call("POST", "parts/1", [2]);
  const many = Array.from({ length: 1_001 }, (_, at) => `parts/${at}`);
  expect((await call("POST", "__ds/subscriptions/both/streams", { streams: many })).status).toBe(400);
  expect((await call("POST", "__ds/subscriptions/both/streams", { streams: ["parts/1"] })).status).toBe(204);
  expect(await waitingIn("both")).toEqual(["parts/1"]);
  expect((await call("DELETE", "__ds/subscriptions/both/streams/parts%2F1")).status).toBe(204);
  const changes = (await store.listAudit({ limit: 100 })).items.filter(({ target }) => target === "both");
  expect(changes.map(({ what }) => what)).toEqual(Array(3).fill("subscription_changed"));
});

test("a worker that gives a wake back acknowledges nothing", async () => {
  await call("PUT", "tasks");
  await subscribe("given", { streams: ["tasks"] });
  await call("POST", "tasks", [1]);
  const claim = async (): Promise<Response> =>
    await call("POST", "__ds/subscriptions/given/claim", { worker: "w" });
  const wake = (await (await claim()).json()) as {
    readonly token: string;
    readonly wake_id: string;
    readonly generation: number;
    readonly streams: readonly { readonly tail_offset: string }[];
  };
  const { wake_id, generation, streams } = wake;
  const acks = [{ path: "tasks", offset: streams[0]?.tail_offset }];
  const given = await call(
    "POST",
    "__ds/subscriptions/given/release",
    { wake_id, generation, acks },
    wake.token,
  );
  expect(given.status).toBe(204);
  expect(await waitingIn("given")).toEqual(["tasks"]);
  expect((await claim()).status).toBe(200);
});
