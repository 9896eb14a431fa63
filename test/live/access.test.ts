/** A token reaches the continuous sessions of its keys; it can neither cause costs nor remove the data of others. */

import type { Store } from "@continuo/core/model";
import { createAuthenticate, type ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { scriptedWriter } from "./live-session.ts";

let store: Store & AsyncDisposable;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  const live = { workspaceIds: [store.workspaceId], noteWriters: [scriptedWriter()] };
  server = await openServer(store, { live, authenticate: createAuthenticate(store) });
  const everything = await token("live:*:read,write");
  for (const key of ["talk", "private"]) {
    const { status } = await ask(everything, "PUT", `/v1/live/${key}`, { videoId: key, title: key });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  await server.close();
  await store.close();
});

async function token(...scopes: readonly string[]): Promise<string> {
  return (await store.createToken({ scopes })).secret;
}

function ask(secret: string, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
  return fetch(`${server.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
}

test.each([
  ["live:talk:read", "GET", "/v1/live/talk", 200],
  ["live:talk:read", "GET", "/v1/live/private", 403],
  ["live:talk:read", "POST", "/v1/live/talk/ping", 403],
  ["live:talk:read", "POST", "/v1/live/talk/replay", 403],
  ["live:talk:read,write", "POST", "/v1/live/talk/ping", 204],
  ["live:talk:read,write", "GET", "/v1/live/talk/writers", 403],
  ["live:*:read,write", "GET", "/v1/live/talk/writers", 200],
  ["live:talk:write", "POST", "/v1/live/talk/join", 403],
  ["live:*:read,write", "DELETE", "/v1/videos/talk", 403],
  ["live:talk:read,write", "GET", "/v1/whisper/model.onnx", 403],
  ["live:*:read", "GET", "/v1/whisper/model.onnx", 404],
] as const)(
  "a token with %s that asks for %s %s is answered with %i",
  async (scope, method, path, status) => {
    const body = path.endsWith("/replay")
      ? { mode: "model" }
      : path.endsWith("/join")
        ? { key: "talk" }
        : undefined;
    expect((await ask(await token(scope), method, path, body)).status).toBe(status);
  },
);

test.each([
  ["makes another key name its session", "join", { key: "private" }],
  ["chooses who writes the notes of its session", "writer", { name: "codex" }],
])("no token of one session %s", async (_, action, body) => {
  const own = await token("live:talk:read,write");
  const answer = await ask(own, "POST", `/v1/live/talk/${action}`, body);
  expect([answer.status, await answer.json()]).toMatchObject([403, { error: { code: "forbidden" } }]);
});

test("a list has only the sessions that the token may read, and so has the list of removed sessions", async () => {
  const everything = await token("live:*:read,write");
  const keys = async (secret: string, query = ""): Promise<readonly string[]> => {
    const answer = await (await ask(secret, "GET", `/v1/live${query}`)).json();
    return (answer as { sessions: readonly { key: string }[] }).sessions.map(({ key }) => key).toSorted();
  };
  const own = await token("live:talk:read");
  expect([await keys(everything), await keys(own)]).toEqual([["private", "talk"], ["talk"]]);
  for (const key of ["talk", "private"])
    expect((await ask(everything, "POST", `/v1/live/${key}/remove`, {})).status).toBe(200);
  expect([await keys(everything, "?status=removed"), await keys(own, "?status=removed")]).toEqual([
    ["private", "talk"],
    ["talk"],
  ]);
});
