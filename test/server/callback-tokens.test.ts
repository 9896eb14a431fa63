/** The token of a wake gives no other access, and no other token replaces it. */

import type { Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { codeFor, openPage } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
let admin: string;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store) });
  admin = (await store.createToken({ scopes: ["admin"] })).secret;
});
afterAll(async () => {
  await server.close();
  await store.close();
});

const SUBSCRIPTIONS = "/v1/stream/__ds/subscriptions";

async function call(method: string, path: string, token: string, body?: object): Promise<Response> {
  return await fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

interface Wake {
  readonly id: string;
  readonly token: string;
  readonly wake_id: string;
  readonly generation: number;
}

let count = 0;

/** Makes a subscription with an event, and claims its wake as a worker. */
async function claimed(of: string = admin, id = `s${++count}`): Promise<Wake> {
  const stream = `/v1/stream/${id}`;
  await call("PUT", stream, of);
  const made = await call("PUT", `${SUBSCRIPTIONS}/${id}`, of, {
    type: "pull-wake",
    pattern: id,
    wake_stream: `wakes-${id}`,
    lease_ttl_ms: 600_000,
  });
  expect(made.status).toBe(201);
  await call("POST", stream, of, { n: ++count });
  let answer = await call("POST", `${SUBSCRIPTIONS}/${id}/claim`, of, { worker: "w" });
  for (
    ;
    answer.status === 409;
    answer = await call("POST", `${SUBSCRIPTIONS}/${id}/claim`, of, { worker: "w" })
  ) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return { id, ...((await answer.json()) as Omit<Wake, "id">) };
}

/** The status and the error code when a wake is acknowledged with this token. */
async function acked(wake: Wake, token: string): Promise<readonly unknown[]> {
  const { wake_id, generation } = wake;
  const answer = await call("POST", `${SUBSCRIPTIONS}/${wake.id}/ack`, token, { wake_id, generation });
  const { error } = (await answer.json()) as { readonly error?: { readonly code: string } };
  return [answer.status, error?.code];
}

const INVALID = [401, "TOKEN_INVALID"];
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const inWorkspace = (name: string): string => Buffer.from(name).toString("base64url");

let wake: Wake;
beforeEach(async () => {
  wake = await claimed();
});
afterEach(async () => {
  vi.useRealTimers();
  // The worker still has its wake after all refusals.
  expect((await acked(wake, wake.token))[0]).toBe(200);
});

test("the server refuses a forged wake token, whichever part of it is forged", async () => {
  const [workspace = "", payload = "", mac = ""] = wake.token.split(".");
  const inside = JSON.parse(Buffer.from(payload, "base64url").toString()) as object;
  const changed = (text: string): string => `${text.startsWith("A") ? "B" : "A"}${text.slice(1)}`;
  const forged = [
    `${inWorkspace("other")}.${payload}.${mac}`,
    `${inWorkspace("\0")}.${payload}.${mac}`,
    `${changed(workspace)}.${payload}.${mac}`,
    `${workspace}.${base64({ ...inside, generation: wake.generation + 1 })}.${mac}`,
    `${workspace}.${base64({ ...inside, expires: 9_999_999_999 })}.${mac}`,
    `${workspace}.${base64({ ...inside, alg: "none" })}.${mac}`,
    `${workspace}.${payload}.${changed(mac)}`,
    `${workspace}.${payload}.${mac.slice(0, -4)}`,
    `${workspace}.${payload}.A`,
    `${workspace}.${payload}.`,
    `${workspace}.${payload}`,
    `${workspace}.${base64({ alg: "none" })}.${payload}.${mac}`,
    payload,
    "",
  ];
  for (const token of forged) expect([token, ...(await acked(wake, token))]).toEqual([token, ...INVALID]);
});

test("the token of a wake is valid for an hour", async () => {
  const { token } = wake;
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_601_000 });
  expect(await acked(wake, token)).toEqual([401, "TOKEN_EXPIRED"]);
});

test("the server refuses the token of a wake for another subscription, an earlier subscription of the same name, and another workspace", async () => {
  const other = await claimed();
  expect(await acked(other, wake.token)).toEqual(INVALID);
  expect(await acked(wake, other.token)).toEqual(INVALID);
  const again = await claimed(admin, other.id).catch(() => null);
  expect(again).toBeNull();
  await call("DELETE", `${SUBSCRIPTIONS}/${other.id}`, admin);
  const later = await claimed(admin, other.id);
  expect(await acked(later, other.token)).toEqual(INVALID);
  const { secret } = await store.forWorkspace("theirs").createToken({ scopes: ["admin"] });
  const theirs = await claimed(secret, wake.id);
  const ofTheirs = theirs.token.replace(/^[^.]+/u, inWorkspace("default"));
  expect(await acked(wake, ofTheirs)).toEqual(INVALID);
  const ofOurs = wake.token.replace(/^[^.]+/u, inWorkspace("theirs"));
  expect(await acked(theirs, ofOurs)).toEqual(INVALID);
});

test("only the token of a wake acknowledges the wake, and that token gives no other access", async () => {
  const { secret } = await openPage(server.url, admin);
  for (const token of [
    admin,
    secret,
    await codeFor(server.url, admin),
    `${inWorkspace("default")}.${admin}`,
  ]) {
    expect(await acked(wake, token)).toEqual(INVALID);
  }
  for (const [method, path] of [
    ["GET", `/v1/stream/${wake.id}`],
    ["POST", `/v1/stream/${wake.id}`],
    ["GET", `${SUBSCRIPTIONS}/${wake.id}`],
    ["POST", `${SUBSCRIPTIONS}/${wake.id}/claim`],
    ["DELETE", `${SUBSCRIPTIONS}/${wake.id}`],
    ["POST", "/v1/pages/code"],
    ["GET", "/metrics"],
    ["GET", "/v1/audit"],
  ] as const) {
    expect([path, (await call(method, path, wake.token)).status]).toEqual([path, 401]);
  }
  // The callback of a webhook and the acknowledgement of a worker are different requests.
  const { wake_id, generation } = wake;
  const callback = await call("POST", `${SUBSCRIPTIONS}/${wake.id}/callback`, wake.token, {
    wake_id,
    generation,
  });
  expect(callback.status).toBe(400);
});
