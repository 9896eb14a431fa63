/** Values that are valid by themselves and invalid together: each row of the table in docs/server.md. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { codeFor, exchange, newNonce } from "./harness/open-page.ts";
import { openServer } from "./harness/open-server.ts";

let store: Store;
let server: ServerHandle;
let admin: string;
let other: string;
let hash: string;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { authenticate: createAuthenticate(store) });
  admin = (await store.createToken({ scopes: ["admin"] })).secret;
  other = (await store.createToken({ scopes: ["channel:*:read,write"], handle: "eve" })).secret;
  await call("PUT", "/v1/stream/text", { headers: { "content-type": "text/plain" } });
  await call("PUT", "/v1/stream/json");
  await call("PUT", "/v1/stream/channels/team");
  const put = await call("POST", "/v1/blobs", { body: "a file" });
  hash = ((await put.json()) as { readonly hash: string }).hash;
  await call("POST", "/v1/stream/channels/team", { body: SAID });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

const SAID = { type: "message_sent", data: { content: "x" } };

interface Sent {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

function call(method: string, path: string, { token = admin, headers, body }: Sent = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

const subscribe = (body: object): Promise<Response> =>
  call("PUT", "/v1/stream/__ds/subscriptions/s", { body: { pattern: "json", ...body } });

/** The requests, by the first cell of the row; `right` is a request with the same values that the server accepts. */
const CASES: Readonly<Record<string, { wrong(): Promise<Response>; right(): Promise<Response> }>> = {
  "`live` and `offset`": {
    wrong: () => call("GET", "/v1/stream/json?live=long-poll"),
    right: () => call("GET", "/v1/stream/json?offset=-1"),
  },
  "`Producer-Id`, `Producer-Epoch` and `Producer-Seq`": {
    wrong: () =>
      call("POST", "/v1/stream/json", { headers: { "producer-id": "p", "producer-seq": "0" }, body: [1] }),
    right: () =>
      call("POST", "/v1/stream/json", {
        headers: { "producer-id": "p", "producer-epoch": "0", "producer-seq": "0" },
        body: [1],
      }),
  },
  "`Stream-TTL` and `Stream-Expires-At`": {
    wrong: () =>
      call("PUT", "/v1/stream/both", {
        headers: { "stream-ttl": "60", "stream-expires-at": "2999-01-01T00:00:00Z" },
      }),
    right: () => call("PUT", "/v1/stream/one", { headers: { "stream-ttl": "60" } }),
  },
  "`Stream-Forked-From` and `Stream-Fork-Offset`": {
    wrong: () => call("PUT", "/v1/stream/fork", { headers: { "stream-fork-offset": "-1" } }),
    right: () => call("PUT", "/v1/stream/fork2", { headers: { "stream-forked-from": "/v1/stream/json" } }),
  },
  "the `Content-Type` of a record and of its stream": {
    wrong: () => call("POST", "/v1/stream/text", { body: [1] }),
    right: () => call("POST", "/v1/stream/text", { headers: { "content-type": "text/plain" }, body: "x" }),
  },
  "`hash`, `stream` and `sequence` of an attachment": {
    wrong: () => call("GET", `/v1/blobs/${hash}?stream=channels/team&sequence=1`),
    right: async () => {
      await call("POST", "/v1/stream/channels/team", { body: { ...SAID, blobs: [hash] } });
      const sequence = (await store.read("channels/team")).events.at(-1)?.sequence;
      return await call("GET", `/v1/blobs/${hash}?stream=channels/team&sequence=${sequence}`);
    },
  },
  "`hash` in `blobs` and the sender": {
    wrong: () => call("POST", "/v1/stream/channels/team", { token: other, body: { ...SAID, blobs: [hash] } }),
    right: () => call("POST", "/v1/stream/channels/team", { token: other, body: SAID }),
  },
  "`code` and `nonce` of a page": {
    wrong: async () => {
      const code = await codeFor(server.url, admin);
      await exchange(server.url, code);
      return await exchange(server.url, code);
    },
    right: async () => {
      const [code, nonce] = [await codeFor(server.url, admin), newNonce()];
      await exchange(server.url, code, { nonce });
      return await exchange(server.url, code, { nonce });
    },
  },
  "`type`, `webhook` and `wake_stream` of a subscription": {
    wrong: () => subscribe({ type: "webhook", wake_stream: "wakes" }),
    right: () => subscribe({ type: "pull-wake", wake_stream: "wakes" }),
  },
  "`wake_id`, `generation` and the token of a wake": {
    wrong: () => acknowledged((wake) => ({ ...wake, generation: wake.generation + 1 })),
    right: () => acknowledged((wake) => wake),
  },
  "`startMs` and `endMs` of speech": {
    wrong: () => speech("startMs=2000&endMs=1000"),
    // This server makes no transcripts; it reports this after it has checked the times.
    right: async () => {
      const answer = await speech("startMs=1000&endMs=2000");
      return answer.status === 501 ? new Response(null) : answer;
    },
  },
  "a type of event and the `actor`": {
    wrong: () =>
      call("POST", "/v1/stream/channels/team", { body: { ...SAID, actor: { kind: "person", id: "eve" } } }),
    right: () => call("POST", "/v1/stream/channels/team", { body: SAID }),
  },
};

interface Wake {
  readonly wake_id: string;
  readonly generation: number;
}

let wakes = 0;

/** Claims a wake of a new subscription, changes its values with `change`, and acknowledges it with them. */
async function acknowledged(change: (wake: Wake) => Wake): Promise<Response> {
  const name = `wake${++wakes}`;
  const path = `/v1/stream/__ds/subscriptions/${name}`;
  await call("PUT", `/v1/stream/${name}`);
  await call("PUT", path, { body: { type: "pull-wake", pattern: name, wake_stream: `on-${name}` } });
  await call("POST", `/v1/stream/${name}`, { body: [1] });
  const claim = (): Promise<Response> => call("POST", `${path}/claim`, { body: { worker: "w" } });
  let claimed = await claim();
  // The server looks for new events a few times a second.
  for (; claimed.status === 409; claimed = await claim())
    await new Promise((resolve) => setTimeout(resolve, 20));
  const wake = (await claimed.json()) as Wake & { readonly token: string };
  return await call("POST", `${path}/ack`, { token: wake.token, body: { ...change(wake), done: true } });
}

async function speech(times: string): Promise<Response> {
  await call("PUT", "/v1/live/talk", { body: { videoId: "v" } });
  const bytes = Buffer.concat([Buffer.from("RIFF....WAVEfmt "), Buffer.alloc(64)]);
  return await fetch(`${server.url}/v1/live/talk/audio?${times}`, {
    method: "POST",
    headers: { authorization: `Bearer ${admin}`, "content-type": "audio/wav" },
    body: bytes,
  });
}

describe("the server refuses a request whose values do not belong together, and accepts one whose values do", () => {
  const page = readFileSync(join(import.meta.dirname, "../../docs/server.md"), "utf8");
  const [, section = ""] = page.split("## Values that belong together\n");
  const [table = ""] = section.split("\n## ", 1);
  const [, ...rows] = table.matchAll(/^\| ([^|]+) \| [^|]+ \| ([^|]+) \|$/gmu);

  test("each row of the documentation has a case", () => {
    expect(rows.map(([, values]) => values)).toEqual(Object.keys(CASES));
  });

  test.each(rows.map(([, values = "", status = ""]) => [values, Number(status)] as const))(
    "%s",
    async (values, status) => {
      const { wrong, right } = CASES[values] ?? {};
      expect((await wrong?.())?.status).toBe(status);
      expect((await right?.())?.status).toBeLessThan(300);
    },
  );
});
