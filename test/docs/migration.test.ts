/** docs/migration.md: every name in it exists, and messages are imported as it says. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgenticClient } from "@continuo/core/client";
import type { Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { openChannelServer, take } from "../channels/open-channel.ts";

const DOCUMENT = readFileSync(join(import.meta.dirname, "../../docs/migration.md"), "utf8");

interface Found {
  readonly store: Store;
  readonly client: AgenticClient;
}

type Check = (found: Found) => unknown;

/** Names of other systems, which are not ours. */
const THEIRS = new Set([
  "agentic_sessions",
  "agentic_sessions.checkpoint",
  "agentic_sessions.sdk_session_id",
  "agentic_sessions.status",
  "agentic_history",
  "workspace-ID-sessions",
  "workspace:channel:handle",
  "pubsubId",
]);

const SESSION = "participant:team:ann";
const isMember =
  (name: keyof AgenticClient): Check =>
  ({ client }) =>
    expect(typeof client[name]).toBe("function");

/** Checks that each of our names exists, on a connected participant. */
const CHECKS: Readonly<Record<string, Check>> = {
  "event.sequence": async ({ client }) => expect((await take(client, 1))[0]?.sequence).toBe(2),
  "event.pubsubId": async ({ client }) => expect((await take(client, 1))[0]?.pubsubId).toBe(3),
  undefined: async ({ client }) => {
    const [presence] = await take(client, 1, ({ type }) => type === "presence");
    expect(presence).toMatchObject({ pubsubId: undefined });
  },
  "participant:CHANNEL:HANDLE": async ({ store }) => expect(await store.getSession(SESSION)).not.toBeNull(),
  "received/HANDLE": async ({ store }) =>
    expect(await store.getCursor({ logId: "channels/team", name: "received/ann" })).not.toBeNull(),
  "processed/HANDLE": async ({ store }) =>
    expect(await store.getCursor({ logId: "channels/team", name: "processed/ann" })).toMatchObject({
      sequence: 1,
    }),
  "channels/CHANNEL": async ({ store }) => expect(await store.getLog("channels/team")).not.toBeNull(),
  "channels/NAME": async ({ store }) => expect(await store.getLog("channels/team")).not.toBeNull(),
  "client.checkpoint": ({ client }) => expect(client.checkpoint).toBe(1),
  "client.sdkSessionId": ({ client }) => expect(client.sdkSessionId).toBe("native-1"),
  "metadata.sdkSessionId": async ({ store }) =>
    expect((await store.getSession(SESSION))?.metadata.sdkSessionId).toBe("native-1"),
  "client.status": ({ client }) => expect(client.status).toBe("active"),
  active: ({ client }) => expect(client.status).toBe("active"),
  interrupted: async ({ store }) => {
    // Rule MSG-3 of PROTOCOL.md requires this.
    await store.updateSession(SESSION, { status: "interrupted" });
    expect((await store.getSession(SESSION))?.status).toBe("interrupted");
  },
  storeMessage: isMember("storeMessage"),
  getHistory: isMember("getHistory"),
  clearHistory: isMember("clearHistory"),
  // No query crosses it.
  workspaceId: async ({ store }) => expect(await store.forWorkspace("other").getSession(SESSION)).toBeNull(),
  "client.sessionKey": ({ client }) => expect(client.sessionKey).toBe("default:team:ann"),
  participant_joined: ({ store }) => stays(store, "participant_joined"),
  participant_left: ({ store }) => stays(store, "participant_left"),
  presence_changed: ({ store }) => stays(store, "presence_changed"),
  PUT: () => undefined,
  POST: () => undefined,
  "/v1/stream/channels/NAME": () => undefined,
  "store.append": ({ store }) => expect(typeof store.append).toBe("function"),
  "store.commitCursor": ({ store }) => expect(typeof store.commitCursor).toBe("function"),
};

/** A row of the type is read as it was stored. */
async function stays(store: Store, type: string): Promise<void> {
  const { logId } = await store.createLog();
  await store.append(logId, [{ type, data: { handle: "bob" } }]);
  expect((await store.read(logId)).events).toMatchObject([{ type, data: { handle: "bob" } }]);
}

test("messages are imported once, and a consumer that had processed some continues after them", async () => {
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const url = `${server.url}/v1/stream/channels/team`;
  const headers = { "content-type": "application/json" };
  const old = ["one", "two", "@ann three"].map((content, n) => ({
    id: `old-${n}`,
    type: "message_sent",
    data: { content },
    occurredAt: `2020-01-0${n + 1}T00:00:00.000Z`,
  }));
  for (let times = 0; times < 2; times++) {
    expect((await fetch(url, { method: "PUT", headers })).ok).toBe(true);
    expect((await fetch(url, { method: "POST", headers, body: JSON.stringify(old) })).status).toBe(204);
  }
  expect((await store.read("channels/team")).events.map(({ id }) => id)).toEqual(["old-0", "old-1", "old-2"]);
  await store.commitCursor({ logId: "channels/team", name: "processed/ann", sequence: 2 });
  const ann = await server.join("ann");
  expect([ann.checkpoint, ann.missedMessages]).toEqual([2, []]);
  expect(await take(ann, 1)).toMatchObject([{ id: "old-2", content: "@ann three", redelivered: false }]);
});

test("every name in docs/migration.md exists", async () => {
  const names = new Set([...DOCUMENT.matchAll(/`([^`]+)`/gu)].map(([, name = ""]) => name));
  const ours = [...names].filter((name) => !THEIRS.has(name));
  expect(ours.toSorted()).toEqual(Object.keys(CHECKS).toSorted());
  await using store = await openStore("memory:");
  await using server = await openChannelServer(store);
  const bob = await server.join("bob");
  for (const word of ["one", "two", "three"]) await bob.send(word);
  const ann = await server.join("ann");
  await ann.commitCheckpoint(1);
  await ann.updateSdkSession("native-1");
  await ann.close();
  const client = await server.join("ann", { replayMode: "stream" });
  for (const name of ours) await CHECKS[name]?.({ store, client });
});
