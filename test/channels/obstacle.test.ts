/** A client that cannot connect soon reports the reason in one sentence, with what to do. */

import { connect, watch } from "@continuo/core/client";
import { openLive, watchLive } from "@continuo/core/client/live";
import type { ContinuoError, Store } from "@continuo/core/model";
import type { ServerHandle } from "@continuo/server";
import { openStore } from "@continuo/store";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { plainProxy } from "./plain-proxy.ts";

let store: Store;
let server: ServerHandle;
beforeAll(async () => {
  store = await openStore("memory:");
  server = await openServer(store, { hosts: ["127.0.0.1"] });
});
afterAll(async () => {
  await server.close();
  await store.close();
});

const JOIN = { channel: "team", handle: "ann" } as const;
/** The promised limit. On a busy machine everything may be slower. */
const SOON_MS = 2_000;

const failureOf = async (joining: Promise<unknown>): Promise<ContinuoError> => {
  const start = performance.now();
  const error = await joining.then(
    () => Promise.reject(new Error("it connected")),
    (reason: ContinuoError) => reason,
  );
  expect(performance.now() - start).toBeLessThan(SOON_MS * 5);
  return error;
};

const NO_WEBSOCKET = {
  code: "unsupported",
  message: "the server answers over HTTP, but not over a WebSocket",
  hint: expect.stringContaining("Let the proxy in front of it pass WebSockets"),
};

test.each([undefined, null, "", 4747, "127.0.0.1:4747", "ftp://a.example", "http://me:pw@a.example"])(
  "the server URL %j is refused at once, with an example of a valid one",
  async (given) => {
    const serverUrl = given as string;
    const expected = {
      code: "invalid",
      message: expect.stringMatching(/^no serverUrl is given$| is not the URL of a server$/u),
      hint: expect.stringContaining("with --server"),
    };
    expect(await failureOf(connect({ ...JOIN, serverUrl }))).toMatchObject(expected);
    expect(await failureOf(watch({ channel: "team", serverUrl }))).toMatchObject(expected);
    expect(await failureOf(openLive({ key: "a", videoId: "v", serverUrl }))).toMatchObject(expected);
    expect(() => watchLive({ key: "a", serverUrl, onFrame: () => undefined })).toThrow(
      expect.objectContaining(expected),
    );
    expect((await failureOf(connect({ ...JOIN, serverUrl }))).message).not.toContain("pw");
  },
);

test.each(["refused", "forwarded"] as const)(
  "a proxy by which upgrades are %s is named instead of tried for half a minute",
  async (upgrades) => {
    await using proxy = await plainProxy(server.url, upgrades);
    const joining = connect({ ...JOIN, serverUrl: proxy.url, onWarning: () => undefined });
    expect(await failureOf(joining)).toMatchObject(NO_WEBSOCKET);
    const once = connect({ ...JOIN, serverUrl: proxy.url, reconnect: false });
    expect(await failureOf(once)).toMatchObject(NO_WEBSOCKET);
  },
);

test("a proxy that holds the upgrade is named while the first connection still waits", async () => {
  await using proxy = await plainProxy(server.url, "held");
  const warned = Promise.withResolvers<string>();
  const start = performance.now();
  const joining = connect({
    ...JOIN,
    serverUrl: proxy.url,
    onWarning: warned.resolve,
    firstConnectionMs: 3_000,
  });
  joining.catch(() => undefined);
  expect(await warned.promise).toContain("the server answers over HTTP, but not over a WebSocket");
  expect(performance.now() - start).toBeLessThan(SOON_MS * 5);
  await expect(joining).rejects.toMatchObject(NO_WEBSOCKET);
});

test("a proxy without WebSockets is reported once to a client that follows a continuous session", async () => {
  await using proxy = await plainProxy(server.url, "refused");
  const onRefused = vi.fn();
  const onConnection = vi.fn();
  const watching = watchLive({
    key: "a",
    serverUrl: proxy.url,
    onFrame: () => undefined,
    onRefused,
    onConnection,
  });
  await expect.poll(() => onRefused.mock.calls).toEqual([[expect.objectContaining(NO_WEBSOCKET)]]);
  const tries = onConnection.mock.calls.length;
  await expect.poll(() => onConnection.mock.calls.length).toBeGreaterThan(tries);
  expect(onRefused).toHaveBeenCalledOnce();
  watching.close();
});

test("a server that does not accept this host name is reported in its own words", async () => {
  const { port } = new URL(server.url);
  const other = connect({ ...JOIN, serverUrl: `http://[::ffff:127.0.0.1]:${port}` });
  expect(await failureOf(other)).toMatchObject({
    code: "forbidden",
    message: "the server does not have this host name",
  });
});

test("a client joins a server that starts while the client looks for a reason", async () => {
  const { port } = new URL(server.url);
  const late = await openServer(store, {});
  await late.close();
  const joining = connect({ ...JOIN, serverUrl: late.url, onWarning: () => undefined });
  const again = await openServer(store, { port: Number(new URL(late.url).port) });
  expect(port).not.toBe(new URL(again.url).port);
  const client = await joining;
  await client.close();
  await again.close();
});
