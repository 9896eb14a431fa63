/** Unsent evidence and speech of a page are kept when the token is revoked or the page is closed. */

import { type LiveClient, memoryOutbox, openLive } from "@continuo/core/client/live";
import type { Store } from "@continuo/core/model";
import { createAuthenticate } from "@continuo/server";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openServer } from "../server/harness/open-server.ts";
import { fakeClock } from "./fake-clock.ts";
import { said, scriptedWriter } from "./live-session.ts";
import { allEvents } from "./servers.ts";

interface Opened extends AsyncDisposable {
  readonly store: Store;
  readonly url: string;
  readonly transcribed: string[];
  token(): Promise<{ readonly tokenId: string; readonly secret: string }>;
  /** The time at which the server stops accepting it. */
  revoke(token: { readonly tokenId: string; readonly secret: string }): Promise<void>;
}

async function opened(): Promise<Opened> {
  const store = await openStore("memory:");
  const transcribed: string[] = [];
  const transcriber = {
    name: "scripted",
    transcribe: async ({ bytes }: { readonly bytes: Uint8Array }) => {
      transcribed.push(Buffer.from(bytes).toString("latin1").slice(16));
      return { segments: [] };
    },
  };
  const clock = fakeClock(async () => undefined);
  const live = { workspaceIds: [store.workspaceId], clock, noteWriters: [scriptedWriter()], transcriber };
  const server = await openServer(store, { live, authenticate: createAuthenticate(store) });
  const status = async (secret: string): Promise<number> =>
    (await fetch(`${server.url}/v1/live`, { headers: { authorization: `Bearer ${secret}` } })).status;
  return {
    store,
    url: server.url,
    transcribed,
    token: () => store.createToken({ scopes: ["live:*:read,write"] }),
    revoke: async ({ tokenId, secret }) => {
      await store.revokeToken(tokenId);
      await expect.poll(() => status(secret)).toBe(401);
    },
    [Symbol.asyncDispose]: async () => {
      await server.close();
      await store.close();
    },
  };
}

function speech(words: string): Parameters<LiveClient["addAudio"]>[0] {
  const bytes = Buffer.from(`RIFF\u0024\0\0\0WAVEfmt ${words}`);
  return { bytes, mediaType: "audio/wav", startMs: 0, endMs: 1_000, id: words };
}

async function transcriptsIn(store: Store, sessionId: string): Promise<readonly unknown[]> {
  return (await allEvents(store, sessionId)).flatMap(({ type, data }) =>
    type === "transcript_added" ? [(data as { readonly text: string }).text] : [],
  );
}

test("evidence and speech that a revoked token cannot send stay in the outbox, and the next token sends them once", async () => {
  await using live = await opened();
  const first = await live.token();
  const outbox = memoryOutbox();
  const refused: string[] = [];
  const client = await openLive({
    serverUrl: live.url,
    token: first.secret,
    key: "k",
    videoId: "v",
    outbox,
    onRefused: ({ code }) => refused.push(code),
  });
  await client.add(said("before"));
  await live.revoke(first);
  const adding = Promise.all([client.add(said("one")), client.add(said("two"))]);
  await expect.poll(() => refused).toContain("unauthorized");
  const speaking = client.addAudio(speech("three"));
  await expect.poll(() => refused.length).toBeGreaterThanOrEqual(2);
  expect((await outbox.load())?.batches).toHaveLength(2);
  expect(await outbox.recordings?.load()).toMatchObject([{ id: "three" }]);
  client.useToken((await live.token()).secret);
  await adding;
  await speaking;
  await client.flushed();
  expect([(await outbox.load())?.batches, await outbox.recordings?.load()]).toEqual([[], []]);
  expect(await transcriptsIn(live.store, client.sessionId)).toEqual(["before", "one", "two"]);
  await expect.poll(() => live.transcribed).toEqual(["three"]);
  client.close();
});

test("the next page sends the speech of a closed page before its own, and the end of the session waits for it", async () => {
  await using live = await opened();
  const first = await live.token();
  const outbox = memoryOutbox();
  const options = { serverUrl: live.url, key: "k", videoId: "v", outbox };
  const page = await openLive({ ...options, token: first.secret });
  await live.revoke(first);
  const left = page.addAudio(speech("left behind"));
  left.catch(() => undefined);
  await expect.poll(() => outbox.recordings?.load()).toHaveLength(1);
  page.close();
  await expect(left).rejects.toMatchObject({ code: "unavailable" });

  const next = await openLive({ ...options, token: (await live.token()).secret });
  const own = next.addAudio(speech("of the next page"));
  expect(await next.end()).toMatchObject({ state: "closed" });
  await own;
  expect(live.transcribed).toEqual(["left behind", "of the next page"]);
  expect(await outbox.recordings?.load()).toEqual([]);
  next.close();
});

test("speech that was stored, but whose answer was lost, is not stored again by the next page in the next session", async () => {
  await using live = await opened();
  const { secret: token } = await live.token();
  const outbox = memoryOutbox();
  const options = { serverUrl: live.url, token, key: "k", videoId: "v", outbox };
  const page = await openLive(options);
  await page.addAudio(speech("once"));
  await page.end();
  page.close();
  // The page died before it received the answer.
  await outbox.recordings?.add({ ...speech("once"), id: "once" });
  const next = await openLive(options);
  await next.addAudio(speech("of the next page"));
  await next.end();
  expect(next.sessionId).not.toBe(page.sessionId);
  expect(live.transcribed).toEqual(["once", "of the next page"]);
  next.close();
});

test("a page whose key joins another session sends its later speech there, and then to the session after that", async () => {
  await using live = await opened();
  const { secret: token } = await live.token();
  const options = { serverUrl: live.url, token, videoId: "v" };
  const one = await openLive({ ...options, key: "one" });
  const two = await openLive({ ...options, key: "two" });
  const alone = two.sessionId;
  await two.add(said("alone"));
  const joined = await fetch(`${live.url}/v1/live/one/join`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify({ key: "two" }),
  });
  expect(joined.ok).toBe(true);
  await two.add(said("together"));
  expect(await transcriptsIn(live.store, one.sessionId)).toEqual(["together"]);
  expect(await transcriptsIn(live.store, alone)).toEqual(["alone"]);
  await one.end();
  await two.add(said("after it"));
  expect((await two.session()).parentId).toBe(one.sessionId);
  expect(await transcriptsIn(live.store, two.sessionId)).toEqual(["after it"]);
  one.close();
  two.close();
}, 20_000);

test("a page learns at once that its session is degraded; its speech waits, and is stored once after the repair", async () => {
  await using live = await opened();
  const { secret: token } = await live.token();
  const outbox = memoryOutbox();
  const reasons: string[] = [];
  const client = await openLive({
    serverUrl: live.url,
    token,
    key: "k",
    videoId: "v",
    outbox,
    onFrame: (frame) => void (frame.type === "degraded" && reasons.push(frame.reason)),
  });
  const { sessionId } = client;
  const reason = "the log has a gap after 3";
  // A server does this when it finds damage in the log. The clock of the servers stands still, so that no timer leads
  // to the frame.
  const patch = { status: "degraded" };
  await live.store.append(
    sessionId,
    [
      { type: "session_state_changed", data: { state: "degraded", from: "created", reason } },
      { type: "session_updated", data: patch },
    ],
    { also: [{ type: "session", patch }] },
  );
  await expect.poll(() => reasons).toEqual([reason]);
  // A server that starts reports the state again.
  const restart = { state: "degraded", from: "degraded", reason: "another server took over", restart: true };
  await live.store.append(sessionId, [{ type: "session_state_changed", data: restart }]);
  const post = (path: string, body: object): Promise<Response> =>
    fetch(`${live.url}/v1/live/k${path}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const batch = { producerId: "p", epoch: 0, sequence: 0, evidence: [said("refused")] };
  expect(await (await post("/evidence", batch)).json()).toMatchObject({ error: { code: "degraded" } });
  const adding = client.add(said("kept"));
  await expect.poll(async () => (await outbox.load())?.batches).toHaveLength(1);
  expect((await post("/repair", {})).ok).toBe(true);
  await adding;
  expect((await outbox.load())?.batches).toEqual([]);
  expect(await transcriptsIn(live.store, sessionId)).toEqual(["kept"]);
  expect([...new Set(reasons)]).toEqual([reason]);
  client.close();
});

test("speech that the server refuses leaves the outbox, and its page receives an error", async () => {
  await using live = await opened();
  const { secret: token } = await live.token();
  const outbox = memoryOutbox();
  const client = await openLive({ serverUrl: live.url, token, key: "k", videoId: "v", outbox });
  const mp3 = { ...speech("x"), bytes: Buffer.from("ID3 this is an mp3 file") };
  await expect(client.addAudio(mp3)).rejects.toMatchObject({ code: "invalid" });
  expect(await outbox.recordings?.load()).toEqual([]);
  client.close();
});
