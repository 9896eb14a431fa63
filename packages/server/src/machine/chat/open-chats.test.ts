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

/** Conversations whose program the test plays. */
function playedChats(begin: (options: TalkOptions) => Promise<Partial<Talk>>, store: object = {}): OpenChats {
  return createOpenChats({
    places: { home: "/", cwd: "/", env: {} },
    store: async () => store as OpenedStore,
    changes: createChanges(),
    openTalk: async (options) => (await begin(options)) as Talk,
  });
}

const talkOf = (sessionId: string, more: object = {}): Partial<Talk> =>
  ({ session: { sessionId }, close: async () => undefined, ...more }) as unknown as Partial<Talk>;

test("two pages that open a session at the same time get one conversation, in the folder of the session", async () => {
  const flags: unknown[] = [];
  const chats = playedChats(async (options) => {
    flags.push(options.flags);
    return talkOf("s");
  });
  const [one, two] = await Promise.all([chats.open("s", "/work"), chats.open("s", "/work")]);
  expect([one === two, flags]).toEqual([true, [{ resume: "s", cwd: "/work" }]]);
  await chats.close();
});

test("a conversation that was opened under two names is one, and its second program ends", async () => {
  let closed = 0;
  const chats = playedChats(async () => talkOf("s", { close: async () => void closed++ }));
  const one = await chats.open("claude:a", null);
  expect([(await chats.open("continuo:s", null)) === one, closed]).toEqual([true, 1]);
  await chats.close();
  expect(closed).toBe(2);
});

test("a conversation that could not be opened is opened again by the next page", async () => {
  let tries = 0;
  const chats = playedChats(async () => {
    tries += 1;
    if (tries === 1) throw new Error("the agent is missing");
    return talkOf("s");
  });
  await expect(chats.open("s", null)).rejects.toThrow("the agent is missing");
  expect((await chats.open("s", null)).sessionId).toBe("s");
  await chats.close();
});

test("the end of one conversation leaves the store of the others open", async () => {
  const ends: string[] = [];
  const close = async (): Promise<void> => void ends.push("closed");
  const chats = playedChats(
    async ({ openStore: open }) => {
      const store = await open?.({ cacheBytes: 0 });
      return talkOf("s", { close: async () => await store?.close() });
    },
    { close, [Symbol.asyncDispose]: close },
  );
  await chats.open("s", null);
  await chats.close();
  expect(ends).toEqual([]);
});

test("a prompt whose turn fails before it is stored fails, and its run and the next one are of this server", async () => {
  await using store = await openStore("memory:");
  const { sessionId } = await store.createSession({});
  const asked: [input: unknown, runId: string][] = [];
  const queue = async (
    input: unknown,
    { runId, onNextRun }: { readonly runId: string; onNextRun(next: string): void },
  ): Promise<never> => {
    asked.push([input, runId]);
    onNextRun("next");
    throw new Error("the disk is full");
  };
  const rest = async (): Promise<void> => undefined;
  const chats = playedChats(async () => talkOf(sessionId, { queue, rest }), store);
  const chat = await chats.open(sessionId, null);
  const picture = { mediaType: "image/png", data: "AA==" };
  await expect(chat.say(" ", [picture] as never)).rejects.toThrow("the disk is full");
  const [[input, runId = ""] = []] = asked;
  expect(input).toEqual([{ type: "image", ...picture }]);
  expect([runId, "next", "another"].map(chat.isOwnRun)).toEqual([true, true, false]);
  await chats.close();
});

test("a conversation stays open while its turn runs, closes a while after it, and ends its turns first", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await using store = await openStore("memory:");
    const { sessionId } = await store.createSession({});
    const turns = [Promise.withResolvers<never>(), Promise.withResolvers<never>()];
    const order: string[] = [];
    let count = 0;
    const queue = async (_: unknown, { runId }: { readonly runId: string }): Promise<never> => {
      const turn = turns[count++]?.promise;
      await store.append(sessionId, [{ type: "run_created", runId, data: {} }]);
      return (await turn) as never;
    };
    const rest = async (): Promise<void> => undefined;
    const close = async (): Promise<void> => void order.push("closed");
    const chats = playedChats(async () => talkOf(sessionId, { queue, rest, close }), store);
    const chat = await chats.open(sessionId, null);
    await chat.say("one");
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs * 2);
    expect([chats.sessionIds(), order]).toEqual([[sessionId], []]);
    turns[0]?.reject(new Error("over"));
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs / 2);
    await chat.say("two");
    const closing = chats.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(order).toEqual([]);
    turns[1]?.reject(new Error("interrupted"));
    await closing;
    expect(order).toEqual(["closed"]);
  } finally {
    vi.useRealTimers();
  }
});

test("a conversation closes a while after its last turn", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    await using store = await openStore("memory:");
    const { sessionId } = await store.createSession({});
    const queue = async (_: unknown, { runId }: { readonly runId: string }): Promise<void> => {
      await store.append(sessionId, [{ type: "run_created", runId, data: {} }]);
    };
    const rest = async (): Promise<void> => undefined;
    const chats = playedChats(async () => talkOf(sessionId, { queue, rest }), store);
    await (await chats.open(sessionId, null)).say("one");
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs);
    expect(chats.sessionIds()).toEqual([]);
    await chats.close();
  } finally {
    vi.useRealTimers();
  }
});

test("a conversation is not closed as idle while a prompt waits for the store, or a change for its agent", async () => {
  const opened = Promise.withResolvers<OpenedStore>();
  const changed = Promise.withResolvers<void>();
  const queued: AbortSignal[] = [];
  const talk = {
    agent: "robot",
    session: { sessionId: "one" },
    queue: async (_: string, { signal }: { readonly signal: AbortSignal }) => void queued.push(signal),
    switchAgent: () => changed.promise,
    rest: async () => undefined,
    close: async () => undefined,
  };
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const chats = createOpenChats({
      places: { home: "/", cwd: "/", env: {} },
      store: () => opened.promise,
      changes: createChanges(),
      openTalk: async () => talk as unknown as Talk,
    });
    const chat = await chats.open("one", null);
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs - 1);
    const switched = chat.switchAgent("other");
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs);
    changed.resolve();
    await switched;
    const said = chat.say("hello");
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs);
    expect(chats.sessionIds()).toEqual(["one"]);
    opened.resolve({
      latestSequence: async () => 0,
      async *tail() {
        yield* [];
      },
    } as unknown as OpenedStore);
    await said;
    expect(queued.map(({ aborted }) => aborted)).toEqual([false]);
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs);
    expect(chats.sessionIds()).toEqual([]);
    await chats.close();
  } finally {
    vi.useRealTimers();
  }
});

test("a conversation whose prompt could not be stored is closed when it is idle", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const chats = createChats();
    const chat = await chats.open("one", null);
    await expect(chat.say("hello")).rejects.toThrow();
    await vi.advanceTimersByTimeAsync(LIVE_LIMITS.idleMs);
    expect(chats.sessionIds()).toEqual([]);
    await chats.close();
  } finally {
    vi.useRealTimers();
  }
});
