import type { Talk } from "@continuo/agents/conversations";
import type { OpenedStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import { createChanges } from "./changes.ts";
import { LIVE_LIMITS } from "./limits.ts";
import { createOpenChats, type OpenChats } from "./open-chats.ts";

vi.mock("@continuo/agents/conversations", () => ({
  openTalk: async ({ flags }: { readonly flags: { readonly resume: string } }) =>
    ({ session: { sessionId: flags.resume }, close: async () => undefined }) as Talk,
}));

const FULL = {
  code: "busy",
  message: "cannot open the conversation: 16 others are open on this server, which is the most",
};

function createChats(): OpenChats {
  const store = async (): Promise<OpenedStore> => ({}) as OpenedStore;
  return createOpenChats({ places: { home: "/", cwd: "/", env: {} }, store, changes: createChanges() });
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
