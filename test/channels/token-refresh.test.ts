/** A client whose token is a function: each connection gets a new token. */

import { connect, openChannel } from "@continuo/core/client";
import { ContinuoError, type NewToken } from "@continuo/core/model";
import { allowEverybody, createAuthenticate, createServer, listen } from "@continuo/server";
import { type OpenedStore, openStore } from "@continuo/store";
import { afterEach, beforeEach, expect, test } from "vitest";

let store: OpenedStore;
let accepted = "";
let listening: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  store = await openStore("memory:");
  listening = await serve(0);
});
afterEach(async () => {
  await listening.close();
  await store.close();
});

/** The server accepts only the currently valid token. */
async function serve(port: number): Promise<typeof listening> {
  const everybody = allowEverybody(store.workspaceId);
  const server = createServer({
    store: () => store,
    authenticate: async (credentials, peer) => {
      if (credentials.secret === accepted) return await everybody(credentials, peer);
      throw new ContinuoError("unauthorized", "the token has expired");
    },
  });
  return await listen(server, { host: "127.0.0.1", port });
}

const join = (token: string | (() => string | Promise<string>)) =>
  connect({ serverUrl: listening.url, channel: "team", handle: "ann", token, onWarning: () => undefined });

async function restart(): Promise<void> {
  const port = Number(new URL(listening.url).port);
  await listening.close();
  listening = await serve(port);
}

test("a client that lost its connection comes back with a new token, and sends what was not confirmed", async () => {
  accepted = "token 1";
  let made = 0;
  await using client = await join(async () => `token ${++made}`);
  expect(made).toBe(1);
  accepted = "token 2";
  await restart();
  await client.send("still here");
  expect(made).toBe(2);
  const { items } = await store.listLogs({ prefix: "channels/" });
  expect(items.map(({ logId }) => logId)).toEqual(["channels/team"]);
});

test("the client asks again for a token that it cannot get at once", async () => {
  accepted = "good";
  const answers = ["", "", "good"];
  await using client = await join(() => {
    const token = answers.shift();
    if (token === "") throw new Error("the service of tokens is down");
    return token ?? "none";
  });
  expect([client.roster().length, answers]).toEqual([1, []]);
});

test("a client whose new token is refused as well ends with unauthorized", async () => {
  accepted = "good";
  await expect(join(() => "bad")).rejects.toMatchObject({ code: "unauthorized" });
  await expect(join("bad")).rejects.toMatchObject({ code: "unauthorized" });
  await using client = await join(() => "good");
  accepted = "other";
  await restart();
  await expect(client.send("hello")).rejects.toMatchObject({ code: "unauthorized" });
});

/** A server that knows the tokens of its store; each token of ann ends after the given time, or when it is revoked. */
async function serveTokens(options: { readonly livesMs?: number } = {}) {
  const { livesMs = 60_000 } = options;
  const authenticate = createAuthenticate(store);
  const handle = await listen(createServer({ store: () => store, authenticate }), {
    host: "127.0.0.1",
    port: 0,
  });
  const ids: string[] = [];
  const token = async (): Promise<string> => {
    const scopes: NewToken["scopes"] = [{ kind: "channel", name: "team", access: "write" }];
    const expiresAt = new Date(Date.now() + livesMs).toISOString();
    const { tokenId, secret } = await store.createToken({ scopes, handle: "ann", expiresAt });
    ids.push(tokenId);
    return secret;
  };
  const joining = { serverUrl: handle.url, channel: "team", handle: "ann", onWarning: () => undefined };
  return { joining, token, ids, [Symbol.asyncDispose]: () => handle.close() };
}

async function textsOf(channel: string): Promise<readonly unknown[]> {
  const { events } = await store.read(`channels/${channel}`, { after: 0, limit: 1_000 });
  return events
    .filter(({ type }) => type === "message_sent")
    .map(({ data }) => (data as { content: string }).content);
}

test("a page whose tokens end while it is connected asks for others, and no message is lost or stored twice", async () => {
  await using served = await serveTokens({ livesMs: 1_500 });
  const connections: string[] = [];
  const onConnection = (connection: string) => void connections.push(connection);
  await using team = await openChannel({ ...served.joining, token: served.token, onConnection });
  const shown = (async () => {
    for await (const messages of team.messages()) {
      if (messages.at(-1)?.content === "last") return messages.map(({ content }) => content);
    }
    return [];
  })();
  const said: string[] = [];
  const sends: Promise<unknown>[] = [];
  while (connections.length < 5) {
    said.push(`message ${said.length}`);
    sends.push(team.client.send(said.at(-1) ?? ""));
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  said.push("last");
  await Promise.all([...sends, team.client.send("last")]);
  expect(await textsOf("team")).toEqual(said);
  expect(await shown).toEqual(said.slice(-1_000));
  expect(connections.slice(0, 5)).toEqual(["open", "lost", "open", "lost", "open"]);
}, 60_000);

test("opening a channel asks once for a token", async () => {
  await using served = await serveTokens();
  await using _team = await openChannel({ ...served.joining, token: served.token });
  expect(served.ids).toHaveLength(1);
});

test("a client whose function gives the revoked token again ends with the reason of the server", async () => {
  await using served = await serveTokens();
  const secret = await served.token();
  await using client = await connect({ ...served.joining, token: () => secret });
  const reading = Array.fromAsync(client.events());
  await store.revokeToken(served.ids[0] ?? "");
  await expect(reading).rejects.toMatchObject({ code: "unauthorized", details: { reason: "revoked" } });
});

test("a function that refuses a token for good ends the first connection at once", async () => {
  await using served = await serveTokens();
  const refusal = Object.assign(new Error("no such login"), { retryable: false });
  const began = performance.now();
  const joining = connect({ ...served.joining, token: () => Promise.reject(refusal) });
  await expect(joining).rejects.toMatchObject({ code: "unauthorized", cause: refusal });
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("a function that fails often for a moment is asked again, though the server answers", async () => {
  await using served = await serveTokens();
  let failures = 0;
  const token = async (): Promise<string> => {
    if (++failures <= 5) throw new Error("the service of tokens is down");
    return await served.token();
  };
  await using client = await connect({ ...served.joining, token });
  expect(client.roster().map(({ handle }) => handle)).toEqual(["ann"]);
});

test("a lost connection is reported once, however often it is tried again", async () => {
  accepted = "good";
  const connections: string[] = [];
  let asked = 0;
  const options = { serverUrl: listening.url, channel: "team", handle: "ann", onWarning: () => undefined };
  await using _client = await connect({
    ...options,
    token: () => {
      if (++asked > 1 && asked < 5) throw new Error("the service of tokens is down");
      return "good";
    },
    onConnection: (connection) => void connections.push(connection),
  });
  await restart();
  await expect.poll(() => connections.length, { timeout: 30_000 }).toBeGreaterThan(2);
  expect([connections, asked]).toEqual([["open", "lost", "open"], 5]);
});

test("a function that refuses a token for good ends a connected client, with its error as the cause", async () => {
  await using served = await serveTokens();
  let refusal: Error | null = null;
  const token = async (): Promise<string> => {
    if (refusal !== null) throw refusal;
    return await served.token();
  };
  await using client = await connect({ ...served.joining, token });
  const reading = Array.fromAsync(client.events());
  refusal = new ContinuoError("forbidden", "ann was put out");
  await store.revokeToken(served.ids[0] ?? "");
  await expect(reading).rejects.toMatchObject({ code: "unauthorized", cause: refusal });
});
