import { setImmediate } from "node:timers/promises";
import type { Talk, TalkOptions } from "@continuo/agents/conversations";
import { type OpenedStore, openStore } from "@continuo/store";
import { expect, test, vi } from "vitest";
import { createChanges } from "./changes.ts";
import { LIVE_LIMITS } from "./limits.ts";
import { createOpenChats, type OpenChats } from "./open-chats.ts";

const FULL = {
  code: "busy",
  message: "cannot open the conversation: 16 others are open on this server, and that is the limit",
};

function createChats(): OpenChats {
  const store = async (): Promise<OpenedStore> => ({}) as OpenedStore;
  const openTalk = async ({ flags }: TalkOptions): Promise<Talk> =>
    ({ session: { sessionId: flags?.resume }, close: async () => undefined }) as Talk;
  const places = { home: "/", cwd: "/", env: {} };
  return createOpenChats({ places, store, changes: createChanges(), openTalk });
}

const names = Array.from({ length: LIVE_LIMITS.open }, (_, at) => `session-${at}`);

test("as many conversations can be open as the limit says, and no more", async () => {
  const chats = createChats();
  for (const name of names) await chats.open(name, null);
  await expect(chats.open("another", null)).rejects.toMatchObject(FULL);
  expect(chats.sessionIds()).toEqual(names);
  await chats.close();
});

test("conversations that are opened at the same time count, each once", async () => {
  const chats = createChats();
  const opening = names.map((name) => chats.open(name, null));
  await expect(chats.open("another", null)).rejects.toMatchObject(FULL);
  await Promise.all(opening);
  expect(chats.sessionIds()).toEqual(names);
  await chats.close();
});

test("a prompt is answered with its run once the run is stored, and keeps the agent until its turn ends", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const turn = Promise.withResolvers<never>();
  const runs: string[] = [];
  const talk = {
    agent: "robot",
    session: { sessionId },
    queue: (_: string, { runId }: { readonly runId: string }) => {
      runs.push(runId);
      return turn.promise;
    },
    switchAgent: async () => undefined,
    rest: async () => undefined,
    close: async () => undefined,
  };
  const chats = createOpenChats({
    places: { home: "/", cwd: "/", env: {} },
    store: async () => store,
    changes: createChanges(),
    openTalk: async () => talk as unknown as Talk,
  });
  const chat = await chats.open(sessionId, null);
  let answered: string | null = null;
  const said = chat.say("hello").then((runId) => {
    answered = runId;
  });
  await vi.waitFor(() => expect(runs).toHaveLength(1));
  await store.append(sessionId, [{ type: "run_created", data: {}, runId: "of another page" }]);
  await setImmediate();
  expect(answered).toBeNull();
  await store.append(sessionId, [{ type: "run_created", data: {}, runId: runs[0] ?? "" }]);
  await said;
  expect(answered).toBe(runs[0]);
  await expect(chat.switchAgent("other")).rejects.toMatchObject({ code: "busy" });
  turn.reject(new Error("the turn was cancelled"));
  await vi.waitFor(async () => await chat.switchAgent("other"));
  await chats.close();
});

test("a conversation opens only after one that closes has ended its agent", async () => {
  const closed = Promise.withResolvers<void>();
  const order: string[] = [];
  const openTalk = async ({ flags }: TalkOptions): Promise<Talk> => {
    order.push(`open ${flags?.resume}`);
    const close = async (): Promise<void> => {
      await closed.promise;
      order.push(`closed ${flags?.resume}`);
    };
    return { session: { sessionId: flags?.resume }, close } as Talk;
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const store = async (): Promise<OpenedStore> => ({}) as OpenedStore;
    const places = { home: "/", cwd: "/", env: {} };
    const chats = createOpenChats({ places, store, changes: createChanges(), openTalk });
    await chats.open("one", null);
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs);
    expect(chats.sessionIds()).toEqual([]);
    const again = chats.open("one", null);
    await setImmediate();
    expect(order).toEqual(["open one"]);
    closed.resolve();
    await again;
    expect(order).toEqual(["open one", "closed one", "open one"]);
    await chats.close();
  } finally {
    vi.useRealTimers();
  }
});
