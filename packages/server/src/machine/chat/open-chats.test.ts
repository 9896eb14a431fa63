import type { Talk, TalkOptions } from "@continuo/agents/conversations";
import type { OpenedStore } from "@continuo/store";
import { expect, test } from "vitest";
import { createChanges } from "./changes.ts";
import { LIVE_LIMITS } from "./limits.ts";
import { createOpenChats, type OpenChats } from "./open-chats.ts";

const FULL = {
  code: "busy",
  message: "cannot open the conversation: 16 others are open on this server, which is the most",
};

function createChats(): OpenChats {
  const store = async (): Promise<OpenedStore> => ({}) as OpenedStore;
  const openTalk = async ({ flags }: TalkOptions): Promise<Talk> =>
    ({ session: { sessionId: flags?.resume }, close: async () => undefined }) as Talk;
  const places = { home: "/", cwd: "/", env: {} };
  return createOpenChats({ places, store, changes: createChanges(), openTalk });
}

const names = Array.from({ length: LIVE_LIMITS.open }, (_, at) => `session-${at}`);

test("as many conversations are open as the limit says, and no more", async () => {
  const chats = createChats();
  for (const name of names) await chats.open(name, null);
  await expect(chats.open("another", null)).rejects.toMatchObject(FULL);
  expect(chats.sessionIds()).toEqual(names);
  await chats.close();
});

test("conversations that open at the same time count, each once", async () => {
  const chats = createChats();
  const opening = names.map((name) => chats.open(name, null));
  await expect(chats.open("another", null)).rejects.toMatchObject(FULL);
  await Promise.all(opening);
  expect(chats.sessionIds()).toEqual(names);
  await chats.close();
});
