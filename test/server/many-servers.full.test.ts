/** Several servers on one Postgres: a client gets the same answers from each. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newPostgresDatabase } from "../sizes/shared-programs.ts";
import { openServer } from "./harness/open-server.ts";

const stores: Store[] = [];
const servers: ServerHandle[] = [];
const received: { readonly wake_id: string; readonly generation: number }[] = [];
let token: string;
let hook: Server;
let hookUrl: string;
beforeAll(async () => {
  const url = await newPostgresDatabase();
  await (await openStore(url, { migrate: true })).close();
  for (let i = 0; i < 3; i++) {
    const store = await openStore(url);
    stores.push(store);
    servers.push(
      await openServer(store, { authenticate: createAuthenticate(store), webhookHosts: ["127.0.0.1"] }),
    );
  }
  token = (await (stores[0] as Store).createToken({ scopes: ["admin"] })).secret;
  hook = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push(JSON.parse(body));
      response.setHeader("content-type", "application/json");
      response.end('{"done":true}');
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  hookUrl = `http://127.0.0.1:${(hook.address() as AddressInfo).port}/`;
});
afterAll(async () => {
  hook.close();
  await Promise.all(servers.map((server) => server.close()));
  await Promise.all(stores.map((store) => store.close()));
});

function call(at: number, path: string, method = "GET", body?: string): Promise<Response> {
  return fetch(`${servers[at]?.url}/v1/stream/${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body }),
  });
}

test("the other servers stream each event that was appended through one server, once and in order", async () => {
  await call(0, "shared", "PUT");
  const texts = await Promise.all(
    [1, 2]
      .map(async (at) => {
        const response = await call(at, "shared?offset=-1&live=sse");
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
        let text = "";
        const read = (async () => {
          while (!text.includes("[99]") && !text.includes(",99]")) {
            const chunk = await reader?.read();
            if (chunk === undefined || chunk.done) break;
            text += chunk.value;
          }
          await reader?.cancel();
          return text;
        })();
        return read;
      })
      .concat(
        (async () => {
          for (let i = 0; i < 100; i++) await call(i % 3, "shared", "POST", String(i));
          return "";
        })(),
      ),
  );
  for (const text of texts.slice(0, 2)) {
    const values = [...text.matchAll(/^data:(\[.*\])$/gmu)].flatMap((match) => JSON.parse(match[1] ?? "[]"));
    expect(values).toEqual(Array.from({ length: 100 }, (_, i) => i));
  }
});

test("if three servers see an append, only one of them sends the webhook, and all sign with the same key", async () => {
  const body = JSON.stringify({ type: "webhook", pattern: "hooked/*", webhook: { url: hookUrl } });
  const made = await call(0, "__ds/subscriptions/s", "PUT", body);
  expect(made.status).toBe(201);
  const kids = await Promise.all(
    servers.map(async ({ url }) => (await fetch(`${url}/v1/stream/__ds/jwks.json`)).text()),
  );
  expect(new Set(kids).size).toBe(1);
  for (let i = 0; i < 10; i++) {
    await call(i % 3, `hooked/${i}`, "PUT", `[${i}]`);
    await expect
      .poll(async () => {
        const { streams } = (await (await call(2, "__ds/subscriptions/s")).json()) as {
          readonly streams: readonly { readonly path: string; readonly has_pending: boolean }[];
        };
        return streams.find(({ path }) => path === `hooked/${i}`)?.has_pending;
      })
      .toBe(false);
  }
  const generations = received.map(({ generation }) => generation);
  expect(new Set(generations).size).toBe(generations.length);
  expect(generations).toEqual([...generations].sort((a, b) => a - b));
});

test("if many workers ask different servers, only one gets the wake, and its token is valid on each server", async () => {
  await call(0, "wakes", "PUT");
  const body = JSON.stringify({ type: "pull-wake", pattern: "pulled/*", wake_stream: "wakes" });
  expect((await call(0, "__ds/subscriptions/p", "PUT", body)).status).toBe(201);
  await call(1, "pulled/a", "PUT", "[1]");
  const claims = await Promise.all(
    Array.from({ length: 9 }, (_, i) =>
      call(i % 3, "__ds/subscriptions/p/claim", "POST", JSON.stringify({ worker: `w${i}` })),
    ),
  );
  const won = claims.filter(({ status }) => status === 200);
  expect(won).toHaveLength(1);
  const claim = (await won[0]?.json()) as {
    readonly wake_id: string;
    readonly generation: number;
    readonly token: string;
    readonly streams: readonly { readonly path: string; readonly tail_offset: string }[];
  };
  const ack = (at: number, generation: number): Promise<Response> =>
    fetch(`${servers[at]?.url}/v1/stream/__ds/subscriptions/p/ack`, {
      method: "POST",
      headers: { authorization: `Bearer ${claim.token}`, "content-type": "application/json" },
      body: JSON.stringify({
        wake_id: claim.wake_id,
        generation,
        acks: claim.streams.map(({ path, tail_offset }) => ({ stream: path, offset: tail_offset })),
        done: true,
      }),
    });
  expect((await ack(1, claim.generation - 1)).status).toBe(409);
  expect((await ack(2, claim.generation)).status).toBe(200);
  expect((await ack(0, claim.generation)).status).toBe(409);
  const wakes = (await (await call(1, "wakes?offset=-1")).json()) as readonly {
    readonly generation: number;
  }[];
  expect(new Set(wakes.map(({ generation }) => generation)).size).toBe(wakes.length);
});
