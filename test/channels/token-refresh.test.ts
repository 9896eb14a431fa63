/** A client whose token is a function: each connection gets a new token. */

import { connect } from "@continuo/core/client";
import { ContinuoError } from "@continuo/core/model";
import { allowEverybody, createServer, listen } from "@continuo/server";
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
